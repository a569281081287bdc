//! Integers as rows with a 1 at their index. No gradient.

use crate::dispatch::dispatch;
use crate::dtype::DType;
use crate::error::Result;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::index::take::{counted, integers};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "one_hot",
    doc: "Integers as f32 rows that are 1 at the integer and 0 elsewhere.",
    differentiable: false,
    samples: &[Sample {
        name: "labels",
        inputs: || vec![Tensor::from_slice([3], &[2i64, 0, 1])],
        apply: |x| x[0].one_hot(4),
        numpy: "np.eye(4, dtype='float32')[a]",
    }],
};

#[derive(Debug)]
struct OneHot {
    classes: usize,
}

impl Op for OneHot {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        integers(&INFO, inputs[0])?;
        Ok(one(Spec { dtype: DType::F32, shape: inputs[0].shape.iter().copied().chain([self.classes]).collect() }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let labels = inputs[0].to_vec::<i64>();
        let at = labels.iter().map(|&label| counted(&INFO, label, self.classes)).collect::<Result<Vec<usize>>>()?;
        Array::build(outputs[0].shape.clone(), |out: &mut [f32]| {
            out.fill(0.0);
            for (row, label) in at.into_iter().enumerate() {
                out[row * self.classes + label] = 1.0;
            }
        })
        .map(one)
    }
}

impl Tensor {
    /// These integers as f32 rows of `classes` elements: 1 at the integer, 0 elsewhere.
    #[must_use]
    #[track_caller]
    pub fn one_hot(&self, classes: usize) -> Tensor {
        dispatch(OneHot { classes }, &[self])
    }
}
