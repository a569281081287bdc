//! Repeated along new axes and axes of size 1: a view. The gradient is summed over what was repeated.

use crate::dispatch::dispatch;
use crate::error::{Error, ErrorKind, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "broadcast_to",
    doc: "Repeated to a larger shape by the broadcasting rule, without a copy.",
    differentiable: true,
    samples: &[Sample {
        name: "row",
        inputs: || vec![Tensor::from_slice([1, 3], &[1f32, 2., 3.])],
        apply: |x| x[0].broadcast_to([2, 4, 3]),
        numpy: "np.broadcast_to(a, (2, 4, 3))",
    }],
};

#[derive(Debug)]
struct BroadcastTo {
    shape: Shape,
}

impl Op for BroadcastTo {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let spec = inputs[0];
        if spec.shape.broadcast(&self.shape).ok().as_ref() != Some(&self.shape) {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("broadcast_to: shape {} does not broadcast to {}", spec.shape, self.shape),
            )
            .advise("sizes, aligned at the last axis, must be equal, or 1 in the tensor"));
        }
        if self.shape.elements() == usize::MAX {
            // No memory is needed for the view, but an op on it would never end.
            return Err(Error::new(ErrorKind::Memory, format!("broadcast_to: shape {} has too many elements", self.shape)));
        }
        Ok(one(Spec { dtype: spec.dtype, shape: self.shape.clone() }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        Ok(one(inputs[0].view(inputs[0].layout().broadcast_to(&self.shape))))
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        [Some(backward.gradient().sum_to(backward.inputs[0].shape()))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }

    fn is_view(&self) -> bool {
        true
    }
}

impl Tensor {
    /// Repeated to `shape` by the broadcasting rule.
    #[must_use]
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl Into<Shape>) -> Tensor {
        self.broadcast_to_shape(shape.into())
    }

    // Not generic, so that cells compile nothing of the op.
    #[track_caller]
    fn broadcast_to_shape(&self, shape: Shape) -> Tensor {
        if *self.shape() == shape { self.clone() } else { dispatch(BroadcastTo { shape }, &[self]) }
    }
}
