//! Hints: a mistake that notebooks invite, and a line of advice below rustc's error.
//!
//! rustc knows one cell's crate and nothing of the notebook. A hint looks at an error and at what the notebook holds, and says what rustc
//! can't. To add one: `hints/NAME.rs` with a function `advise`, and `NAME` in the table.
//!
//! Must not know: the worker, the session.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cell::Variable;
use crate::cell::edits::CellText;
use crate::cell::items::Unit;
use crate::cell::places::{Mapped, UserSpan};
use crate::cell::source::Source;
use crate::notebook::Notebook;
use crate::notebook::variables::State;
use crate::rustc::diagnostics::Diagnostic;

macro_rules! table {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every hint's name and the lines that it has for an error, none where the error has another cause.
        static TABLE: &[(&str, fn(&Scene<'_>) -> Vec<String>)] = &[$((stringify!($name), $name::advise)),*];
    };
}

table! {
    fn_names_variable moved_variable stored_borrow unnameable_closure unwritable_type lost_variable
    not_run variable_read tensor_condition not_mutable magic_below
    other_names tensor_form operand_moved untyped_closure
}

/// An error of rustc, and what the notebook knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    /// The error.
    pub(crate) error: &'a Diagnostic,
    /// The text that rustc was given.
    pub(crate) source: &'a Source,
    /// The cell.
    pub(crate) cell: &'a Arc<CellText>,
    /// The notebook.
    pub(crate) notebook: &'a Notebook,
    /// Variables that the cell's statements name and that can't be had.
    pub(crate) unavailable: &'a [(String, State)],
    /// The cell's own variables.
    pub(crate) variables: &'a [Variable],
    /// The cell's own items.
    pub(crate) units: &'a [Unit],
}

impl Scene<'_> {
    /// Whether the error's message names `name`.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.error.message.contains(&format!("`{name}`"))
    }

    /// The variables that the error misses, and where each is.
    fn missed(&self) -> impl Iterator<Item = (&str, &State)> {
        let missing = self.error.code() == "E0425";
        let known = self.notebook.variables.iter().filter(move |_| missing).map(|(name, known)| (name, &known.state));
        let late = self.unavailable.iter().map(|(name, state)| (name.as_str(), state));
        known.chain(late).filter(|(name, _)| self.names(name))
    }

    /// What `why` says of each variable that the error misses.
    pub(crate) fn each_missed(&self, why: impl Fn(&str, &State) -> Option<String>) -> Vec<String> {
        self.missed().filter_map(|(name, state)| why(name, state)).collect()
    }

    /// Where in the cells the error is.
    pub(crate) fn place(&self) -> Option<UserSpan> {
        let primary = self.error.spans.iter().filter(|span| span.is_primary);
        let mut mapped = primary.filter_map(|span| span.mapped(self.source, &self.cell.label));
        mapped.find_map(|mapped| match mapped {
            Mapped::User(span) => Some(span),
            Mapped::Generated(..) => None,
        })
    }
}

/// The advice of all hints on an error, each line once.
pub(crate) fn advice(scene: &Scene<'_>) -> Vec<String> {
    let lines: BTreeSet<String> = TABLE.iter().flat_map(|(_, advise)| advise(scene)).collect();
    lines.into_iter().collect()
}
