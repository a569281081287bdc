//! `exp(x)`; derivative `exp(x)`.

use crate::device::cpu::math::Quick as _;
use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "exp",
    doc: "Elementwise e to the power of x.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
        apply: |x| x[0].exp(),
        numpy: "np.exp(a)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Exp;

impl Unary for Exp {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 10;

    fn f32(x: f32) -> f32 {
        x.quick_exp()
    }

    fn f64(x: f64) -> f64 {
        x.quick_exp()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = x;
        g * y
    }
}

impl Tensor {
    /// Elementwise e to the power of x.
    #[must_use]
    #[track_caller]
    pub fn exp(&self) -> Tensor {
        map(Exp, self)
    }
}
