//! A tensor that an operator took, and that is used again.
//!
//! ```text
//! let y = x + x;
//! ```

use super::Scene;

/// rustc speaks of clones; what a person writes is references.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let labels = || scene.error.spans.iter().filter_map(|span| span.label.as_deref());
    let taken = labels().any(|label| label.contains("moved due to usage in operator"));
    let tensor = scene
        .error
        .children
        .iter()
        .map(|child| child.message.as_str())
        .chain(labels())
        .any(|text| text.contains("has type `Tensor`") || text.contains("has type `footlight::Tensor`"));
    if scene.error.code() == "E0382" && taken && tensor {
        return vec!["an operator takes references as well, and leaves the tensors where they are: `&x + &x`".to_owned()];
    }
    Vec::new()
}
