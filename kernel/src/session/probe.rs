//! Asks rustc for the types of variables that the table of types does not hold, once the cell has answered.
//!
//! The next cell waits for the answer, which takes about as long as the cell's own compile run; a user who reads or types does not notice.

use std::sync::Arc;

use super::engine::State;
use crate::cell::edits::CellText;
use crate::cell::probe::answers;
use crate::cell::source::Source;
use crate::cell::types;
use crate::journal;
use crate::notebook::variables::State as Where;
use crate::rustc::{Aim, Compiled, compile};

/// Variables of a cell whose types are to be asked for.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) text: Arc<CellText>,
    pub(super) source: Arc<Source>,
    /// Their places among the plan's variables, and their names.
    pub(super) variables: Vec<(usize, String)>,
}

/// Learns what types the variables have; one that rustc can't say stays unknown.
pub(super) async fn ask(state: &mut State, question: Question) {
    let Question { text, source, variables } = question;
    let Ok(tools) = state.ready().await else { return };
    let diagnostics = match compile(&tools.toolchain, &tools.folder, text.number, &text.label, &source, Aim::Types).await {
        Ok(Compiled::Errors(diagnostics)) => diagnostics,
        Ok(Compiled::Library(_)) => return,
        Err(error) => return journal::note(error),
    };
    let items = &state.notebook.items;
    let definition = |item: &str| items.get(item).map(|unit| unit.tokens.clone());
    for (id, said) in answers(&source, &diagnostics, &text.label) {
        let Some((_, name)) = variables.iter().find(|(asked, _)| *asked == id) else { continue };
        let Some(stored) = types::read(&said, text.number, &definition) else { continue };
        if let Some(variable) = state.notebook.variables.get_mut(name) {
            variable.state = Where::Stored(stored);
        }
    }
}
