//! `a^b`; derivatives `b a^(b-1)` and `ln(a) a^b`, the second 0 where a is not above 0.

use crate::op::binary::{Binary, zip};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "pow",
    doc: "Elementwise power, broadcast. Integers to a negative power are an error.",
    differentiable: true,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., 4., 0.5, 1.6]), Tensor::from_slice([3], &[1.5f32, 2., -3.])],
        apply: |x| x[0].pow(&x[1]),
        numpy: "np.power(a, b)",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Pow;

impl Binary for Pow {
    const INFO: &'static OpInfo = &INFO;
    const UNDEFINED: &'static str = "a negative power of an integer";

    fn f32(a: f32, b: f32) -> f32 {
        a.powf(b)
    }

    fn f64(a: f64, b: f64) -> f64 {
        a.powf(b)
    }

    fn i64(a: i64, b: i64) -> Option<i64> {
        u32::try_from(b).ok().map(|b| a.wrapping_pow(b))
    }

    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>) {
        let zero = Tensor::scalar(0.0, a.dtype());
        let positive = a.gt(&zero);
        let log = positive.where_(&positive.where_(a, &Tensor::scalar(1.0, a.dtype())).log(), &zero);
        (Some(g * (b * a.pow(&(b - 1.0)))), Some(g * (log * y)))
    }
}

impl Tensor {
    /// Elementwise power, broadcast. Integers to a negative power are an error.
    #[must_use]
    #[track_caller]
    pub fn pow(&self, other: impl Operand) -> Tensor {
        self.pow_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn pow_by(&self, other: &Tensor) -> Tensor {
        zip(Pow, self, other)
    }
}
