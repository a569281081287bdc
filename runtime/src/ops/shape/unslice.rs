//! The opposite of a slice: zeros, with the tensor at a range of one axis. It is the slice's gradient, and its own is that slice.

use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
use crate::error::{Error, ErrorKind, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "unslice",
    doc: "Zeros with a tensor at every `step`-th index of an axis from `start` on.",
    differentiable: true,
    samples: &[Sample {
        name: "step",
        inputs: cube,
        apply: |x| x[0].unslice(1, 1, 2, 7),
        numpy: "(lambda z: (z.__setitem__((slice(None), slice(1, 7, 2)), a), z)[1])(np.zeros((2, 7, 4), a.dtype))",
    }],
};

#[derive(Debug)]
struct Unslice {
    axis: usize,
    start: usize,
    step: usize,
    size: usize,
}

impl Op for Unslice {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let spec = inputs[0];
        let placed = spec.shape[self.axis];
        if placed > 0 && self.start + (placed - 1) * self.step >= self.size {
            return Err(Error::new(
                ErrorKind::Shape,
                format!(
                    "unslice: {placed} indices from {} by {} do not fit an axis of size {}",
                    self.start, self.step, self.size
                ),
            ));
        }
        let shape = spec.shape.iter().enumerate().map(|(axis, &size)| if axis == self.axis { self.size } else { size }).collect();
        Ok(one(Spec { dtype: spec.dtype, shape }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let input = inputs[0].to_contiguous()?;
        let inner: usize = input.shape()[self.axis + 1..].iter().product();
        let placed = input.shape()[self.axis];
        with_dtype!(input.dtype(), T => {
            let values = input.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
                out.fill(T::default());
                if placed * inner == 0 {
                    return;
                }
                for (outer, block) in values.chunks_exact(placed * inner).enumerate() {
                    for (index, row) in block.chunks_exact(inner).enumerate() {
                        let at = (outer * self.size + self.start + index * self.step) * inner;
                        out[at..at + inner].copy_from_slice(row);
                    }
                }
            })
        })
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let placed = backward.inputs[0].shape()[self.axis];
        let end = if placed == 0 { self.start } else { self.start + (placed - 1) * self.step + 1 };
        [Some(backward.gradient().slice_step(self.axis as isize, self.start..end, self.step))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }
}

impl Tensor {
    /// Zeros with this tensor at every `step`-th index of `axis` from `start` on, `size` in all.
    #[track_caller]
    pub(crate) fn unslice(&self, axis: usize, start: usize, step: usize, size: usize) -> Tensor {
        dispatch(Unslice { axis, start, step, size }, &[self])
    }
}
