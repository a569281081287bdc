//! A variable whose worker died.
//!
//! ```text
//! let x = 1;
//! std::process::abort();
//! x
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// The death itself named it, in the answer of another cell.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
        let State::Lost = state else { return None };
        Some(format!("`{name}` was lost when the worker ended: run the cell that defines it again"))
    })
}
