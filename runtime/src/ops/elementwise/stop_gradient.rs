//! `x`, through which no gradient flows: to a tape it is a constant.

use crate::dispatch::dispatch;
use crate::error::Result;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "stop_gradient",
    doc: "The same values as a constant: no gradient flows through.",
    differentiable: false,
    samples: &[Sample {
        name: "vector",
        inputs: || vec![Tensor::from_slice([3], &[1f32, -2., 3.])],
        apply: |x| x[0].stop_gradient(),
        numpy: "a",
    }],
};

#[derive(Debug)]
struct StopGradient;

impl Op for StopGradient {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        Ok(one(inputs[0].clone()))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        Ok(one(inputs[0].clone()))
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }

    fn is_view(&self) -> bool {
        true
    }
}

impl Tensor {
    /// The same values as a constant: no gradient flows through.
    ///
    /// ```
    /// use footlight::prelude::*;
    /// let x = tensor![3.0];
    /// assert_eq!(grad(|x| x * x.stop_gradient(), &x).to_vec::<f32>(), [3.0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn stop_gradient(&self) -> Tensor {
        dispatch(StopGradient, &[self])
    }
}
