//! `a - b`; derivatives 1 and -1.

use crate::op::binary::{Binary, zip};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "sub",
    doc: "Elementwise difference, broadcast; integers wrap. Also `a - b`.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, -2., 3., 4., -5., 6.]), Tensor::from_slice([3], &[1.5f32, 2., -3.])],
        apply: |x| x[0].sub(&x[1]),
        numpy: "a - b",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Sub;

impl Binary for Sub {
    const INFO: &'static OpInfo = &INFO;

    fn f32(a: f32, b: f32) -> f32 {
        a - b
    }

    fn f64(a: f64, b: f64) -> f64 {
        a - b
    }

    fn i64(a: i64, b: i64) -> Option<i64> {
        Some(a.wrapping_sub(b))
    }

    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        let _ = (a, b, y);
        (Some(g.clone()), Some(-g))
    }
}

impl Tensor {
    /// Elementwise difference, broadcast; integers wrap. Also `a - b`.
    #[must_use]
    #[track_caller]
    pub fn sub(&self, other: impl Operand) -> Tensor {
        self.sub_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn sub_by(&self, other: &Tensor) -> Tensor {
        zip(Sub, self, other)
    }
}
