//! Axes in another order: a view. The gradient is permuted back.

use crate::dispatch::dispatch;
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "permute",
    doc: "The axes in another order, without a copy.",
    differentiable: true,
    samples: &[
        Sample { name: "rotate", inputs: cube, apply: |x| x[0].permute(&[2, 0, 1]), numpy: "a.transpose(2, 0, 1)" },
        Sample { name: "last_two", inputs: cube, apply: |x| x[0].t(), numpy: "a.swapaxes(-1, -2)" },
    ],
};

#[derive(Debug)]
struct Permute {
    order: Vec<usize>,
}

impl Op for Permute {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let spec = inputs[0];
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..spec.shape.rank()) {
            return Err(Error::new(ErrorKind::Axis, format!("permute by {:?} of a tensor of shape {}", self.order, spec.shape))
                .advise(format!("name each of its {} axes once", spec.shape.rank())));
        }
        Ok(one(Spec { dtype: spec.dtype, shape: self.order.iter().map(|&axis| spec.shape[axis]).collect() }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        Ok(one(inputs[0].view(inputs[0].layout().permute(&self.order))))
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let mut back = vec![0; self.order.len()];
        for (at, &axis) in self.order.iter().enumerate() {
            back[axis] = at as isize;
        }
        [Some(backward.gradient().permute(&back))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }

    fn is_view(&self) -> bool {
        true
    }
}

impl Tensor {
    /// The axes in the order of `order`; each may count from the end.
    #[must_use]
    #[track_caller]
    pub fn permute(&self, order: &[isize]) -> Tensor {
        let order = order.iter().map(|&axis| self.shape().axis(axis)).collect::<Result<_>>().or_raise();
        dispatch(Permute { order }, &[self])
    }

    /// Two axes exchanged; each may count from the end.
    #[must_use]
    #[track_caller]
    pub fn transpose(&self, a: isize, b: isize) -> Tensor {
        let (a, b) = (self.shape().axis(a).or_raise(), self.shape().axis(b).or_raise());
        let mut order: Vec<usize> = (0..self.rank()).collect();
        order.swap(a, b);
        dispatch(Permute { order }, &[self])
    }

    /// The last two axes exchanged: the transposed matrix.
    #[must_use]
    #[track_caller]
    pub fn t(&self) -> Tensor {
        self.transpose(-2, -1)
    }
}
