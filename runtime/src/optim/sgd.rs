//! Stochastic gradient descent, with momentum if asked: `v = m v + g`, `w = w - lr v`.
//!
//! Source: Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML 2013, as PyTorch and optax write it:
//! the rate is outside of the velocity.

use super::{LearningRate, Memory, Optimizer, Slots};
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Gradient descent. Cloning shares its state.
#[derive(Clone, Debug)]
pub struct Sgd {
    learning_rate: LearningRate,
    momentum: f64,
    velocities: Slots,
}

impl Sgd {
    /// Plain gradient descent. The rate is a number, or a variable that is read at every step.
    #[must_use]
    pub fn new(learning_rate: impl Into<LearningRate>) -> Self {
        Self { learning_rate: learning_rate.into(), momentum: 0.0, velocities: Slots::default() }
    }

    /// With momentum: 0 is none, 0.9 is usual.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }

    pub(crate) fn learning_rate(&self) -> &LearningRate {
        &self.learning_rate
    }

    /// The momentum.
    pub(crate) fn mass(&self) -> f64 {
        self.momentum
    }

    pub(crate) fn memory(&self) -> Vec<Memory> {
        self.velocities.memory("velocity")
    }
}

impl Optimizer for Sgd {
    fn apply(&self, pairs: &[(&Variable, &Tensor)]) {
        for &(variable, gradient) in pairs {
            if self.momentum == 0.0 {
                variable.assign_sub(&self.learning_rate.times(gradient));
                continue;
            }
            let velocity = self.velocities.of(variable, "velocity");
            velocity.assign(&(&velocity * self.momentum + gradient));
            variable.assign_sub(&self.learning_rate.times(&velocity.read()));
        }
    }
}
