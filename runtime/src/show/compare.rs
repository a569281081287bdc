//! Eager beside staged, of one cell that ran both ways from one state.

use super::Bundle;
use super::html::{Align, Table, escape, stack};
use super::numbers::{bar, bytes, seconds};
use super::staged_source::Source;
use crate::profile::Profile;

/// Both runs of a cell, ready to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The cell.
    pub source: Source<'a>,
    /// Op by op.
    pub eager: &'a Profile,
    /// As a graph.
    pub staged: &'a Profile,
    /// Tensors that were compared after both runs.
    pub compared: usize,
    /// The largest absolute difference of any element.
    pub difference: f64,
}

/// How many times faster the second is: `2.1×`; `0.5×` is half as fast.
fn speedup(eager: f64, staged: f64) -> String {
    let times = eager / staged;
    match times.is_finite() {
        true if times < 1.0 => format!("{times:.2}×"),
        true => format!("{times:.1}×"),
        false => String::new(),
    }
}

impl Comparison<'_> {
    /// Each line of source with its time in kernels, both ways.
    fn lines(&self) -> Table {
        let (eager, staged) = (self.eager.by_line(self.source.label), self.staged.by_line(self.source.label));
        let longest = eager.values().chain(staged.values()).map(|sum| sum.seconds).fold(f64::MIN_POSITIVE, f64::max);
        let mut table = Table::new(&[
            ("eager", Align::Right),
            ("", Align::Left),
            ("staged", Align::Right),
            ("", Align::Left),
            ("faster", Align::Right),
            ("line", Align::Head),
            ("source", Align::Code),
        ]);
        for (at, text) in self.source.text.lines().enumerate() {
            let line = at as u32 + 1;
            let (e, s) = (eager.get(&line).map(|sum| sum.seconds), staged.get(&line).map(|sum| sum.seconds));
            let time = |value: Option<f64>| value.map(seconds).unwrap_or_default();
            let bar = |value: Option<f64>| value.map(|value| bar(value / longest)).unwrap_or_default();
            let faster = e.zip(s).map(|(e, s)| speedup(e, s)).unwrap_or_default();
            table.row(vec![time(e), bar(e), time(s), bar(s), faster, line.to_string(), text.to_owned()]);
        }
        table.compact()
    }

    fn totals(&self) -> Table {
        let Self { eager, staged, .. } = self;
        let mut table =
            Table::new(&[("", Align::Left), ("eager", Align::Right), ("staged", Align::Right), ("faster", Align::Right)]);
        // What does not run is no times as fast.
        let faster = |e: f64, s: f64| if staged.records.is_empty() { String::new() } else { speedup(e, s) };
        let mut timed = |name: &str, e: f64, s: f64| table.row(vec![name.to_owned(), seconds(e), seconds(s), faster(e, s)]);
        timed("run", eager.total, staged.run);
        timed("of it in kernels", eager.kernel_seconds(), staged.kernel_seconds());
        table.row(vec![
            "trace and passes, once".to_owned(),
            String::new(),
            seconds(staged.trace_seconds() + staged.passes),
            String::new(),
        ]);
        table.row(vec!["ops".to_owned(), eager.records.len().to_string(), staged.records.len().to_string(), String::new()]);
        let peak = |profile: &Profile| bytes(profile.peak_bytes as u64);
        table.row(vec!["memory at most".to_owned(), peak(eager), peak(staged), String::new()]);
        table
    }

    fn headline(&self) -> String {
        let agree = match (self.compared, self.difference) {
            (0, _) => "no tensor was left to compare".to_owned(),
            (1, 0.0) => "the result is equal to the bit".to_owned(),
            (count, 0.0) => format!("all {count} results are equal to the bit"),
            (count, difference) if difference.is_finite() => format!("{count} results differ by {difference:.1e} at most"),
            (count, _) => format!("{count} results differ: in shape, or where one is not finite"),
        };
        match (self.eager.records.len(), self.staged.records.len()) {
            (0, 0) => return format!("the cell asks for no op of a tensor, so there was nothing to run either way; {agree}"),
            (ops, 0) => {
                return format!(
                    "staged, nothing was left to run: the passes folded or removed all {ops} ops of the eager run; {agree}"
                );
            }
            _ => {}
        }
        let (eager, staged) = (self.eager.total, self.staged.run);
        format!("staged runs in {}, eager in {}: {} as fast; {agree}", seconds(staged), seconds(eager), speedup(eager, staged))
    }
}

impl super::Show for Comparison<'_> {
    fn show(&self) -> Bundle {
        let (headline, totals, lines) = (self.headline(), self.totals(), self.lines());
        let plain = format!("{headline}\n\n{}\n\n{}", totals.text(), lines.text());
        Bundle::text(plain).html(stack(&[escape(&headline), totals.html(), lines.html()]))
    }
}
