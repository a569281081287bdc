//! `x^2`; derivative `2 x`.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "square",
    doc: "Elementwise `x * x`.",
    differentiable: true,
    samples: &[
        Sample {
            name: "matrix",
            inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
            apply: |x| x[0].square(),
            numpy: "np.square(a)",
        },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([3], &[-16_777_217i64, 0, 5])],
            apply: |x| x[0].square(),
            numpy: "np.square(a)",
        },
    ],
};

#[derive(Clone, Copy, Debug)]
struct Square;

impl Unary for Square {
    const INFO: &'static OpInfo = &INFO;
    const I64: Option<fn(i64) -> i64> = Some(|x| x.wrapping_mul(x));
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        x * x
    }

    fn f64(x: f64) -> f64 {
        x * x
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = y;
        g * (x * 2.0)
    }
}

impl Tensor {
    /// Elementwise `x * x`.
    #[must_use]
    #[track_caller]
    pub fn square(&self) -> Tensor {
        map(Square, self)
    }
}
