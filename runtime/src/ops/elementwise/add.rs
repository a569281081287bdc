//! Addition with broadcasting: `a + b`. Dtypes promote; bool adds as "or" (NumPy's rule).

use crate::device::cpu::map::binary;
use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
use crate::error::Result;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "add",
    doc: "Elementwise sum of two tensors, broadcast to one shape.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., 4., 5., 6.]), Tensor::from_slice([3], &[10f32, 20., 30.])],
        apply: |x| x[0].add(&x[1]),
        numpy: "a + b",
    }],
};

#[derive(Debug)]
struct Add;

impl Op for Add {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        inputs[0]
            .shape
            .broadcast(&inputs[1].shape)
            .map(|shape| one(Spec { dtype: inputs[0].dtype.promote(inputs[1].dtype), shape }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let [a, b] = inputs else { unreachable!("add has two inputs") };
        with_dtype!(number outputs[0].dtype, T => binary::<T, T>(a, b, &outputs[0].shape, |a, b| a + b),
            else => binary::<bool, bool>(a, b, &outputs[0].shape, |a, b| a | b))
        .map(one)
    }
}

impl Tensor {
    /// Elementwise sum, broadcast: also `a + b`.
    #[must_use]
    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        dispatch(Add, &[self, other])
    }
}
