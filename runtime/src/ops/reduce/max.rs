//! Largest element over axes; NaN if one is. The gradient goes to the elements that equal the result, in equal shares.

use crate::device::cpu::reduce::fold;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::Result;
use crate::op::reduction::Reduction;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::shape::Axes;
use crate::storage::Array;
use crate::tensor::Tensor;

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

#[derive(Debug)]
struct Max(Reduction);

impl Op for Max {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        self.0.spec(&INFO, inputs[0], true).map(one)
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (input, shape) = (&inputs[0], &outputs[0].shape);
        let axes = self.0.axes(input.shape())?;
        match input.dtype() {
            DType::I64 => fold::<i64>(input, &axes, shape, i64::MIN, i64::max),
            dtype => with_dtype!(float dtype, T => fold::<T>(input, &axes, shape, T::NEG_INFINITY, |a, b| if b.is_nan() || b > a { b } else { a }),
                else => unreachable!("bools are cast before a max")),
        }
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let input = &backward.inputs[0];
        let shape = input.shape();
        let chosen = input.eq(self.0.unreduced(&backward.outputs[0], shape)).cast(input.dtype());
        let axes = Reduction { axes: self.0.axes.clone(), keep: true };
        let shares = &chosen / chosen.sum_keep(axes.axes);
        [Some(self.0.unreduced(backward.gradient(), shape) * shares)].into_iter().collect()
    }

    fn flops(&self, inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        inputs[0].shape.elements() as u64
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

    #[track_caller]
    fn max_over(&self, axes: Axes, keep: bool) -> Tensor {
        let op = Max(Reduction { axes, keep });
        if self.dtype() == DType::Bool { dispatch(op, &[&self.cast(DType::I64)]) } else { dispatch(op, &[self]) }
    }
}
