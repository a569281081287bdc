//! One element of each row, by an index for each row (NumPy's take_along_axis over the last axis). The gradient goes to those elements.

use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
use crate::error::{Error, ErrorKind, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::index::take::{counted, integers};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "gather",
    doc: "From each row of the last axis, the element at that row's index.",
    differentiable: false,
    samples: &[Sample {
        name: "labels",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., 4., 5., 6.]), Tensor::from_slice([2], &[2i64, 0])],
        apply: |x| x[0].gather(&x[1]),
        numpy: "np.take_along_axis(a, b[:, None], -1)[:, 0]",
    }],
};

#[derive(Debug)]
struct Gather;

impl Op for Gather {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let (values, indices) = (inputs[0], inputs[1]);
        integers(&INFO, indices)?;
        let rank = values.shape.rank();
        if rank == 0 || values.shape[..rank - 1] != indices.shape[..] {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("gather: an index for each row of {values} is needed, and the indices are {indices}"),
            )
            .advise("indices have the shape of the values without its last axis; take() picks whole rows"));
        }
        Ok(one(Spec { dtype: values.dtype, shape: indices.shape.clone() }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (values, indices) = (inputs[0].to_contiguous()?, inputs[1].to_vec::<i64>());
        let size = values.shape()[values.shape().rank() - 1];
        let at = indices.iter().map(|&index| counted(&INFO, index, size)).collect::<Result<Vec<usize>>>()?;
        with_dtype!(values.dtype(), T => {
            let from = values.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
                for (row, (out, index)) in out.iter_mut().zip(&at).enumerate() {
                    *out = from[row * size + index];
                }
            })
        })
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let (values, indices) = (&backward.inputs[0], &backward.inputs[1]);
        let classes = values.shape()[values.rank() - 1];
        let chosen = indices.one_hot(classes).cast(values.dtype());
        [Some(backward.gradient().unsqueeze(-1) * chosen), None].into_iter().collect()
    }
}

impl Tensor {
    /// From each row of the last axis the element at that row's index; `indices` (i64) have this shape without its last axis.
    #[must_use]
    #[track_caller]
    pub fn gather(&self, indices: &Tensor) -> Tensor {
        dispatch(Gather, &[self, indices])
    }
}
