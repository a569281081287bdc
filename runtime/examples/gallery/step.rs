//! A training step of a small classifier: the cell whose profile the gallery shows.
use footlight::prelude::*;

/// The loss before the step.
pub(super) fn step(x: &Tensor, labels: &Tensor, w1: &Variable, b1: &Variable, w2: &Variable, b2: &Variable) -> Tensor {
    let tape = GradientTape::new();
    let hidden = (x.matmul(w1) + b1).relu();
    let logits = hidden.matmul(w2) + b2;
    let loss = -(logits.log_softmax() * labels).sum(1).mean(());

    let grads = tape.gradient(&loss, &[w1, b1, w2, b2]);
    for (variable, grad) in [w1, b1, w2, b2].into_iter().zip(&grads) {
        variable.assign_sub(&(grad * 0.1));
    }
    loss
}
