//! A tensor's method or function with its arguments as NumPy or PyTorch take them.
//!
//! ```text
//! x.sum()
//! zeros((2, 3))
//! x[0]
//! ```

use super::Scene;

const REDUCTIONS: &[&str] = &["sum", "mean", "max", "min", "sum_keep", "mean_keep", "max_keep", "min_keep"];
const CREATION: &[&str] = &["zeros", "ones", "full", "rand", "randn", "reshape", "broadcast_to"];

/// Goes by rustc's code and by the words that it points at.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let message = scene.error.message.as_str();
    let Some(place) = scene.place() else { return Vec::new() };
    let (before, from) = place.cell.text.split_at(place.range.start);
    let name = &place.cell.text[place.range.clone()];
    let line = match scene.error.code() {
        "E0061" if REDUCTIONS.contains(&name) => {
            format!("`.{name}(())` reduces over all axes, `.{name}(0)` over one, `.{name}([0, 1])` over several")
        }
        "E0425" if name == "axis" || name == "dim" => "axes stand alone: `x.sum(0)`, or `x.sum([0, 1])`".to_owned(),
        "E0061" if name == "transpose" => "`.t()` swaps the last two axes, `.transpose(0, 1)` those two".to_owned(),
        "E0061" if CREATION.contains(&name) => "a shape is an array: `zeros([2, 3])`".to_owned(),
        "E0277" if message.contains("Shape: From<(") || message.contains("Sizes: From<(") => {
            "a shape is an array, not a tuple: `[2, 3]`".to_owned()
        }
        "E0277" if message == "`Tensor` is not an iterator" || message == "`&Tensor` is not an iterator" => {
            "`x.to_vec::<f32>()` has the values, and `(0..x.shape()[0]).map(|i| x.index(0, i as isize))` the rows".to_owned()
        }
        "E0608" if message.contains("Tensor`") => {
            "`x.index(0, 2)` is the entry 2 along axis 0, and `x.slice(0, 1..3)` those from 1 to 3".to_owned()
        }
        // `x ** 2` reads as a dereference of `*2`.
        "E0614" if before.ends_with('*') && from.starts_with('*') => {
            "Rust has no `**`: `x.pow(2.0)`, `n.pow(2)` or `y.powi(2)`".to_owned()
        }
        "" if message.ends_with("found `@`") => "the matrix product is `a.matmul(&b)`".to_owned(),
        _ => return Vec::new(),
    };
    vec![line]
}
