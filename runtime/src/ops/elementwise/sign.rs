//! `sign(x)`, 0 at 0 and NaN at NaN; its gradient is 0.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "sign",
    doc: "Elementwise sign: -1, 0 or 1.",
    differentiable: true,
    samples: &[
        Sample {
            name: "matrix",
            inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
            apply: |x| x[0].sign(),
            numpy: "np.sign(a)",
        },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([3], &[-16_777_217i64, 0, 5])],
            apply: |x| x[0].sign(),
            numpy: "np.sign(a)",
        },
    ],
};

#[derive(Clone, Copy, Debug)]
struct Sign;

impl Unary for Sign {
    const INFO: &'static OpInfo = &INFO;
    const I64: Option<fn(i64) -> i64> = Some(i64::signum);
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        if x == 0.0 || x.is_nan() { x } else { x.signum() }
    }

    fn f64(x: f64) -> f64 {
        if x == 0.0 || x.is_nan() { x } else { x.signum() }
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = (x, y);
        g * 0.0
    }
}

impl Tensor {
    /// Elementwise sign: -1, 0 or 1.
    #[must_use]
    #[track_caller]
    pub fn sign(&self) -> Tensor {
        map(Sign, self)
    }
}
