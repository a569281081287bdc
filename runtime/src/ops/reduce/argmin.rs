//! Index of the first smallest element along an axis, as i64; of the first NaN if there is one. No gradient.

use crate::op::extreme::extreme_index;
use crate::op::{OpInfo, Sample};
use crate::ops::reduce::min::Smallest;
use crate::ops::reduce::sum::cube;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "argmin",
    doc: "Index of the first smallest element along an axis, as i64.",
    differentiable: false,
    samples: &[
        Sample { name: "last", inputs: cube, apply: |x| x[0].argmin(-1), numpy: "a.argmin(-1)" },
        Sample { name: "first", inputs: cube, apply: |x| x[0].argmin(0), numpy: "a.argmin(0)" },
    ],
};

impl Tensor {
    /// Index of the first smallest element along an axis, as i64. The axis may count from the end.
    #[must_use]
    #[track_caller]
    pub fn argmin(&self, axis: isize) -> Tensor {
        extreme_index::<Smallest>(self, axis)
    }
}
