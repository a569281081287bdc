//! A comparison operator between tensors, which Rust allows to give a `bool` only.
//!
//! ```text
//! if loss < 0.1 { … }
//! ```

use super::Scene;

/// Each operator and the method that compares element by element.
const METHODS: &[(&str, &str)] = &[("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge"), ("==", "eq"), ("!=", "ne")];

/// NumPy's and PyTorch's users expect the operators.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let message = &scene.error.message;
    let on_tensor = message.contains("Tensor`") && scene.error.code() == "E0369";
    let operator = message.strip_prefix("binary operation `").and_then(|rest| rest.split('`').next());
    let method = METHODS.iter().find(|(symbol, _)| on_tensor && Some(*symbol) == operator);
    method
        .map(|(symbol, method)| {
            format!(
                "`.{method}(…)` compares tensors element by element; for a Rust condition read the number: `a.item::<f64>() {symbol} 1.0`"
            )
        })
        .into_iter()
        .collect()
}
