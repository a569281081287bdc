//! A variable whose type later cells can't write.
//!
//! ```text
//! let parts = some_crate::parts();
//! parts
//! ```

use super::Scene;
use crate::notebook::variables::State;

/// The type has a path, and it is private.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    scene.each_missed(|name, state| {
        let State::Unknown { type_name } = state else { return None };
        Some(format!("`{name}` has the type {type_name}, whose path later cells can't write: bind what you need of it"))
    })
}
