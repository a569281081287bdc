//! The logistic function `1 / (1 + exp(-x))`; derivative `y (1 - y)`. For large negative x, exp(-x) is infinite and the result 0, as it should be.

use crate::device::cpu::math::Quick as _;
use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "sigmoid",
    doc: "Elementwise logistic function, `1 / (1 + exp(-x))`.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
        apply: |x| x[0].sigmoid(),
        numpy: "1 / (1 + np.exp(-a))",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Sigmoid;

impl Unary for Sigmoid {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 12;

    fn f32(x: f32) -> f32 {
        1.0 / (1.0 + (-x).quick_exp())
    }

    fn f64(x: f64) -> f64 {
        1.0 / (1.0 + (-x).quick_exp())
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = x;
        g * (y * (1.0 - y))
    }
}

impl Tensor {
    /// Elementwise logistic function, `1 / (1 + exp(-x))`.
    #[must_use]
    #[track_caller]
    pub fn sigmoid(&self) -> Tensor {
        map(Sigmoid, self)
    }
}
