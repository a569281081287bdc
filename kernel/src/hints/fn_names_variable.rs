//! A `fn` or another item that names a variable of the notebook.
//!
//! ```text
//! let rate = 0.1;
//! fn step(x: f64) -> f64 { x * rate }
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// Statements are given the variables that they name, so where a stored one is missed, it is an item that asks.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
            let State::Stored(_) = state else { return None };
            Some(format!(
                "`{name}` is a variable of the notebook, and a `fn` or other item sees only what it is given: add a parameter for it, or make it a `const` or `static`"
            ))
        })
}
