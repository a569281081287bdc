//! What stands under a staged or profiled cell: its source with times, the graph, the ops, and eager beside staged.

use super::html::{Align, Table, bytes, details, escape, picture, seconds};
use super::staged_source::{self, Source};
use super::{Bundle, graph};
use crate::profile::Profile;

/// A cell's profile, ready to be shown.
#[derive(Debug)]
pub(crate) struct CellProfile<'a> {
    /// The cell.
    pub(crate) source: Source<'a>,
    /// How it ran.
    pub(crate) profile: &'a Profile,
}

/// One line that says how long what took.
fn headline(profile: &Profile) -> String {
    let peak = bytes(profile.peak_bytes as u64);
    if profile.segments.is_empty() {
        return format!(
            "eager: {} in all, {} in {} ops, {peak} at most",
            seconds(profile.total),
            seconds(profile.run),
            profile.records.len()
        );
    }
    let (traced, run) =
        profile.segments.iter().fold((0, 0), |(traced, run), segment| (traced + segment.traced_nodes, run + segment.graph.ops()));
    let graphs = match profile.segments.len() {
        1 => String::new(),
        several => format!(" in {several} graphs"),
    };
    format!(
        "staged: traced in {}, passes {}, run in {}{graphs}; {traced} ops traced, {run} run, {peak} at most",
        seconds(profile.trace_seconds()),
        seconds(profile.passes),
        seconds(profile.run),
    )
}

/// What the passes did, over all segments.
fn passes(profile: &Profile) -> Table {
    let mut table =
        Table::new(&[("pass", Align::Left), ("changed", Align::Right), ("nodes before", Align::Right), ("after", Align::Right)]);
    for pass in crate::passes::PASSES {
        let effects = profile.segments.iter().flat_map(|segment| &segment.effects).filter(|effect| effect.name == pass.name);
        let (changed, before, after) = effects.fold((0, 0, 0), |(changed, before, after), effect| {
            (changed + effect.changed, before + effect.nodes.0, after + effect.nodes.1)
        });
        table.row(vec![format!("{}: {}", pass.name, pass.doc), changed.to_string(), before.to_string(), after.to_string()]);
    }
    table
}

impl super::Show for CellProfile<'_> {
    fn show(&self) -> Bundle {
        let lines = staged_source::table(&self.source, self.profile);
        let elsewhere = staged_source::elsewhere(&self.source, self.profile);
        let ops = staged_source::ops(self.profile);
        let headline = headline(self.profile);
        let mut html = format!("<div>{}{}", escape(&headline), lines.html());
        let mut plain = format!("{headline}\n{}", lines.text());
        if let Some(elsewhere) = &elsewhere {
            html.push_str(&elsewhere.html());
            plain.push_str(&format!("\n\n{}", elsewhere.text()));
        }
        plain.push_str(&format!("\n\n{}", ops.text()));
        html.push_str(&details("by op", &ops.html(), false));
        for (number, segment) in self.profile.segments.iter().enumerate() {
            let (svg, width) = graph::svg(&segment.graph);
            let name = if self.profile.segments.len() == 1 { "graph".to_owned() } else { format!("graph {}", number + 1) };
            let alt = format!("{name} of {} ops", segment.graph.ops());
            html.push_str(&details(&alt, &picture(&svg, &alt, width), number == 0));
        }
        if !self.profile.segments.is_empty() {
            html.push_str(&details("passes", &passes(self.profile).html(), false));
        }
        Bundle::text(plain).html(html + "</div>")
    }
}

/// Eager beside staged, of one cell that ran both ways from one state.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    /// The cell.
    pub(crate) source: Source<'a>,
    /// Op by op.
    pub(crate) eager: &'a Profile,
    /// As a graph.
    pub(crate) staged: &'a Profile,
    /// Tensors that were compared after both runs, and the largest difference.
    pub(crate) compared: usize,
    /// The largest absolute difference of any element.
    pub(crate) difference: f64,
}

impl super::Show for Comparison<'_> {
    fn show(&self) -> Bundle {
        let (eager, staged) = (self.eager.by_line(self.source.label), self.staged.by_line(self.source.label));
        let time = |value: Option<f64>| value.map(seconds).unwrap_or_default();
        let mut table = Table::new(&[
            ("", Align::Right),
            ("source", Align::Code),
            ("eager", Align::Right),
            ("staged", Align::Right),
            ("ratio", Align::Right),
        ]);
        for (at, text) in self.source.text.lines().enumerate() {
            let line = at as u32 + 1;
            let (e, s) = (eager.get(&line).map(|sum| sum.seconds), staged.get(&line).map(|sum| sum.seconds));
            let ratio = e.zip(s).filter(|(e, _)| *e > 0.0).map(|(e, s)| format!("{:.2}", s / e)).unwrap_or_default();
            table.row(vec![time(e), time(s), ratio, line.to_string(), text.to_owned()]);
        }
        let mut totals = Table::new(&[("", Align::Left), ("eager", Align::Right), ("staged", Align::Right)]);
        totals.row(vec!["trace and passes".to_owned(), String::new(), seconds(self.staged.trace_seconds() + self.staged.passes)]);
        totals.row(vec!["run".to_owned(), seconds(self.eager.total), seconds(self.staged.run)]);
        totals.row(vec![
            "of it in kernels".to_owned(),
            seconds(self.eager.kernel_seconds()),
            seconds(self.staged.kernel_seconds()),
        ]);
        totals.row(vec!["ops".to_owned(), self.eager.records.len().to_string(), self.staged.records.len().to_string()]);
        totals.row(vec!["memory at most".to_owned(), bytes(self.eager.peak_bytes as u64), bytes(self.staged.peak_bytes as u64)]);
        let agree = match (self.compared, self.difference) {
            (0, _) => "no tensor was left to compare".to_owned(),
            (count, 0.0) => format!("results are equal to the bit ({count} tensors)"),
            (count, difference) => format!("results differ by {difference:.1e} at most ({count} tensors)"),
        };
        let headline = format!(
            "staged runs in {} against {} eager, {:.2} of it; {agree}",
            seconds(self.staged.run),
            seconds(self.eager.total),
            self.staged.run / self.eager.total.max(f64::MIN_POSITIVE)
        );
        let html = format!("<div>{}{}{}</div>", escape(&headline), table.html(), totals.html());
        Bundle::text(format!("{headline}\n{}\n\n{}", table.text(), totals.text())).html(html)
    }
}
