//! A cell's source with, beside each line, the time, the share, the ops and the bytes of what the line asked for.

use super::html::{Align, Table, bar, bytes, seconds};
use crate::profile::{Profile, Sum};
use std::collections::BTreeMap;

/// The cell whose profile is shown.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// As `In[7]`.
    pub(crate) label: &'a str,
    /// Its text, magic lines included.
    pub(crate) text: &'a str,
}

fn cells(sum: Option<&Sum>, total: f64) -> Vec<String> {
    match sum {
        None => vec![String::new(); 5],
        Some(sum) => vec![
            seconds(sum.seconds),
            format!("{:.0} %", 100.0 * sum.seconds / total.max(f64::MIN_POSITIVE)),
            bar(sum.seconds / total.max(f64::MIN_POSITIVE)),
            sum.ops.to_string(),
            if sum.bytes == 0 { String::new() } else { bytes(sum.bytes) },
        ],
    }
}

/// The table of the cell's lines.
pub(crate) fn table(source: &Source<'_>, profile: &Profile) -> Table {
    let total = profile.kernel_seconds();
    let lines = profile.by_line(source.label);
    let ended: BTreeMap<u32, usize> =
        profile.segments.iter().filter_map(|segment| segment.ended_at).fold(BTreeMap::new(), |mut ended, line| {
            *ended.entry(line).or_default() += 1;
            ended
        });
    // Numbers first: a long line of source then runs out of a narrow page without taking them along.
    let mut table = Table::new(&[
        ("time", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("ops", Align::Right),
        ("moved", Align::Right),
        ("", Align::Right),
        ("source", Align::Code),
        ("", Align::Left),
    ]);
    for (at, text) in source.text.lines().enumerate() {
        let line = at as u32 + 1;
        let mut row = cells(lines.get(&line), total);
        row.extend([line.to_string(), text.to_owned()]);
        row.push(if ended.contains_key(&line) {
            "◂ a value was read: the graph ran up to here".to_owned()
        } else {
            String::new()
        });
        table.row(row);
    }
    table
}

/// The table of lines of other cells, whose functions the cell called; `None` if there are none.
pub(crate) fn elsewhere(source: &Source<'_>, profile: &Profile) -> Option<Table> {
    let lines = profile.elsewhere(source.label);
    if lines.is_empty() {
        return None;
    }
    let total = profile.kernel_seconds();
    let mut table = Table::new(&[
        ("called from here", Align::Left),
        ("time", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("ops", Align::Right),
        ("moved", Align::Right),
    ]);
    for ((file, line), sum) in &lines {
        let file = file.rsplit('/').next().unwrap_or(file);
        let mut row = vec![format!("{file}:{line}")];
        row.extend(cells(Some(sum), total));
        table.row(row);
    }
    Some(table)
}

/// The table of ops, the slowest first.
pub(crate) fn ops(profile: &Profile) -> Table {
    let total = profile.kernel_seconds();
    let mut table = Table::new(&[
        ("op", Align::Left),
        ("calls", Align::Right),
        ("time", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("GFLOP/s", Align::Right),
        ("GB/s", Align::Right),
    ]);
    for (name, sum) in profile.by_op() {
        let rate = |amount: u64| {
            if amount == 0 || sum.seconds <= 0.0 { String::new() } else { format!("{:.1}", amount as f64 / sum.seconds / 1e9) }
        };
        let share = sum.seconds / total.max(f64::MIN_POSITIVE);
        table.row(vec![
            name.to_owned(),
            sum.ops.to_string(),
            seconds(sum.seconds),
            format!("{:.0} %", 100.0 * share),
            bar(share),
            rate(sum.flops),
            rate(sum.bytes),
        ]);
    }
    table
}
