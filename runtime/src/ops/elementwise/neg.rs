//! `-x`; derivative -1.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "neg",
    doc: "Elementwise negation.",
    differentiable: true,
    samples: &[
        Sample {
            name: "matrix",
            inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
            apply: |x| x[0].neg(),
            numpy: "-a",
        },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([3], &[-16_777_217i64, 0, 5])],
            apply: |x| x[0].neg(),
            numpy: "-a",
        },
    ],
};

#[derive(Clone, Copy, Debug)]
struct Neg;

impl Unary for Neg {
    const INFO: &'static OpInfo = &INFO;
    const I64: Option<fn(i64) -> i64> = Some(i64::wrapping_neg);
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        -x
    }

    fn f64(x: f64) -> f64 {
        -x
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = (x, y);
        -g
    }
}

impl Tensor {
    /// Elementwise negation.
    #[must_use]
    #[track_caller]
    pub fn neg(&self) -> Tensor {
        map(Neg, self)
    }
}
