//! Index of the first largest element along an axis, as i64; of the first NaN if there is one. No gradient.

use crate::op::extreme::extreme_index;
use crate::op::{OpInfo, Sample};
use crate::ops::reduce::max::Largest;
use crate::ops::reduce::sum::cube;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "argmax",
    doc: "Index of the first largest element along an axis, as i64.",
    differentiable: false,
    samples: &[
        Sample { name: "last", inputs: cube, apply: |x| x[0].argmax(-1), numpy: "a.argmax(-1)" },
        Sample { name: "first", inputs: cube, apply: |x| x[0].argmax(0), numpy: "a.argmax(0)" },
    ],
};

impl Tensor {
    /// Index of the first largest element along an axis, as i64. The axis may count from the end.
    #[must_use]
    #[track_caller]
    pub fn argmax(&self, axis: isize) -> Tensor {
        extreme_index::<Largest>(self, axis)
    }
}
