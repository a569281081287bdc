//! Index of the first largest element along an axis, as i64. No gradient.

use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::Result;
use crate::op::reduction::Reduction;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::shape::Axes;
use crate::storage::Array;
use crate::tensor::Tensor;

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
        let input = &inputs[0];
        let axis = input.shape().axis(self.axis)?;
        let order: Vec<usize> = (0..input.shape().rank()).filter(|&other| other != axis).chain([axis]).collect();
        let moved = input.view(input.layout().permute(&order)).to_contiguous()?;
        let run = input.shape()[axis];
        with_dtype!(input.dtype(), T => {
            let values = moved.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [i64]| {
                for (out, run) in out.iter_mut().zip(values.chunks_exact(run)) {
                    let mut best = 0;
                    for (index, value) in run.iter().enumerate() {
                        if *value > run[best] {
                            best = index;
                        }
                    }
                    *out = best as i64;
                }
            })
        })
        .map(one)
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
