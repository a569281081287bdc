//! `a - trunc(a / b) b`; derivatives 1 and `-trunc(a / b)`.

use crate::op::binary::{Binary, zip};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "rem",
    doc: "Elementwise remainder with the sign of the dividend, as Rust's `%`; integers by zero are an error. Also `a % b`.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || {
            vec![Tensor::from_slice([2, 3], &[7.1f32, -8.3, 9.2, 4.6, -5.5, 6.1]), Tensor::from_slice([3], &[1.5f32, 2., -3.])]
        },
        apply: |x| x[0].rem(&x[1]),
        numpy: "np.fmod(a, b)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Rem;

impl Binary for Rem {
    const INFO: &'static OpInfo = &INFO;
    const UNDEFINED: &'static str = "division by zero";

    fn f32(a: f32, b: f32) -> f32 {
        a % b
    }

    fn f64(a: f64, b: f64) -> f64 {
        a % b
    }

    fn i64(a: i64, b: i64) -> Option<i64> {
        (b != 0).then(|| a.wrapping_rem(b))
    }

    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        (Some(g.clone()), Some(-(g * ((a - y) / b))))
    }
}

impl Tensor {
    /// Elementwise remainder with the sign of the dividend, as Rust's `%`; integers by zero are an error. Also `a % b`.
    #[must_use]
    #[track_caller]
    pub fn rem(&self, other: impl Operand) -> Tensor {
        self.rem_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn rem_by(&self, other: &Tensor) -> Tensor {
        zip(Rem, self, other)
    }
}
