//! The types of what a cell stored, where `type_name` gives no path that a later cell can write: rustc is asked.
//!
//! Compiled with `--cfg footlight_types`, each `put!(cell, "x", x)` of the cell's source is `let _: Asked = Answer(x);`, and rustc says in an
//! error that it found an `Answer<std::thread::Builder>`, with whole, visible paths. Here such errors are read.

use super::edits::Purpose;
use super::places::Mapped;
use super::source::Source;
use crate::rustc::diagnostics::Diagnostic;

/// The types that rustc names in its answer, as it writes them, with the plan's variables that have them. `file` is what the source is
/// called.
pub fn answers(source: &Source, diagnostics: &[Diagnostic], file: &str) -> Vec<(usize, String)> {
    let answer = |error: &Diagnostic| {
        let span = error.spans.iter().find(|span| span.is_primary)?;
        let Mapped::Generated(Purpose::Put(id), ..) = span.mapped(source, file)? else { return None };
        let found = error.children.iter().find_map(|note| note.message.split_once("footlight::cell::Answer<"))?.1;
        Some((id, found.rsplit_once('>')?.0.to_owned()))
    };
    diagnostics.iter().filter(|error| error.code() == "E0308").filter_map(answer).collect()
}
