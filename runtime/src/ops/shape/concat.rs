//! Tensors joined along an axis. The gradient is split again.

use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "concat",
    doc: "Tensors joined along an axis that they have.",
    differentiable: true,
    samples: &[
        Sample { name: "columns", inputs: pair, apply: |x| concat(&[&x[0], &x[1]], 1), numpy: "np.concatenate([a, b], 1)" },
        Sample { name: "stack", inputs: pair, apply: |x| stack(&[&x[0], &x[0]], 1), numpy: "np.stack([a, a], 1)" },
    ],
};

fn pair() -> Vec<Tensor> {
    vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., 4., 5., 6.]), Tensor::from_slice([2, 1], &[7f32, 8.])]
}

#[derive(Debug)]
struct Concat {
    axis: usize,
}

impl Op for Concat {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let first = inputs[0];
        let mut sizes: Vec<usize> = first.shape.to_vec();
        for spec in &inputs[1..] {
            let fits = spec.shape.rank() == sizes.len()
                && (0..sizes.len()).all(|axis| axis == self.axis || spec.shape[axis] == sizes[axis]);
            if !fits || spec.dtype != first.dtype {
                return Err(Error::new(
                    ErrorKind::Shape,
                    format!("concat along axis {}: {first} and {spec} do not fit", self.axis),
                )
                .advise("dtypes, and sizes of all other axes, must be equal"));
            }
            sizes[self.axis] += spec.shape[self.axis];
        }
        Ok(one(Spec { dtype: first.dtype, shape: sizes.into() }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let arrays = inputs.iter().map(Array::to_contiguous).collect::<Result<Vec<_>>>()?;
        with_dtype!(outputs[0].dtype, T => Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
            let outer: usize = outputs[0].shape[..self.axis].iter().product();
            let mut at = 0;
            for index in 0..outer {
                for array in &arrays {
                    let run: usize = array.shape()[self.axis..].iter().product();
                    let values = array.as_slice::<T>().unwrap_or_default();
                    out[at..at + run].copy_from_slice(&values[index * run..(index + 1) * run]);
                    at += run;
                }
            }
        }))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let mut start = 0;
        let axis = self.axis as isize;
        backward
            .inputs
            .iter()
            .map(|input| {
                let end = start + input.shape()[self.axis];
                let part = backward.gradient().slice(axis, start..end);
                start = end;
                Some(part)
            })
            .collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }
}

#[track_caller]
fn first<'a>(tensors: &[&'a Tensor], op: &str) -> &'a Tensor {
    let none = || Error::new(ErrorKind::Shape, format!("{op} of no tensors")).advise("give at least one");
    tensors.first().ok_or_else(none).or_raise()
}

/// The tensors joined along `axis`, which may count from the end.
///
/// # Panics
/// With a typed error if dtypes or sizes of other axes differ, or there are no tensors.
#[must_use]
#[track_caller]
pub fn concat(tensors: &[&Tensor], axis: isize) -> Tensor {
    let axis = first(tensors, "concat").shape().axis(axis).or_raise();
    dispatch(Concat { axis }, tensors)
}

/// The tensors, all of one shape, joined along a new axis before `axis`.
///
/// # Panics
/// As [`concat`].
#[must_use]
#[track_caller]
pub fn stack(tensors: &[&Tensor], axis: isize) -> Tensor {
    first(tensors, "stack");
    let grown: Vec<Tensor> = tensors.iter().map(|tensor| tensor.unsqueeze(axis)).collect();
    let at = if axis < 0 { axis + grown[0].rank() as isize } else { axis };
    concat(&grown.iter().collect::<Vec<_>>(), at)
}

impl Tensor {
    /// Equal parts along `axis`.
    ///
    /// # Panics
    /// With a typed error if the axis does not divide into `parts`.
    #[must_use]
    #[track_caller]
    pub fn split(&self, parts: usize, axis: isize) -> Vec<Tensor> {
        let size = self.shape()[self.shape().axis(axis).or_raise()];
        if parts == 0 || !size.is_multiple_of(parts) {
            Error::new(ErrorKind::Shape, format!("split of axis {axis}, of size {size}, into {parts} equal parts"))
                .advise("use slice() for parts of unequal size")
                .raise();
        }
        (0..parts).map(|part| self.slice(axis, part * (size / parts)..(part + 1) * (size / parts))).collect()
    }
}
