//! A dense layer: `x W + b`.

use crate::ops::random::uniform::uniform;
use crate::tensor::Tensor;
use crate::tensor::create::zeros;
use crate::variable::{Operand, Variable};
use std::fmt;

/// A dense layer: from the last axis, of `inputs` elements, to one of `outputs`.
///
/// ```
/// use footlight::prelude::*;
/// let layer = Linear::new(4, 2);
/// assert_eq!(layer.forward(&ones([3, 4])).shape().to_vec(), [3, 2]);
/// ```
#[derive(Clone)]
pub struct Linear {
    /// `W`, of shape `[inputs, outputs]`.
    pub weight: Variable,
    /// `b`, of shape `[outputs]`.
    pub bias: Variable,
}

impl Linear {
    /// A layer whose weights are uniform within `sqrt(6 / (inputs + outputs))`, and whose bias is zero.
    ///
    /// Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks", AISTATS 2010, (16).
    #[must_use]
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize) -> Self {
        let limit = (6.0 / (inputs + outputs) as f64).sqrt();
        Self {
            weight: Variable::new(uniform([inputs, outputs], -limit, limit)).named("weight"),
            bias: Variable::new(zeros([outputs])).named("bias"),
        }
    }

    /// The same layer, with variables called `name/weight` and `name/bias` where they are shown.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { weight: self.weight.named(format!("{name}/weight")), bias: self.bias.named(format!("{name}/bias")) }
    }

    /// `x W + b`.
    ///
    /// # Panics
    /// With a typed error that names both shapes if the last axis of `x` has not `inputs` elements.
    #[must_use]
    #[track_caller]
    pub fn forward(&self, x: &impl Operand) -> Tensor {
        x.value().matmul(&self.weight) + &self.bias
    }

    /// Its variables: weight and bias.
    #[must_use]
    pub fn variables(&self) -> Vec<Variable> {
        vec![self.weight.clone(), self.bias.clone()]
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.weight.shape();
        write!(f, "Linear({} -> {})", shape[0], shape[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor;

    #[test]
    fn it_is_a_product_and_a_sum() {
        let layer = Linear { weight: Variable::new(tensor![[1.0, 2.0], [3.0, 4.0]]), bias: Variable::new(tensor![10.0, 20.0]) };
        assert_eq!(layer.forward(&tensor![[1.0, 1.0]]).to_vec::<f32>(), [14.0, 26.0]);
        assert_eq!(format!("{layer:?}"), "Linear(2 -> 2)");
        assert_eq!(Linear::new(2, 3).named("hidden").variables()[1].name().as_deref(), Some("hidden/bias"));
    }

    #[test]
    fn first_weights_lie_within_their_limit_and_spread_over_it() {
        let weights = Linear::new(30, 24).weight.read().to_vec::<f32>();
        let limit = (6f32 / 54.0).sqrt();
        let largest = weights.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
        assert!(largest <= limit && largest > 0.95 * limit, "{largest} of {limit}");
        let mean = weights.iter().sum::<f32>() / weights.len() as f32;
        assert!(mean.abs() < 0.1 * limit, "{mean}");
    }
}
