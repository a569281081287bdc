//! A method of tensors called on a variable of the runtime.
//!
//! ```text
//! let w = Variable::new(ones([2]));
//! w.square()
//! ```

use super::Scene;

/// Operators take a variable as it is, so a user expects that methods do.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let error = scene.error;
    let on_variable = ["`Variable`", "`&Variable`", "`footlight::Variable`"].iter().any(|ty| error.message.contains(ty));
    let method = error.message.strip_prefix("no method named `").and_then(|rest| rest.split('`').next());
    match method {
        Some(method) if error.code() == "E0599" && on_variable => {
            vec![format!("a Variable holds a tensor, which `read` gives: `.read().{method}(…)`")]
        }
        _ => Vec::new(),
    }
}
