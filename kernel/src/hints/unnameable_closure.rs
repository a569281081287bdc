//! A closure, or another value whose type has no name, used in a later cell.
//!
//! ```text
//! let double = |x: i32| 2 * x;
//! double(2)
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// It lived for its cell only.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
            let State::Unnameable { type_name } = state else { return None };
            let what = if type_name.contains("{{closure}}") { "closure, whose type has" } else { "value of a type that has" };
            Some(format!(
                "`{name}` is a {what} no name, so it lives for its cell only: use it there, write a `fn`, or put it into a Box<dyn Fn…>"
            ))
        })
}
