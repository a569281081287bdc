//! `sqrt(x)`; derivative `1 / (2 sqrt(x))`.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "sqrt",
    doc: "Elementwise square root; NaN below 0.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[0.1f32, 0.5, 1.0, 1.7, 2.5, 9.0])],
        apply: |x| x[0].sqrt(),
        numpy: "np.sqrt(a)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Sqrt;

impl Unary for Sqrt {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 1;

    fn f32(x: f32) -> f32 {
        x.sqrt()
    }

    fn f64(x: f64) -> f64 {
        x.sqrt()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = x;
        g / (y * 2.0)
    }
}

impl Tensor {
    /// Elementwise square root; NaN below 0.
    #[must_use]
    #[track_caller]
    pub fn sqrt(&self) -> Tensor {
        map(Sqrt, self)
    }
}
