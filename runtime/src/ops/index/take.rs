//! Rows of an axis by integer indices (NumPy's take). The gradient is added up at the indices.

use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "take",
    doc: "The tensors at integer indices of an axis.",
    differentiable: false,
    samples: &[Sample {
        name: "rows",
        inputs: || vec![Tensor::from_slice([3, 2], &[1f32, 2., 3., 4., 5., 6.]), Tensor::from_slice([4], &[2i64, 0, 2, -1])],
        apply: |x| x[0].take(&x[1], 0),
        numpy: "np.take(a, b, 0)",
    }],
};

#[derive(Debug)]
struct Take {
    axis: usize,
}

impl Op for Take {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let (values, indices) = (inputs[0], inputs[1]);
        integers(&INFO, indices)?;
        let shape =
            values.shape[..self.axis].iter().chain(indices.shape.iter()).chain(&values.shape[self.axis + 1..]).copied().collect();
        Ok(one(Spec { dtype: values.dtype, shape }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (values, indices) = (inputs[0].to_contiguous()?, inputs[1].to_vec::<i64>());
        let size = values.shape()[self.axis];
        let inner: usize = values.shape()[self.axis + 1..].iter().product();
        let rows = indices.iter().map(|&index| counted(&INFO, index, size)).collect::<Result<Vec<usize>>>()?;
        with_dtype!(values.dtype(), T => {
            let from = values.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
                if inner == 0 {
                    return;
                }
                for (at, out) in out.chunks_exact_mut(inner).enumerate() {
                    let row = (at / rows.len() * size + rows[at % rows.len()]) * inner;
                    out.copy_from_slice(&from[row..row + inner]);
                }
            })
        })
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let (values, indices) = (&backward.inputs[0], &backward.inputs[1]);
        let (axis, size) = (self.axis, values.shape()[self.axis]);
        let g = backward.gradient();
        // Index axes are flattened into one and brought to the front, so that rows can be added up.
        let rank = values.rank() as isize;
        let sizes: Vec<usize> =
            values.shape().iter().enumerate().map(|(at, &n)| if at == axis { indices.shape().elements() } else { n }).collect();
        let rows = g.reshape(sizes).transpose(0, axis as isize);
        let added = rows.add_rows(&indices.flatten(), size).transpose(0, axis as isize);
        debug_assert_eq!(added.rank() as isize, rank);
        [Some(added), None].into_iter().collect()
    }
}

/// Refuses indices that are not integers.
pub(crate) fn integers(info: &OpInfo, indices: &Spec) -> Result<()> {
    if indices.dtype == DType::I64 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::DType, format!("{}: the indices are {indices}, not i64", info.name))
        .advise("convert with .cast(DType::I64)"))
}

/// An index counted from 0, given one that may count from the end.
pub(crate) fn counted(info: &OpInfo, index: i64, size: usize) -> Result<usize> {
    let counted = if index < 0 { index + size as i64 } else { index };
    usize::try_from(counted).ok().filter(|&counted| counted < size).ok_or_else(|| {
        Error::new(ErrorKind::Index, format!("{}: index {index} of an axis of size {size}", info.name)).advise(format!(
            "indices go from {} to {}",
            -(size as i64),
            size as i64 - 1
        ))
    })
}

impl Tensor {
    /// The tensors at `indices` (i64, any shape) of `axis`; indices and axis may count from the end.
    #[must_use]
    #[track_caller]
    pub fn take(&self, indices: &Tensor, axis: isize) -> Tensor {
        dispatch(Take { axis: self.shape().axis(axis).or_raise() }, &[self, indices])
    }
}
