//! A range of one axis, with a step: a view. The gradient is zero but for the range.

use crate::dispatch::dispatch;
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;
use std::ops::{Bound, RangeBounds};

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "slice",
    doc: "A range of an axis, with a step, without a copy.",
    differentiable: true,
    samples: &[
        Sample { name: "middle", inputs: cube, apply: |x| x[0].slice(1, 1..3), numpy: "a[:, 1:3]" },
        Sample { name: "step", inputs: cube, apply: |x| x[0].slice_step(2, 1.., 2), numpy: "a[:, :, 1::2]" },
        Sample { name: "index", inputs: cube, apply: |x| x[0].index(1, -1), numpy: "a[:, -1]" },
    ],
};

#[derive(Debug)]
struct Slice {
    axis: usize,
    start: usize,
    size: usize,
    step: usize,
}

impl Slice {
    fn shape(&self, input: &Shape) -> Shape {
        input.iter().enumerate().map(|(axis, &size)| if axis == self.axis { self.size } else { size }).collect()
    }
}

impl Op for Slice {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        Ok(one(Spec { dtype: inputs[0].dtype, shape: self.shape(&inputs[0].shape) }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        let mut layout = inputs[0].layout().clone();
        if self.size > 0 {
            layout.offset = (layout.offset as isize + self.start as isize * layout.strides[self.axis]) as usize;
        }
        layout.strides[self.axis] *= self.step as isize;
        layout.shape = self.shape(&layout.shape);
        Ok(one(inputs[0].view(layout)))
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let size = backward.inputs[0].shape()[self.axis];
        [Some(backward.gradient().unslice(self.axis, self.start, self.step, size))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }

    fn is_view(&self) -> bool {
        true
    }
}

impl Tensor {
    /// The range of `axis`, which may count from the end, as in `x.slice(0, 10..20)`.
    #[must_use]
    #[track_caller]
    pub fn slice(&self, axis: isize, range: impl RangeBounds<usize>) -> Tensor {
        self.slice_step(axis, range, 1)
    }

    /// Every `step`-th index of a range of `axis`.
    #[must_use]
    #[track_caller]
    pub fn slice_step(&self, axis: isize, range: impl RangeBounds<usize>, step: usize) -> Tensor {
        self.slice_bounds(axis, range.start_bound().cloned(), range.end_bound().cloned(), step)
    }

    #[track_caller]
    fn slice_bounds(&self, axis: isize, start: Bound<usize>, end: Bound<usize>, step: usize) -> Tensor {
        let at = self.shape().axis(axis).or_raise();
        let size = self.shape()[at];
        let start = match start {
            Bound::Included(start) => start,
            Bound::Excluded(before) => before + 1,
            Bound::Unbounded => 0,
        };
        let end = match end {
            Bound::Included(last) => last + 1,
            Bound::Excluded(end) => end,
            Bound::Unbounded => size,
        };
        if start > end || end > size || step == 0 {
            Error::new(
                ErrorKind::Index,
                format!("slice {start}..{end} step {step} of axis {axis}, of size {size}, of shape {}", self.shape()),
            )
            .advise(format!("ranges lie in 0..{size}, and steps are at least 1"))
            .raise();
        }
        dispatch(Slice { axis: at, start, size: (end - start).div_ceil(step), step }, &[self])
    }

    /// The tensor at one index of `axis`, without that axis; both may count from the end.
    #[must_use]
    #[track_caller]
    pub fn index(&self, axis: isize, index: isize) -> Tensor {
        let at = self.shape().axis(axis).or_raise();
        let size = self.shape()[at] as isize;
        let counted = if index < 0 { index + size } else { index };
        if !(0..size).contains(&counted) {
            Error::new(ErrorKind::Index, format!("index {index} of axis {axis}, of size {size}, of shape {}", self.shape()))
                .advise(if size == 0 {
                    "the axis is empty".to_owned()
                } else {
                    format!("indices go from {} to {}", -size, size - 1)
                })
                .raise();
        }
        let start = counted as usize;
        dispatch(Slice { axis: at, start, size: 1, step: 1 }, &[self]).squeeze(at as isize)
    }
}
