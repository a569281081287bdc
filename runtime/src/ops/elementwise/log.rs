//! `ln(x)`; derivative `1 / x`.

use crate::op::unary::{Unary, map};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "log",
    doc: "Elementwise natural logarithm; -inf at 0, NaN below.",
    differentiable: true,
    samples: &[Sample {
        name: "matrix",
        inputs: || vec![Tensor::from_slice([2, 3], &[0.1f32, 0.5, 1.0, 1.7, 2.5, 9.0])],
        apply: |x| x[0].log(),
        numpy: "np.log(a)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Log;

impl Unary for Log {
    const INFO: &'static OpInfo = &INFO;
    const FLOPS: u64 = 10;

    fn f32(x: f32) -> f32 {
        x.ln()
    }

    fn f64(x: f64) -> f64 {
        x.ln()
    }

    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor {
        let _ = y;
        g / x
    }
}

impl Tensor {
    /// Elementwise natural logarithm; -inf at 0, NaN below.
    #[must_use]
    #[track_caller]
    pub fn log(&self) -> Tensor {
        map(Log, self)
    }
}
