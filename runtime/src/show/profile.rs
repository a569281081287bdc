//! What stands under a staged or profiled cell: how long what took, its source with times, the graph, the ops, the timeline, the passes.

use super::html::{Align, Table, details, picture, stack};
use super::numbers::{bytes, seconds};
use super::staged_source::{self, Source};
use super::timeline::timeline;
use super::{Bundle, graph, op_table};
use crate::profile::Profile;

/// A cell's profile, ready to be shown.
#[derive(Clone, Copy, Debug)]
pub struct CellProfile<'a> {
    /// The cell.
    pub source: Source<'a>,
    /// How it ran.
    pub profile: &'a Profile,
    /// It was traced, to run as graphs; there are none where nothing was left to run.
    pub staged: bool,
}

/// How long what took, and how much there was.
fn totals(profile: &Profile, staged: bool) -> Table {
    let peak = bytes(profile.peak_bytes as u64);
    if !staged {
        let mut table = Table::new(&[
            ("eager", Align::Left),
            ("in kernels", Align::Right),
            ("ops", Align::Right),
            ("memory at most", Align::Right),
        ]);
        table.row(vec![seconds(profile.total), seconds(profile.run), profile.records.len().to_string(), peak]);
        return table;
    }
    let (traced, run) =
        profile.segments.iter().fold((0, 0), |(traced, run), segment| (traced + segment.traced_nodes, run + segment.graph.ops()));
    let mut table = Table::new(&[
        ("staged", Align::Left),
        ("trace", Align::Right),
        ("passes", Align::Right),
        ("run", Align::Right),
        ("graphs", Align::Right),
        ("nodes traced", Align::Right),
        ("ops run", Align::Right),
        ("memory at most", Align::Right),
    ]);
    table.row(vec![
        seconds(profile.total),
        seconds(profile.trace_seconds()),
        seconds(profile.passes),
        seconds(profile.run),
        profile.segments.len().to_string(),
        traced.to_string(),
        run.to_string(),
        peak,
    ]);
    table
}

/// Where graphs ended, if there are several.
fn segments(profile: &Profile) -> Option<Table> {
    let mut table =
        Table::new(&[("graph", Align::Right), ("nodes traced", Align::Right), ("ops run", Align::Right), ("ended", Align::Left)]);
    for (number, segment) in profile.segments.iter().enumerate() {
        let ended =
            segment.ended_at.map_or_else(|| "at the cell's end".to_owned(), |line| format!("where line {line} read a value"));
        table.row(vec![(number + 1).to_string(), segment.traced_nodes.to_string(), segment.graph.ops().to_string(), ended]);
    }
    (profile.segments.len() > 1).then_some(table)
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

/// Graphs beyond so many are counted, not drawn: a loop that reads a value may end thousands.
const MOST_GRAPHS: usize = 4;

impl super::Show for CellProfile<'_> {
    fn show(&self) -> Bundle {
        let Self { source, profile, staged } = *self;
        let tables = [
            Some(totals(profile, staged)),
            Some(staged_source::table(&source, profile)),
            staged_source::elsewhere(&source, profile),
        ];
        let mut html: Vec<String> = tables.iter().flatten().map(Table::html).collect();
        for (number, segment) in profile.segments.iter().take(MOST_GRAPHS).enumerate() {
            let name = if profile.segments.len() == 1 { "graph".to_owned() } else { format!("graph {}", number + 1) };
            let alt = format!("{name} of {} ops", segment.graph.ops());
            let (svg, width) = graph::svg(&segment.graph, Some(&source), &alt);
            html.push(details(&alt, &picture(&svg, &alt, width), number == 0));
        }
        if profile.segments.len() > MOST_GRAPHS {
            html.push(format!("{} graphs more", profile.segments.len() - MOST_GRAPHS));
        }
        let ops = (!profile.records.is_empty()).then(|| op_table::table(profile));
        if let Some(ops) = &ops {
            html.push(details("ops", &ops.html(), false));
        }
        if let Some((svg, alt, width)) = timeline(&source, profile) {
            html.push(details("timeline", &picture(&svg, &alt, width), false));
        }
        if let Some(segments) = segments(profile) {
            html.push(details("graphs", &segments.html(), false));
        }
        if !profile.segments.is_empty() {
            html.push(details("passes", &passes(profile).html(), false));
        }
        let plain: Vec<String> = tables.iter().flatten().chain(&ops).map(Table::text).collect();
        Bundle::text(plain.join("\n\n")).html(stack(&html))
    }
}
