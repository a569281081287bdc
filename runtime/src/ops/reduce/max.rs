//! Largest element over axes; NaN if one is. The gradient goes to the elements that equal the result, in equal shares.

use crate::op::extreme::{End, extreme};
use crate::op::{OpInfo, Sample};
use crate::ops::reduce::argmax;
use crate::ops::reduce::sum::cube;
use crate::shape::Axes;
use crate::tensor::Tensor;
use std::cmp::Ordering;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "max",
    doc: "Largest element over axes; NaN if one is.",
    differentiable: true,
    samples: &[
        Sample { name: "all", inputs: cube, apply: |x| x[0].max(()), numpy: "a.max()" },
        Sample { name: "middle", inputs: cube, apply: |x| x[0].max(1), numpy: "a.max(1)" },
    ],
};

/// The end at which `max` and `argmax` look.
#[derive(Debug)]
pub(crate) struct Largest;

impl End for Largest {
    const PREFERS: Ordering = Ordering::Greater;
    const WORST: f64 = f64::NEG_INFINITY;

    fn beats<T: PartialOrd>(a: T, b: T) -> bool {
        a > b
    }

    fn element() -> &'static OpInfo {
        &INFO
    }

    fn index() -> &'static OpInfo {
        &argmax::INFO
    }
}

impl Tensor {
    /// Largest element over axes; NaN if one is.
    #[must_use]
    #[track_caller]
    pub fn max(&self, axes: impl Into<Axes>) -> Tensor {
        self.max_over(axes.into(), false)
    }

    /// Largest element over axes; NaN if one is. The axes stay with size 1.
    #[must_use]
    #[track_caller]
    pub fn max_keep(&self, axes: impl Into<Axes>) -> Tensor {
        self.max_over(axes.into(), true)
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn max_over(&self, axes: Axes, keep: bool) -> Tensor {
        extreme::<Largest>(self, axes, keep)
    }
}
