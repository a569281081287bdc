//! Sum over axes; derivative 1, so its gradient is the result's gradient broadcast. Bools count.

use crate::device::cpu::reduce::fold;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::Result;
use crate::op::reduction::Reduction;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::shape::{Axes, Shape};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "sum",
    doc: "Sum over axes; integers wrap, bools count.",
    differentiable: true,
    samples: &[
        Sample { name: "all", inputs: cube, apply: |x| x[0].sum(()), numpy: "a.sum()" },
        Sample { name: "last", inputs: cube, apply: |x| x[0].sum(-1), numpy: "a.sum(-1)" },
        Sample { name: "first_and_last", inputs: cube, apply: |x| x[0].sum([0, 2]), numpy: "a.sum((0, 2))" },
        Sample { name: "keep", inputs: cube, apply: |x| x[0].sum_keep(1), numpy: "a.sum(1, keepdims=True)" },
    ],
};

/// A tensor of shape (2, 3, 4) with distinct values in no order.
pub(crate) fn cube() -> Vec<Tensor> {
    let values: Vec<f32> = (0..24).map(|i| ((i * 7 + 3) % 24) as f32 / 4.0 - 2.5).collect();
    vec![Tensor::from_slice([2, 3, 4], &values)]
}

#[derive(Debug)]
struct Sum(Reduction);

impl Op for Sum {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        self.0.spec(&INFO, inputs[0], false).map(one)
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (input, shape) = (&inputs[0], &outputs[0].shape);
        let axes = self.0.axes(input.shape())?;
        match input.dtype() {
            DType::I64 => fold::<i64>(input, &axes, shape, 0, i64::wrapping_add),
            dtype => with_dtype!(float dtype, T => fold::<T>(input, &axes, shape, 0.0, |a, b| a + b),
                else => unreachable!("bools are cast before a sum")),
        }
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let shape = backward.inputs[0].shape();
        [Some(self.0.unreduced(backward.gradient(), shape).broadcast_to(shape))].into_iter().collect()
    }

    fn flops(&self, inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        inputs[0].shape.elements() as u64
    }
}

impl Tensor {
    /// Sum over `axes`: `()` for all, one axis, or several; they may count from the end.
    #[must_use]
    #[track_caller]
    pub fn sum(&self, axes: impl Into<Axes>) -> Tensor {
        self.sum_over(axes.into(), false)
    }

    /// Sum over `axes`, which stay with size 1.
    #[must_use]
    #[track_caller]
    pub fn sum_keep(&self, axes: impl Into<Axes>) -> Tensor {
        self.sum_over(axes.into(), true)
    }

    #[track_caller]
    fn sum_over(&self, axes: Axes, keep: bool) -> Tensor {
        let sum = Sum(Reduction { axes, keep });
        if self.dtype() == DType::Bool { dispatch(sum, &[&self.cast(DType::I64)]) } else { dispatch(sum, &[self]) }
    }

    /// Arithmetic mean over `axes`; of integers it is f32.
    #[must_use]
    #[track_caller]
    pub fn mean(&self, axes: impl Into<Axes>) -> Tensor {
        self.mean_over(axes.into(), false)
    }

    /// Arithmetic mean over `axes`, which stay with size 1.
    #[must_use]
    #[track_caller]
    pub fn mean_keep(&self, axes: impl Into<Axes>) -> Tensor {
        self.mean_over(axes.into(), true)
    }

    #[track_caller]
    fn mean_over(&self, axes: Axes, keep: bool) -> Tensor {
        let sum = if self.dtype().is_float() { self.sum_over(axes, keep) } else { self.cast(DType::F32).sum_over(axes, keep) };
        let count = self.shape().elements() as f64 / sum.shape().elements().max(1) as f64;
        sum / count
    }

    /// Summed over the axes along which `shape` was broadcast to this shape: the gradient of broadcasting.
    #[must_use]
    #[track_caller]
    pub fn sum_to(&self, shape: &Shape) -> Tensor {
        if self.shape() == shape {
            return self.clone();
        }
        let new = self.rank() - shape.rank();
        let axes: Vec<isize> = (0..self.rank())
            .filter(|&axis| axis < new || (shape[axis - new] == 1 && self.shape()[axis] != 1))
            .map(|axis| axis as isize)
            .collect();
        let sum = if axes.is_empty() { self.clone() } else { self.sum_over(axes.as_slice().into(), true) };
        sum.reshape(shape)
    }
}
