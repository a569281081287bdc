//! `tanh(x)`; derivative `1 - tanh(x)^2`.

use crate::device::cpu::math::Quick as _;
use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "tanh",
    doc: "Elementwise hyperbolic tangent.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
        apply: |x| x[0].tanh(),
        numpy: "np.tanh(a)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Tanh;

impl Unary for Tanh {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 12;

    fn f32(x: f32) -> f32 {
        x.quick_tanh()
    }

    fn f64(x: f64) -> f64 {
        x.quick_tanh()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = x;
        g * (1.0 - y * y)
    }
}

impl Tensor {
    /// Elementwise hyperbolic tangent.
    #[must_use]
    #[track_caller]
    pub fn tanh(&self) -> Tensor {
        map(Tanh, self)
    }
}
