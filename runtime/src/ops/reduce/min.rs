//! Smallest element over axes; NaN if one is. The gradient goes to the elements that equal the result, in equal shares.

use crate::op::extreme::{End, extreme};
use crate::op::{OpInfo, Sample};
use crate::ops::reduce::argmin;
use crate::ops::reduce::sum::cube;
use crate::shape::Axes;
use crate::tensor::Tensor;
use std::cmp::Ordering;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "min",
    doc: "Smallest element over axes; NaN if one is.",
    differentiable: true,
    samples: &[
        Sample { name: "all", inputs: cube, apply: |x| x[0].min(()), numpy: "a.min()" },
        Sample { name: "middle", inputs: cube, apply: |x| x[0].min(1), numpy: "a.min(1)" },
    ],
};

/// The end at which `min` and `argmin` look.
#[derive(Debug)]
pub(crate) struct Smallest;

impl End for Smallest {
    const PREFERS: Ordering = Ordering::Less;
    const WORST: f64 = f64::INFINITY;

    fn beats<T: PartialOrd>(a: T, b: T) -> bool {
        a < b
    }

    fn element() -> &'static OpInfo {
        &INFO
    }

    fn index() -> &'static OpInfo {
        &argmin::INFO
    }
}

impl Tensor {
    /// Smallest element over axes; NaN if one is.
    #[must_use]
    #[track_caller]
    pub fn min(&self, axes: impl Into<Axes>) -> Tensor {
        self.min_over(axes.into(), false)
    }

    /// Smallest element over axes; NaN if one is. The axes stay with size 1.
    #[must_use]
    #[track_caller]
    pub fn min_keep(&self, axes: impl Into<Axes>) -> Tensor {
        self.min_over(axes.into(), true)
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn min_over(&self, axes: Axes, keep: bool) -> Tensor {
        extreme::<Smallest>(self, axes, keep)
    }
}
