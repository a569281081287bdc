//! Ops of a profile, the slowest first, with what they reached of the machine.

use super::html::{Align, Table};
use super::numbers::{bar, percent, seconds};
use crate::profile::Profile;

/// The table of ops.
pub(super) fn table(profile: &Profile) -> Table {
    let total = profile.kernel_seconds().max(f64::MIN_POSITIVE);
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("calls", Align::Right),
        ("time", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("a call", Align::Right),
        ("GFLOP/s", Align::Right),
        ("GB/s", Align::Right),
    ]);
    for (name, sum) in profile.by_op() {
        let rate = |amount: u64| match amount as f64 / sum.seconds / 1e9 {
            rate if amount == 0 || !rate.is_finite() => String::new(),
            rate => format!("{rate:.1}"),
        };
        let share = sum.seconds / total;
        table.row(vec![
            name.to_owned(),
            sum.ops.to_string(),
            seconds(sum.seconds),
            percent(share),
            bar(share),
            seconds(sum.seconds / sum.ops.max(1) as f64),
            rate(sum.flops),
            rate(sum.bytes),
        ]);
    }
    table.compact()
}
