//! A variable that an earlier cell moved away.
//!
//! ```text
//! let v = vec![1];
//! let w = v;
//! v.len()
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// Within a cell rustc says so itself; across cells the name is just gone.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
        let State::Moved { by } = state else { return None };
        Some(format!("`{name}` was moved away in {by}: define it again, or give `{name}.clone()` away there"))
    })
}
