//! `|x|`; derivative `sign(x)`, 0 at 0.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "abs",
    doc: "Elementwise absolute value.",
    differentiable: true,
    samples: &[
        Sample {
            name: "matrix",
            inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
            apply: |x| x[0].abs(),
            numpy: "np.abs(a)",
        },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([3], &[-16_777_217i64, 0, 5])],
            apply: |x| x[0].abs(),
            numpy: "np.abs(a)",
        },
    ],
};

#[derive(Clone, Copy, Debug)]
struct Abs;

impl Unary for Abs {
    const INFO: &'static OpInfo = &INFO;
    const I64: Option<fn(i64) -> i64> = Some(i64::wrapping_abs);
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        x.abs()
    }

    fn f64(x: f64) -> f64 {
        x.abs()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = y;
        g * x.sign()
    }
}

impl Tensor {
    /// Elementwise absolute value.
    #[must_use]
    #[track_caller]
    pub fn abs(&self) -> Tensor {
        map(Abs, self)
    }
}
