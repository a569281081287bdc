//! `cos(x)`; derivative `-sin(x)`.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "cos",
    doc: "Elementwise cosine of an angle in radians.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[-1.5f32, -0.3, 0.2, 0.9, 1.7, 2.5])],
        apply: |x| x[0].cos(),
        numpy: "np.cos(a)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Cos;

impl Unary for Cos {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 12;

    fn f32(x: f32) -> f32 {
        x.cos()
    }

    fn f64(x: f64) -> f64 {
        x.cos()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = y;
        -(g * x.sin())
    }
}

impl Tensor {
    /// Elementwise cosine of an angle in radians.
    #[must_use]
    #[track_caller]
    pub fn cos(&self) -> Tensor {
        map(Cos, self)
    }
}
