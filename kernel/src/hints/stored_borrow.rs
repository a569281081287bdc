//! A borrow used in a later cell than the one that made it.
//!
//! ```text
//! let first = &words[0];
//! first.len()
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// It lived for its cell only.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
            let State::Borrowed = state else { return None };
            Some(format!(
                "`{name}` borrows from another variable, and lived for its cell only: borrow again in this cell, or store an owned value (.clone(), .to_owned())"
            ))
        })
}
