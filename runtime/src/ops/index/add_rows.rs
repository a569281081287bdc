//! Rows added up at integer indices of a first axis: the gradient of a take. Its own gradient is that take.

use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
use crate::error::Result;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::index::take::{counted, integers};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "add_rows",
    doc: "Zeros to which rows are added at integer indices.",
    differentiable: false,
    samples: &[Sample {
        name: "twice",
        inputs: || vec![Tensor::from_slice([3, 2], &[1f32, 2., 3., 4., 5., 6.]), Tensor::from_slice([3], &[1i64, 3, 1])],
        apply: |x| x[0].add_rows(&x[1], 4),
        numpy: "(lambda z: (np.add.at(z, b, a), z)[1])(np.zeros((4, 2), a.dtype))",
    }],
};

#[derive(Debug)]
struct AddRows {
    size: usize,
}

impl Op for AddRows {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        integers(&INFO, inputs[1])?;
        let shape = std::iter::once(self.size).chain(inputs[0].shape[1..].iter().copied()).collect();
        Ok(one(Spec { dtype: inputs[0].dtype, shape }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (rows, indices) = (inputs[0].to_contiguous()?, inputs[1].to_vec::<i64>());
        let inner: usize = rows.shape()[1..].iter().product();
        let indices = indices.iter().map(|&index| counted(&INFO, index, self.size)).collect::<Result<Vec<usize>>>()?;
        with_dtype!(number rows.dtype(), T => {
            let from = rows.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
                out.fill(T::default());
                for (&index, row) in indices.iter().zip(from.chunks_exact(inner.max(1))) {
                    for (out, &value) in out[index * inner..].iter_mut().zip(row) {
                        *out += value;
                    }
                }
            })
        }, else => unreachable!("gradients are floats"))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        [Some(backward.gradient().take(&backward.inputs[1], 0)), None].into_iter().collect()
    }
}

impl Tensor {
    /// Zeros of `size` rows, to which this tensor's rows are added at `indices`.
    #[track_caller]
    pub(crate) fn add_rows(&self, indices: &Tensor, size: usize) -> Tensor {
        dispatch(AddRows { size }, &[self, indices])
    }
}
