//! rustc's diagnostics, shown as rustc shows them but over the user's own cells: their lines and columns, none of the generated text.
//!
//! rustc prints JSON with byte spans into the generated source. Each span is led back to a cell ([`places`]); labels and suggestions that
//! only speak of generated text are left out, and what remains is drawn with `annotate-snippets`, which draws as rustc does.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Snippet};
use serde::Deserialize;

use crate::cell::edits::CellText;
use crate::cell::places::{Mapped, UserSpan, map};
use crate::cell::source::Source;
use crate::rustc::colours::renderer;

/// One diagnostic, as rustc's JSON has it.
#[derive(Clone, Debug, Deserialize)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// `E0382` and the like.
    pub code: Option<Code>,
    /// `error`, `warning`, `note`, `help`, `failure-note`.
    pub level: String,
    /// Where.
    #[serde(default)]
    pub spans: Vec<Span>,
    /// Notes and suggestions.
    #[serde(default)]
    pub children: Vec<Diagnostic>,
}

/// A diagnostic's code.
#[derive(Clone, Debug, Deserialize)]
pub struct Code {
    /// As `E0382`, or a lint's name.
    pub code: String,
}

/// A stretch of a source file.
#[derive(Clone, Debug, Deserialize)]
pub struct Span {
    /// The file.
    pub file_name: String,
    /// Its first byte.
    pub byte_start: usize,
    /// The byte behind its last.
    pub byte_end: usize,
    /// Underlined with `^`.
    pub is_primary: bool,
    /// What is written beside it.
    pub label: Option<String>,
    /// For a suggestion, the text to put there.
    pub suggested_replacement: Option<String>,
    /// For text made by a macro, the macro's call.
    pub expansion: Option<Box<Expansion>>,
}

/// A macro's call.
#[derive(Clone, Debug, Deserialize)]
pub struct Expansion {
    /// Where the macro was called.
    pub span: Span,
}

impl Diagnostic {
    /// Reads the lines that rustc wrote with `--error-format=json`; lines that are no diagnostics are passed over.
    pub fn read(stderr: &str) -> Vec<Diagnostic> {
        stderr.lines().filter(|line| line.starts_with('{')).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// An error that stops the compilation, the summary at the end excepted.
    pub fn is_error(&self) -> bool {
        self.level.starts_with("error") && !self.message.starts_with("aborting due to")
    }

    /// Its code, or the empty string.
    pub fn code(&self) -> &str {
        self.code.as_ref().map_or("", |code| &code.code)
    }
}

impl Span {
    /// The stretch in the file `file`: the span itself, or the macro call in it that made it.
    pub fn within(&self, file: &str) -> Option<Range<usize>> {
        let mut span = self;
        while span.file_name != file {
            span = &span.expansion.as_ref()?.span;
        }
        Some(span.byte_start..span.byte_end)
    }

    /// Where it is in the user's cells.
    pub fn mapped(&self, source: &Source, file: &str) -> Option<Mapped> {
        map(&source.segments, self.within(file)?)
    }
}

/// A diagnostic as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Drawn with ANSI colours, without a line end.
    pub text: String,
    /// The message alone with its code: `error[E0382]: …`.
    pub title: String,
    /// Where, as `In[7]:3:5`.
    pub place: Option<String>,
}

/// Draws the errors of a compile run, each once. `file` is what rustc calls the source.
pub fn show(
    diagnostics: &[Diagnostic],
    source: &Source,
    cell: &Arc<CellText>,
    file: &str,
    advice: &dyn Fn(&Diagnostic) -> Vec<String>,
) -> Vec<Shown> {
    let mut seen = BTreeSet::new();
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    errors.map(|error| draw(error, source, cell, file, &advice(error))).filter(|shown| seen.insert(shown.text.clone())).collect()
}

/// Draws one diagnostic, with lines of advice below it.
pub fn draw(diagnostic: &Diagnostic, source: &Source, cell: &Arc<CellText>, file: &str, advice: &[String]) -> Shown {
    let context = Context { source, cell, file };
    let message = context.said(diagnostic, &diagnostic.message);
    let level = level(&diagnostic.level);
    let mut title = level.clone().primary_title(message.clone());
    if let Some(code) = &diagnostic.code {
        title = title.id(code.code.clone());
    }
    let (snippets, place) = context.snippets(diagnostic);
    let mut groups = Vec::new();
    let mut first = Group::with_title(title).elements(snippets);
    for child in &diagnostic.children {
        let replaced = child.spans.iter().any(|span| span.suggested_replacement.is_some());
        if replaced {
            groups.extend(context.suggestion(child));
        } else if child.spans.is_empty() {
            // An inline note: `= note: …`.
            if speaks_of_frame(&child.message) {
                continue;
            }
            first = first.element(self::level(&child.level).message(clean(&child.message)));
        } else {
            let (snippets, at) = context.snippets(child);
            if at.is_some() && !speaks_of_frame(&child.message) {
                groups
                    .push(Group::with_title(self::level(&child.level).secondary_title(clean(&child.message))).elements(snippets));
            }
        }
    }
    for line in advice {
        first = first.element(Level::HELP.message(line.clone()));
    }
    groups.insert(0, first);
    // The room that a magic's text took is not to be seen.
    let text = renderer().render(&groups).lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let code = diagnostic.code.as_ref().map_or(String::new(), |code| format!("[{}]", code.code));
    Shown { text, title: format!("{}{code}: {message}", diagnostic.level), place }
}

/// What `?` at the top level of a cell turns every error into.
const CELL_ERROR: &str = "footlight::cell::Error";

struct Context<'a> {
    source: &'a Source,
    cell: &'a Arc<CellText>,
    file: &'a str,
}

impl<'a> Context<'a> {
    /// A message or label of a diagnostic, without what only the generated text has: the closure around a statement, the brace behind a cell.
    fn said(&self, diagnostic: &Diagnostic, text: &str) -> String {
        let text = clean(text);
        let at_top = |span: &Span| span.label.as_ref().is_some_and(|label| label.contains(CELL_ERROR));
        if diagnostic.spans.iter().any(at_top) {
            let text = text.replace(" in a closure that returns `Result`", " at the top level of a cell");
            return match text.find(" to provide an error compatible with") {
                Some(at) => format!("{} to make `None` an error", &text[..at]),
                None => text,
            };
        }
        let brace = |span: &Span| {
            let behind = match span.mapped(self.source, self.file) {
                Some(Mapped::Generated(..)) => true,
                Some(Mapped::User(user)) => user.cell.text[user.range.start.min(user.cell.text.len())..].trim().is_empty(),
                None => false,
            };
            span.is_primary && behind
        };
        let text = text.replace("this file contains an unclosed", "this cell contains an unclosed");
        match text.strip_suffix("found `}`") {
            Some(start) if diagnostic.spans.iter().any(brace) => format!("{start}found the end of the cell"),
            _ => text,
        }
    }

    /// The stretches of a diagnostic as snippets, one a cell, the first with the primary span; and the place of that.
    fn snippets(
        &self,
        diagnostic: &Diagnostic,
    ) -> (Vec<Snippet<'static, annotate_snippets::Annotation<'static>>>, Option<String>) {
        let mut found: Vec<(UserSpan, bool, Option<String>)> = Vec::new();
        let mut beside = None;
        let guarded = diagnostic.spans.iter().any(|span| {
            let closure = span.label.as_ref().is_some_and(|label| label.contains("closure"));
            closure && matches!(span.mapped(self.source, self.file), Some(Mapped::Generated(..)))
        });
        for span in &diagnostic.spans {
            match span.mapped(self.source, self.file) {
                Some(Mapped::User(user)) => {
                    let label = span.label.as_deref().map(|label| self.said(diagnostic, label));
                    let label = if guarded { label.map(|label| unguarded(&label)) } else { label };
                    found.push((user, span.is_primary, label));
                }
                Some(Mapped::Generated(_, cell, near)) if span.is_primary => beside = Some((cell, near)),
                _ => {}
            }
        }
        // An error in generated text has no better place than the user's text beside it.
        if !found.iter().any(|(_, primary, _)| *primary)
            && let Some((cell, near)) = beside
        {
            let near = near.min(cell.text.len());
            found.push((UserSpan { cell, range: near..near }, true, None));
        }
        found.retain(|(_, primary, label)| *primary || label.as_ref().is_some_and(|label| !speaks_of_frame(label)));
        let Some(primary) = found.iter().find(|(_, primary, _)| *primary).map(|(span, ..)| span.clone()) else {
            return (Vec::new(), None);
        };
        let mut cells: Vec<Arc<CellText>> = vec![primary.cell.clone()];
        for (span, ..) in &found {
            if !cells.iter().any(|cell| cell.label == span.cell.label) {
                cells.push(span.cell.clone());
            }
        }
        let snippets = cells.iter().map(|cell| {
            let mut snippet = Snippet::source(cell.shown().to_owned()).path(cell.label.clone());
            for (span, primary, label) in found.iter().filter(|(span, ..)| span.cell.label == cell.label) {
                let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                snippet = snippet.annotation(kind.span(on_text(cell, span.range.clone())).label(label.clone()));
            }
            snippet
        });
        (snippets.collect(), Some(place(&primary)))
    }

    /// A suggestion that changes the user's text; one that would change generated text is left out.
    fn suggestion(&self, child: &Diagnostic) -> Option<Group<'static>> {
        let patches: Vec<(Arc<CellText>, Range<usize>, String)> =
            child.spans.iter().map(|span| self.patch(span)).collect::<Option<_>>()?;
        let cell = patches.first()?.0.clone();
        if patches.iter().any(|(other, ..)| !Arc::ptr_eq(other, &cell)) {
            return None;
        }
        let snippet = Snippet::source(cell.shown().to_owned())
            .path(cell.label.clone())
            .patches(patches.into_iter().map(|(_, range, text)| Patch::new(range, text)));
        Some(Group::with_title(level(&child.level).secondary_title(clean(&child.message))).element(snippet))
    }

    fn patch(&self, span: &Span) -> Option<(Arc<CellText>, Range<usize>, String)> {
        let text = span.suggested_replacement.clone()?;
        if speaks_of_frame(&text) {
            return None;
        }
        match span.mapped(self.source, self.file)? {
            Mapped::Generated(..) if text.trim_start().starts_with("use ") => {
                Some((self.cell.clone(), start_of_rust(&self.cell.text), text.replace("\n\n", "\n")))
            }
            // At the very edge of the user's text, an insertion is meant for it.
            Mapped::Generated(_, cell, near) if span.byte_start == span.byte_end && self.at_edge(span) => {
                Some((cell, near..near, text))
            }
            Mapped::Generated(..) => None,
            Mapped::User(user) if is_behind_magic(&user.cell, user.range.start) => None,
            Mapped::User(user) => Some((user.cell, user.range, text)),
        }
    }

    fn at_edge(&self, span: &Span) -> bool {
        span.within(self.file).is_some_and(|range| {
            let before = range.start.checked_sub(1).and_then(|at| map(&self.source.segments, at..at + 1));
            matches!(before, Some(Mapped::User(_)))
        })
    }
}

/// The start of the first line of Rust: where a `use` line would go.
fn start_of_rust(text: &str) -> Range<usize> {
    let magics = crate::cell::magic_lines::magic_lines(text);
    let at = magics.last().map_or(0, |magic| (magic.range.end + 1).min(text.len()));
    at..at
}

/// A span on a text's characters; one of what a magic wrote behind its line is the whole line.
fn on_text(cell: &CellText, range: Range<usize>) -> Range<usize> {
    let end = cell.text.len();
    if is_behind_magic(cell, range.start) {
        let before = &cell.shown()[..range.start];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        return line..line + before[line..].trim_end().len();
    }
    range.start.min(end)..range.end.clamp(range.start.min(end), end)
}

/// Whether a place is in text that a magic wrote, where the user sees nothing.
fn is_behind_magic(cell: &CellText, at: usize) -> bool {
    let rest = cell.shown.as_ref().and_then(|shown| shown.get(at..)?.lines().next());
    rest.is_some_and(|rest| !rest.is_empty() && rest.trim().is_empty())
}

fn place(span: &UserSpan) -> String {
    let before = &span.cell.text[..span.range.start.min(span.cell.text.len())];
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("{}:{}:{column}", span.cell.label, before.matches('\n').count() + 1)
}

fn level(name: &str) -> Level<'static> {
    match name {
        "warning" => Level::WARNING,
        "note" | "failure-note" => Level::NOTE,
        "help" => Level::HELP,
        _ => Level::ERROR,
    }
}

/// Whether a text speaks of what only the generated code has.
fn speaks_of_frame(text: &str) -> bool {
    text.contains("__footlight")
        || text.contains("__value")
        || text.contains("footlight_cell_")
        || text.contains("RUST_BACKTRACE")
}

/// A label without the closure that guards the statement: "variable moved due to use in closure" becomes "value moved here".
fn unguarded(label: &str) -> String {
    match label.find(" due to use").filter(|_| label.ends_with("in closure")) {
        Some(at) => format!("{} here", label[..at].replace("variable moved", "value moved")),
        None => label.to_owned(),
    }
}

/// A message without the names of generated crates.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("cell_") {
        let digits = rest[at + 5..].chars().take_while(char::is_ascii_digit).count();
        let end = at + 5 + digits;
        out.push_str(&rest[..at]);
        if digits > 0 && rest[end..].starts_with("::") {
            rest = &rest[end + 2..];
        } else {
            out.push_str(&rest[at..end]);
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out
}
