//! Gradients of functions, without a tape in sight.

use super::{GradientTape, Source, Sources};
use crate::context::asked_at;
use crate::error::Place;
use crate::tensor::Tensor;

/// The value of `f`, and its gradients with respect to `sources`: variables, or tensors that `f` uses. They come back in the form of
/// the sources, see [`Sources`].
///
/// ```
/// use footlight::prelude::*;
/// let w = Variable::new(tensor![2.0, 3.0]);
/// let x = tensor![10.0, 20.0];
/// let (loss, (dw, dx)) = value_and_grad(|| (&w * &x).sum(()), (&w, &x));
/// assert_eq!(loss.item::<f32>(), 80.0);
/// assert_eq!(dw.to_vec::<f32>(), [10.0, 20.0]);
/// assert_eq!(dx.to_vec::<f32>(), [2.0, 3.0]);
/// ```
///
/// # Panics
/// As [`GradientTape::gradient`].
#[must_use]
#[track_caller]
pub fn value_and_grad<S: Sources>(f: impl FnOnce() -> Tensor, sources: S) -> (Tensor, S::Gradients) {
    let tape = GradientTape::new();
    watch(&tape, &sources.list());
    let value = f();
    let gradients = tape.gradient(&value, sources);
    (value, gradients)
}

#[track_caller]
fn watch(tape: &GradientTape, sources: &[&dyn Source]) {
    let _asked = asked_at(Place::caller());
    for source in sources {
        source.watch(tape);
    }
}

/// The gradient of `f` at `x`: of the spec of `x`; of the sum of the elements of `f(x)` if that is not a scalar.
///
/// ```
/// use footlight::prelude::*;
/// let slope = |x: &Tensor| grad(|x| x.sin(), x);
/// let curve = grad(|x| slope(x), &scalar(0.0)); // the derivative of the derivative: -sin(0)
/// assert_eq!(curve.item::<f32>(), 0.0);
/// ```
///
/// # Panics
/// As [`GradientTape::gradient`].
#[must_use]
#[track_caller]
pub fn grad(f: impl FnOnce(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    value_and_grad(|| f(x), x).1
}
