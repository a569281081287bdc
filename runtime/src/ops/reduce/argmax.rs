//! Index of the first largest element along an axis, as i64; of the first NaN if there is one. No gradient.

use crate::device::cpu::reduce::first_best;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::Result;
use crate::op::reduction::Reduction;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::shape::Axes;
use crate::storage::Array;
use crate::tensor::Tensor;
use std::cmp::Ordering;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "argmax",
    doc: "Index of the first largest element along an axis, as i64.",
    differentiable: false,
    samples: &[
        Sample { name: "last", inputs: cube, apply: |x| x[0].argmax(-1), numpy: "a.argmax(-1)" },
        Sample { name: "first", inputs: cube, apply: |x| x[0].argmax(0), numpy: "a.argmax(0)" },
    ],
};

#[derive(Debug)]
struct Argmax {
    axis: isize,
}

impl Op for Argmax {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let spec = Reduction { axes: Axes::from(self.axis), keep: false }.spec(&INFO, inputs[0], true)?;
        Ok(one(Spec { dtype: DType::I64, ..spec }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (input, shape) = (&inputs[0], &outputs[0].shape);
        let axis = input.shape().axis(self.axis)?;
        with_dtype!(input.dtype(), T => first_best::<T>(input, axis, shape, Ordering::Greater)).map(one)
    }
}

impl Tensor {
    /// Index of the first largest element along an axis, as i64. The axis may count from the end.
    #[must_use]
    #[track_caller]
    pub fn argmax(&self, axis: isize) -> Tensor {
        dispatch(Argmax { axis }, &[self])
    }
}
