//! Stochastic gradient descent, with momentum if asked: `v = m v + g`, `w = w - lr v`.

use super::{Optimizer, Slots};
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Gradient descent with a fixed learning rate. Cloning shares its state.
#[derive(Clone, Debug)]
pub struct Sgd {
    learning_rate: f64,
    momentum: f64,
    velocities: Slots,
}

impl Sgd {
    /// Plain gradient descent.
    #[must_use]
    pub fn new(learning_rate: f64) -> Self {
        Self { learning_rate, momentum: 0.0, velocities: Slots::default() }
    }

    /// With momentum: 0 is none, 0.9 is usual.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }
}

impl Optimizer for Sgd {
    #[track_caller]
    fn update(&self, variable: &Variable, gradient: &Tensor) {
        if self.momentum == 0.0 {
            variable.assign_sub(&(gradient * self.learning_rate));
            return;
        }
        let velocity = self.velocities.of(variable, "velocity");
        velocity.assign(&(&velocity * self.momentum + gradient));
        variable.assign_sub(&(&velocity * self.learning_rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn momentum_follows_its_formula() {
        let w = Variable::new(Tensor::from_slice([1], &[1f32]));
        let sgd = Sgd::new(0.1).momentum(0.9);
        let (mut expected, mut velocity) = (1f32, 0f32);
        for gradient in [1f32, 0.5, -2.0] {
            sgd.step(&[&w], &[Tensor::from_slice([1], &[gradient])]);
            velocity = 0.9 * velocity + gradient;
            expected -= 0.1 * velocity;
        }
        assert!((w.read().item::<f32>() - expected).abs() < 1e-6);
    }
}
