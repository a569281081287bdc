//! Adam: `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`, `w = w - lr m' / (sqrt(v') + eps)`, where `m'` and `v'` are `m` and `v`
//! divided by `1 - b^t` of the t-th step.
//!
//! Source: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

use super::{Optimizer, Slots};
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Adam. Cloning shares its state.
#[derive(Clone, Debug)]
pub struct Adam {
    learning_rate: f64,
    betas: (f64, f64),
    epsilon: f64,
    steps: Variable,
    means: Slots,
    squares: Slots,
}

impl Adam {
    /// With the paper's `b1 = 0.9`, `b2 = 0.999`, `eps = 1e-8`.
    #[must_use]
    pub fn new(learning_rate: f64) -> Self {
        Self {
            learning_rate,
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            steps: Variable::new(Tensor::scalar(0.0, DType::F32)).named("adam/steps"),
            means: Slots::default(),
            squares: Slots::default(),
        }
    }

    /// With other decay rates of the mean and of the mean square.
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Self { betas: (first, second), ..self }
    }
}

impl Optimizer for Adam {
    #[track_caller]
    fn begin_step(&self) {
        self.steps.assign_add(&Tensor::scalar(1.0, DType::F32));
    }

    #[track_caller]
    fn update(&self, variable: &Variable, gradient: &Tensor) {
        let (b1, b2) = self.betas;
        let (mean, square) = (self.means.of(variable, "mean"), self.squares.of(variable, "square"));
        mean.assign(&(&mean * b1 + gradient * (1.0 - b1)));
        square.assign(&(&square * b2 + gradient.square() * (1.0 - b2)));
        let steps = self.steps.read().cast(variable.dtype());
        let correction = |beta: f64| 1.0 - Tensor::scalar(beta, variable.dtype()).pow(&steps);
        let direction = (&mean / correction(b1)) / ((&square / correction(b2)).sqrt() + self.epsilon);
        variable.assign_sub(&(direction * self.learning_rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_papers_algorithm() {
        let w = Variable::new(Tensor::from_slice([1], &[1f32]));
        let adam = Adam::new(0.1);
        let (mut m, mut v, mut expected) = (0f64, 0f64, 1f64);
        for (t, gradient) in [1f64, 0.5, -2.0, 0.25].into_iter().enumerate() {
            adam.step(&[&w], &[Tensor::from_slice([1], &[gradient as f32])]);
            m = 0.9 * m + 0.1 * gradient;
            v = 0.999 * v + 0.001 * gradient * gradient;
            let power = t as i32 + 1;
            expected -= 0.1 * (m / (1.0 - 0.9f64.powi(power))) / ((v / (1.0 - 0.999f64.powi(power))).sqrt() + 1e-8);
        }
        assert!((w.read().item::<f64>() - expected).abs() < 1e-5, "{} against {expected}", w.read().item::<f64>());
    }
}
