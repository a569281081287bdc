//! `a / b`; derivatives `1 / b` and `-a / b^2`.

use crate::op::binary::{Binary, zip};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "div",
    doc: "Elementwise quotient, broadcast; integers truncate towards zero, and their division by zero is an error. Also `a / b`.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, -2., 3., 4., -5., 6.]), Tensor::from_slice([3], &[1.5f32, 2., -3.])],
        apply: |x| x[0].div(&x[1]),
        numpy: "a / b",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Div;

impl Binary for Div {
    const INFO: &'static OpInfo = &INFO;
    const UNDEFINED: &'static str = "division by zero";

    fn f32(a: f32, b: f32) -> f32 {
        a / b
    }

    fn f64(a: f64, b: f64) -> f64 {
        a / b
    }

    fn i64(a: i64, b: i64) -> Option<i64> {
        (b != 0).then(|| a.wrapping_div(b))
    }

    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        let _ = a;
        (Some(g / b), Some(-(g * y / b)))
    }
}

impl Tensor {
    /// Elementwise quotient, broadcast; integers truncate towards zero, and their division by zero is an error. Also `a / b`.
    #[must_use]
    #[track_caller]
    pub fn div(&self, other: impl Operand) -> Tensor {
        self.div_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn div_by(&self, other: &Tensor) -> Tensor {
        zip(Div, self, other)
    }
}
