//! One turn: load a cell, run it in its mode, and say how it ended.

use super::{load, output, store::Store};
use crate::cell::{self, Cell};
use footlight_channel::{Failure, FailureKind, Mode, Run};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a cell: what failed, and whether every statement ran.
pub(crate) fn run(run: &Run, store: &mut Store) -> (Option<Failure>, bool) {
    let entry = match load::load(&run.library, &run.entry) {
        Ok(entry) => entry,
        Err(message) => return (Some(unloadable(&message)), false),
    };
    if run.mode == (Mode::Stage { compare: true }) {
        output::mute(true);
        let (failure, _) = enter(entry, Cell::new(store, true));
        output::mute(false);
        if failure.is_some() {
            return (failure, false);
        }
    }
    enter(entry, Cell::new(store, false))
}

/// Calls the entry function. Statements catch their own panics; what is left are a variable's destructor and the take of a variable.
fn enter(entry: load::Entry, mut cell: Cell<'_>) -> (Option<Failure>, bool) {
    let escaped = catch_unwind(AssertUnwindSafe(|| entry(&mut cell))).err().map(cell::failure);
    let (failure, ran_to_end) = cell.into_outcome();
    let ran_to_end = ran_to_end && escaped.is_none();
    (failure.or(escaped), ran_to_end)
}

fn unloadable(message: &str) -> Failure {
    Failure {
        kind: FailureKind::Error,
        name: "LoadError".to_owned(),
        message: format!("the compiled cell could not be loaded: {message}"),
        place: None,
        statement: None,
        advice: Some("run the cell again; if it stays, restart the kernel".to_owned()),
    }
}
