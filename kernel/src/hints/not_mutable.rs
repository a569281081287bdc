//! A change to a variable that an earlier cell defined without `mut`.
//!
//! ```text
//! let total = 1;
//! total += 1;
//! ```

use super::Scene;

/// rustc's own suggestion would stand in generated text.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    if !matches!(scene.error.code(), "E0596" | "E0594" | "E0384") {
        return Vec::new();
    }
    let fixed = scene.notebook.variables.iter().filter(|(name, known)| !known.mutable && scene.names(name));
    fixed.map(|(name, _)| format!("`{name}` was defined without `mut`: write `let mut {name} = {name};` first")).collect()
}
