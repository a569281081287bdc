//! A cell's source with, beside each line, the time, the share, the ops and the bytes of what the line asked for.

use super::html::{Align, Table};
use super::numbers::{bar, bytes, percent, seconds};
use crate::profile::{Profile, Sum};
use std::collections::BTreeMap;

/// The cell whose profile is shown.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// As `In[7]`: the file of the places of its lines.
    pub label: &'a str,
    /// Its text, magic lines included.
    pub text: &'a str,
}

fn cells(sum: Option<&Sum>, total: f64) -> Vec<String> {
    match sum {
        None => vec![String::new(); 5],
        Some(sum) => vec![
            seconds(sum.seconds),
            percent(sum.seconds / total.max(f64::MIN_POSITIVE)),
            bar(sum.seconds / total.max(f64::MIN_POSITIVE)),
            sum.ops.to_string(),
            if sum.bytes == 0 { String::new() } else { bytes(sum.bytes) },
        ],
    }
}

/// The table of the cell's lines. Numbers come first: a long line of source then runs out of a narrow page without taking them along.
pub(super) fn table(source: &Source<'_>, profile: &Profile) -> Table {
    let total = profile.kernel_seconds();
    let lines = profile.by_line(source.label);
    let ended: BTreeMap<u32, usize> =
        profile.segments.iter().filter_map(|segment| segment.ended_at).fold(BTreeMap::new(), |mut ended, line| {
            *ended.entry(line).or_default() += 1;
            ended
        });
    let mut table = Table::new(&[
        ("time", Align::Right),
        ("share", Align::Right),
        ("", Align::Left),
        ("ops", Align::Right),
        ("moved", Align::Right),
        ("line", Align::Head),
        ("source", Align::Code),
    ]);
    for (at, text) in source.text.lines().enumerate() {
        let line = at as u32 + 1;
        let mut row = cells(lines.get(&line), total);
        row.extend([line.to_string(), text.to_owned()]);
        table.row(row);
        if ended.contains_key(&line) {
            // In a row of its own: behind a long line it would be far off the page.
            let mut note = vec![String::new(); 6];
            note.push("▴ read a value: the graph ran to here".to_owned());
            table.row(note);
        }
    }
    table.compact()
}

/// The table of lines of other cells, whose functions the cell called; `None` if there are none.
pub(super) fn elsewhere(source: &Source<'_>, profile: &Profile) -> Option<Table> {
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
