//! Learning rates: a number, or a variable that changes between steps, also of a staged step that was traced long ago.

use crate::shape::Shape;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// How far a step goes, made from a number or a scalar variable.
///
/// ```
/// use footlight::prelude::*;
/// let rate = Variable::new(scalar(0.1));
/// let sgd = Sgd::new(&rate);
/// let w = Variable::new(tensor![1.0]);
/// sgd.step(&[&w], &[tensor![1.0]]);
/// rate.assign(&scalar(0.5));
/// sgd.step(&[&w], &[tensor![1.0]]);
/// assert!((w.read().item::<f32>() - 0.4).abs() < 1e-6);
/// ```
#[derive(Clone, Debug)]
pub enum LearningRate {
    /// The same at every step.
    Fixed(f64),
    /// Read at every step; it has one element.
    Variable(Variable),
}

impl LearningRate {
    /// `tensor` times the rate.
    #[track_caller]
    pub(super) fn times(&self, tensor: &Tensor) -> Tensor {
        match self {
            Self::Fixed(rate) => tensor * *rate,
            Self::Variable(rate) => tensor * rate.read().cast(tensor.dtype()).reshape(Shape::scalar()),
        }
    }
}

impl From<f64> for LearningRate {
    fn from(rate: f64) -> Self {
        Self::Fixed(rate)
    }
}

impl From<Variable> for LearningRate {
    fn from(rate: Variable) -> Self {
        Self::Variable(rate)
    }
}

impl From<&Variable> for LearningRate {
    fn from(rate: &Variable) -> Self {
        Self::Variable(rate.clone())
    }
}
