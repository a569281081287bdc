//! Failures as the user reads them: what went wrong, in which cell and line, and what to do.

use std::collections::HashMap;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use footlight_channel as channel;

use super::Failure;
use crate::cell::Variable;
use crate::cell::edits::CellText;
use crate::cell::items::Unit;
use crate::cell::places::map_place;
use crate::cell::source::Source;
use crate::hints::{self, Scene};
use crate::notebook::Notebook;
use crate::notebook::variables::State as Where;
use crate::rustc::colours::renderer;
use crate::rustc::diagnostics::{self, Diagnostic};
use crate::worker::Death;

/// The most errors of one cell that are shown; the first is mostly the cause of the others.
const SHOWN: usize = 8;

/// A failure that has no place in the cell.
pub(super) fn plain(ename: &str, evalue: &str) -> Failure {
    drawn(ename, evalue, None, None.into_iter())
}

/// The user's interrupt, before the cell ran.
pub(super) fn interrupted() -> Failure {
    plain("Interrupted", "the cell was interrupted before it ran; nothing was changed")
}

/// What a cell has and lacks, for hints on its errors.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known<'a> {
    /// Variables that its statements name and that can't be had.
    pub(super) unavailable: &'a [(String, Where)],
    /// Its variables.
    pub(super) variables: &'a [Variable],
    /// Its items.
    pub(super) units: &'a [Unit],
}

/// A cell that does not compile.
pub(super) fn compile(
    diagnostics: &[Diagnostic],
    source: &Source,
    cell: &Arc<CellText>,
    notebook: &Notebook,
    known: Known<'_>,
) -> Failure {
    let Known { unavailable, variables, units } = known;
    let advice = |error: &Diagnostic| hints::advice(&Scene { error, source, cell, notebook, unavailable, variables, units });
    let shown = diagnostics::show(diagnostics, source, cell, &cell.label, &advice);
    let evalue = shown.first().map_or_else(|| "the cell does not compile".to_owned(), |first| first.title.clone());
    let more = shown.len().saturating_sub(SHOWN);
    let mut traceback: Vec<String> = shown.into_iter().take(SHOWN).map(|shown| shown.text).collect();
    if more > 0 {
        traceback.push(format!("… and {more} more errors"));
    }
    Failure { ename: "CompileError".to_owned(), evalue, traceback }
}

/// A cell that failed while it ran: at the place of the panic if that lies in a cell, else at the statement that failed.
pub(super) fn cell(failure: &channel::Failure, cell: &Arc<CellText>, sources: &HashMap<String, Arc<Source>>) -> Failure {
    let mapped = failure.place.as_ref().and_then(|(file, line, column)| {
        let source = sources.get(file)?;
        map_place(&source.text, &source.segments, *line as usize, *column as usize)
    });
    let statement = || {
        let line = failure.statement.filter(|line| *line > 0)? as usize;
        let row = cell.text.lines().nth(line - 1)?;
        Some((cell.clone(), line, row.chars().take_while(|c| c.is_whitespace()).count() + 1))
    };
    let outside = failure.place.as_ref().filter(|(file, ..)| !sources.contains_key(file));
    // Of std's files, the part that says where: `core/src/iter/traits/accum.rs`.
    let short = |file: &str| file.rsplit_once("/library/").map_or(file, |(_, inner)| inner).to_owned();
    // Where in Footlight it was raised says nothing to its users.
    let note = outside
        .filter(|(file, ..)| !file.starts_with("runtime/src/"))
        .map(|(file, line, _)| (Level::NOTE, format!("raised at {}:{line}", short(file))));
    let advice = failure.advice.clone().map(|advice| (Level::HELP, advice));
    drawn(&failure.name, &failure.message, mapped.or_else(statement), note.into_iter().chain(advice))
}

/// The worker died.
pub(super) fn death(death: &Death, label: &str, lost: &[String]) -> Failure {
    let evalue = format!(
        "{label}: {}. {}; functions, types and other items are kept, and the next cell runs in a new worker",
        death.sentence,
        losses(lost)
    );
    let advice = death.advice.map(|advice| (Level::HELP, advice.to_owned()));
    drawn(death.name, &evalue, None, advice.into_iter())
}

/// What a note says where the worker was found dead at the start of a cell.
pub(super) fn died_between(death: &Death, lost: &[String]) -> String {
    format!("Between the cells the worker ended: {}. {}; this cell runs in a new worker.\n", death.sentence, losses(lost))
}

fn losses(lost: &[String]) -> String {
    match lost {
        [] => "No variables were lost".to_owned(),
        [one] => format!("The variable {one} is lost"),
        _ => format!("The variables {} are lost", lost.join(", ")),
    }
}

fn drawn(
    ename: &str,
    evalue: &str,
    place: Option<(Arc<CellText>, usize, usize)>,
    below: impl Iterator<Item = (Level<'static>, String)>,
) -> Failure {
    let title = Level::ERROR.with_name(ename.to_owned()).primary_title(evalue.to_owned());
    let mut group = Group::with_title(title);
    if let Some((cell, line, column)) = place {
        let start: usize = cell.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let row = cell.text[start..].lines().next().unwrap_or("");
        let at = start + row.char_indices().nth(column.saturating_sub(1)).map_or(row.len(), |(at, _)| at);
        let snippet = Snippet::source(cell.shown().to_owned()).path(cell.label.clone());
        group = group.element(snippet.annotation(AnnotationKind::Primary.span(at..at)));
    }
    for (level, line) in below {
        group = group.element(level.message(line));
    }
    let text = renderer().render(&[group]);
    Failure { ename: ename.to_owned(), evalue: evalue.to_owned(), traceback: vec![text] }
}
