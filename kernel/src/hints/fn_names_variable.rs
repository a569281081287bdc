//! A `fn` or another item that names a variable, of the notebook or of its own cell.
//!
//! ```text
//! let rate = 0.1;
//! fn step(x: f64) -> f64 { x * rate }
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// Statements are given the variables that they name, so where a stored one is missed, it is an item that asks.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let advice = |name: &str| {
        format!(
            "`{name}` is a variable of the notebook, and a `fn` or other item sees only what it is given: add a parameter for it, or make it a `const` or `static`"
        )
    };
    let mut lines = scene.each_missed(|name, state| matches!(state, State::Stored(_)).then(|| advice(name)));
    let in_item = scene.place().is_some_and(|at| scene.units.iter().any(|unit| unit.range.contains(&at.range.start)));
    if in_item && scene.error.code() == "E0425" {
        let bound = scene.variables.iter().map(|variable| variable.name.as_str());
        lines.extend(bound.filter(|name| scene.names(name)).map(advice));
    }
    lines
}
