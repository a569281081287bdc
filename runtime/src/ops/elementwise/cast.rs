//! Conversion of dtype. Floats to integers truncate towards zero and saturate; anything but 0 is true. The gradient of a cast between
//! floats is cast back; through an integer or bool none flows.

use crate::device::cpu::map::unary;
use crate::dispatch::dispatch;
use crate::dtype::{DType, Element, with_dtype};
use crate::error::Result;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "cast",
    doc: "The same values as another dtype.",
    differentiable: false,
    samples: &[Sample {
        name: "to_i64",
        inputs: || vec![Tensor::from_slice([4], &[1.7f32, -1.7, 0.0, 3.0])],
        apply: |x| x[0].cast(DType::I64),
        numpy: "a.astype('int64')",
    }],
};

#[derive(Debug)]
struct Cast {
    dtype: DType,
}

impl Op for Cast {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        Ok(one(Spec { dtype: self.dtype, shape: inputs[0].shape.clone() }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        let input = &mut inputs[0];
        with_dtype!(input.dtype(), A => with_dtype!(self.dtype, B => unary::<A, B>(input, |x| {
            if B::DTYPE == DType::I64 || A::DTYPE == DType::I64 { B::from_i64(x.to_i64()) } else { B::from_f64(x.to_f64()) }
        })))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let input = &backward.inputs[0];
        let flows = input.dtype().is_float() && self.dtype.is_float();
        [flows.then(|| backward.gradient().cast(input.dtype()))].into_iter().collect()
    }
}

impl Tensor {
    /// The same values as `dtype`: floats to integers truncate towards zero; anything but 0 is true.
    #[must_use]
    #[track_caller]
    pub fn cast(&self, dtype: DType) -> Tensor {
        if self.dtype() == dtype { self.clone() } else { dispatch(Cast { dtype }, &[self]) }
    }
}
