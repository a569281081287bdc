//! A cell's magics, before its Rust: those that answer do so, and what is left says how the cell is to run.

use std::sync::Arc;

use super::Failure;
use super::engine::{Signals, State};
use super::failures;
use crate::cell::edits::CellText;
use crate::magics::{self, Orders};
use crate::outputs::Outputs;
use crate::worker::Worker;

/// What the magics ask for; none if the cell has nothing else, and is done.
pub(super) async fn orders(
    state: &mut State,
    signals: &mut Signals,
    cell: &Arc<CellText>,
    outputs: &Outputs,
) -> Result<Option<Orders>, Failure> {
    let orders = magics::read(cell, &state.notebook)?;
    if !orders.answers {
        return Ok(Some(orders));
    }
    let worker = state.worker.as_ref().map(Worker::handle);
    tokio::select! {
        answered = magics::answer(cell, &mut state.notebook, worker, outputs) => answered?,
        () = signals.next() => return Err(failures::plain("Interrupted", "the cell was interrupted")),
    }
    if orders.is_all() {
        return Ok(None);
    }
    // An answer may have changed what the orders were read with.
    magics::read(cell, &state.notebook).map(Some)
}
