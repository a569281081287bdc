//! `max(x, 0)`; derivative 1 above 0, else 0. NaN stays NaN.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "relu",
    doc: "Elementwise `max(x, 0)`.",
    differentiable: true,
    samples: &[
        Sample {
            name: "matrix",
            inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
            apply: |x| x[0].relu(),
            numpy: "np.maximum(a, 0)",
        },
        Sample {
            name: "integers",
            inputs: || vec![Tensor::from_slice([3], &[-16_777_217i64, 0, 5])],
            apply: |x| x[0].relu(),
            numpy: "np.maximum(a, 0)",
        },
    ],
};

#[derive(Clone, Copy, Debug)]
struct Relu;

impl Unary for Relu {
    const INFO: &'static OpInfo = &INFO;
    const I64: Option<fn(i64) -> i64> = Some(|x| x.max(0));
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        if x > 0.0 || x.is_nan() { x } else { 0.0 }
    }

    fn f64(x: f64) -> f64 {
        if x > 0.0 || x.is_nan() { x } else { 0.0 }
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = y;
        g * x.gt(0.0).cast(x.dtype())
    }
}

impl Tensor {
    /// Elementwise `max(x, 0)`.
    #[must_use]
    #[track_caller]
    pub fn relu(&self) -> Tensor {
        map(Relu, self)
    }
}
