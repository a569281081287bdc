//! Between the cells: what threads of the user's go on printing and showing is passed on as it comes.

use footlight_channel::{Event, Request};
use tokio::sync::watch;

use super::engine::State;
use crate::outputs::Outputs;
use crate::worker::{Said, Worker};

/// Passes on what the worker says until somebody else wants the state, of which `callers` counts how many wait. It goes where the last cell's
/// outputs went, within that cell's bounds.
pub(super) async fn listen(state: &mut State, mut callers: watch::Receiver<usize>) {
    let State { worker: Some(worker), late: Some(outputs), .. } = state else { return };
    loop {
        let said = tokio::select! {
            biased;
            // An error means that the engine is gone.
            _ = callers.wait_for(|waiting| *waiting > 0) => return,
            said = worker.next() => said,
        };
        // The next cell finds the worker dead, and says so.
        if matches!(said, Said::Died(_)) {
            return;
        }
        pass_on(said, worker, outputs).await;
    }
}

async fn pass_on(said: Said, worker: &Worker, outputs: &Outputs) {
    match said {
        Said::Text(name, text) => outputs.stream(name, text).await,
        Said::Content(bundle) => outputs.display(bundle, None, false).await,
        Said::Event(Event::Display { seq, bundle, id, update }) => {
            outputs.display(bundle, id, update).await;
            worker.handle().send(Request::Ack { seq });
        }
        Said::Event(Event::ClearOutput { seq, wait }) => {
            outputs.clear_output(wait).await;
            worker.handle().send(Request::Ack { seq });
        }
        Said::Event(Event::InputRequest { .. }) => {
            let refusal = "a thread asked for input after its cell had ended: join the thread in its cell".to_owned();
            worker.handle().send(Request::Input { line: None, refusal: Some(refusal) });
        }
        // The others are of a running cell, or of a worker that starts.
        Said::Event(_) | Said::Died(_) => {}
    }
}
