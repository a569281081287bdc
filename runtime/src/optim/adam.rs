//! Adam: `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) g^2`, `w = w - lr m' / (sqrt(v') + eps)`, where `m'` and `v'` are `m` and `v`
//! divided by `1 - b^t` of the t-th step.
//!
//! Source: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

use super::{LearningRate, Memory, Optimizer, Slots};
use crate::dtype::DType;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Adam. Cloning shares its state.
#[derive(Clone, Debug)]
pub struct Adam {
    learning_rate: LearningRate,
    betas: (f64, f64),
    epsilon: f64,
    /// Double, since `1 - b2^t` of the first steps would keep only four digits in single precision.
    steps: Variable,
    means: Slots,
    squares: Slots,
}

impl Adam {
    /// With the paper's `b1 = 0.9`, `b2 = 0.999`, `eps = 1e-8`. The rate is a number, or a variable that is read at every step.
    #[must_use]
    pub fn new(learning_rate: impl Into<LearningRate>) -> Self {
        Self {
            learning_rate: learning_rate.into(),
            betas: (0.9, 0.999),
            epsilon: 1e-8,
            steps: Variable::new(Tensor::scalar(0.0, DType::F64)).named("adam/steps"),
            means: Slots::default(),
            squares: Slots::default(),
        }
    }

    /// With other decay rates of the mean and of the mean square.
    #[must_use]
    pub fn betas(self, first: f64, second: f64) -> Self {
        Self { betas: (first, second), ..self }
    }

    /// With another number that keeps the divisor from zero.
    #[must_use]
    pub fn epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    pub(crate) fn learning_rate(&self) -> &LearningRate {
        &self.learning_rate
    }

    /// The betas.
    pub(crate) fn decay(&self) -> (f64, f64) {
        self.betas
    }

    /// Epsilon.
    pub(crate) fn divisor(&self) -> f64 {
        self.epsilon
    }

    /// How many steps were taken.
    pub(crate) fn steps(&self) -> &Variable {
        &self.steps
    }

    pub(crate) fn memory(&self) -> Vec<Memory> {
        let mut memory = self.means.memory("mean");
        memory.extend(self.squares.memory("square"));
        memory.sort_by_key(|memory| memory.value.id());
        memory
    }
}

impl Optimizer for Adam {
    fn apply(&self, pairs: &[(&Variable, &Tensor)]) {
        let (b1, b2) = self.betas;
        self.steps.assign_add(&Tensor::scalar(1.0, DType::F64));
        let steps = self.steps.read();
        // Scalars, so that the corrections and the rate cost one multiplication an element.
        let rate = self.learning_rate.times(&(1.0 / (1.0 - Tensor::scalar(b1, DType::F64).pow(&steps))));
        let correction = 1.0 / (1.0 - Tensor::scalar(b2, DType::F64).pow(&steps));
        for &(variable, gradient) in pairs {
            let (mean, square) = (self.means.of(variable, "mean"), self.squares.of(variable, "square"));
            mean.assign(&(&mean * b1 + gradient * (1.0 - b1)));
            square.assign(&(&square * b2 + gradient.square() * (1.0 - b2)));
            let dtype = variable.dtype();
            let spread = (&square * correction.cast(dtype)).sqrt() + self.epsilon;
            variable.assign_sub(&(&mean * rate.cast(dtype) / spread));
        }
    }
}
