//! A variable whose `let` stood behind the statement that failed.
//!
//! ```text
//! let row: Vec<i32> = Vec::new();
//! row[4];
//! let late = 1;
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// Its cell has failed, so the user knows that something is missing, and not what.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
        let State::NotRun { in_cell } = state else { return None };
        Some(format!(
            "the statement that defines `{name}` did not run, since {in_cell} failed before it: run that cell again, or define `{name}` here"
        ))
    })
}
