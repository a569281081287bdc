//! `min(a, b)`; the gradient goes to the smaller, and half to each of equal ones.

use crate::op::binary::{Binary, zip};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "minimum",
    doc: "Elementwise smaller of two, broadcast; NaN if either is.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, -2., 3., 4., -5., 6.]), Tensor::from_slice([3], &[1.5f32, 2., -3.])],
        apply: |x| x[0].minimum(&x[1]),
        numpy: "np.minimum(a, b)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Minimum;

impl Binary for Minimum {
    const INFO: &'static OpInfo = &INFO;

    fn f32(a: f32, b: f32) -> f32 {
        if a.is_nan() || a < b { a } else { b }
    }

    fn f64(a: f64, b: f64) -> f64 {
        if a.is_nan() || a < b { a } else { b }
    }

    fn i64(a: i64, b: i64) -> Option<i64> {
        Some(a.min(b))
    }

    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        let _ = y;
        let share = a.lt(b).cast(a.dtype()) + a.eq(b).cast(a.dtype()) * 0.5;
        (Some(g * &share), Some(g * (1.0 - share)))
    }
}

impl Tensor {
    /// Elementwise smaller of two, broadcast; NaN if either is.
    #[must_use]
    #[track_caller]
    pub fn minimum(&self, other: impl Operand) -> Tensor {
        self.minimum_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn minimum_by(&self, other: &Tensor) -> Tensor {
        zip(Minimum, self, other)
    }
}
