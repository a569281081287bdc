//! `a <= b`; false where either is NaN. No gradient.

use crate::dtype::Element;
use crate::op::compare::{Compare, compare};
use crate::op::{OpInfo, Sample};
use crate::tensor::Tensor;
use crate::variable::Operand;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "le",
    doc: "Elementwise `a <= b`, as bools.",
    differentiable: false,
    samples: &[Sample {
        name: "broadcast",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., 3., 2., 1.]), Tensor::from_slice([3], &[2f32, 2., 2.])],
        apply: |x| x[0].le(&x[1]),
        numpy: "a <= b",
    }],
};

#[derive(Clone, Copy, Debug)]
struct Le;

impl Compare for Le {
    const INFO: &'static OpInfo = &INFO;

    fn holds<T: Element>(a: T, b: T) -> bool {
        a <= b
    }
}

impl Tensor {
    /// Elementwise `a <= b`, as bools.
    #[must_use]
    #[track_caller]
    pub fn le(&self, other: impl Operand) -> Tensor {
        self.le_by(&other.beside(self))
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn le_by(&self, other: &Tensor) -> Tensor {
        compare(Le, self, other)
    }
}
