//! The same elements in another shape: a view where they lie in order, else one copy. The gradient is reshaped back.

use crate::dispatch::dispatch;
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::layout::Layout;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::reduce::sum::cube;
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "reshape",
    doc: "The same elements, in row-major order, in another shape.",
    differentiable: true,
    samples: &[
        Sample { name: "flat", inputs: cube, apply: |x| x[0].reshape([24]), numpy: "a.reshape(24)" },
        Sample {
            name: "of_transposed",
            inputs: cube,
            apply: |x| x[0].permute(&[2, 0, 1]).reshape([4, 6]),
            numpy: "a.transpose(2, 0, 1).reshape(4, 6)",
        },
    ],
};

#[derive(Debug)]
struct Reshape {
    shape: Shape,
}

impl Op for Reshape {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let (from, to) = (inputs[0].shape.elements(), self.shape.elements());
        if from != to {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("reshape: shape {} has {from} elements, shape {} has {to}", inputs[0].shape, self.shape),
            )
            .advise("-1 stands for the size that fits, as in x.reshape([-1, 3])"));
        }
        Ok(one(Spec { dtype: inputs[0].dtype, shape: self.shape.clone() }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        let array = inputs[0].to_contiguous()?;
        let layout = Layout { offset: array.layout().offset, ..Layout::contiguous(self.shape.clone()) };
        Ok(one(array.view(layout)))
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        [Some(backward.gradient().reshape(backward.inputs[0].shape()))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        0
    }

    fn is_view(&self) -> bool {
        true
    }
}

/// Sizes for a reshape; -1, once, stands for the size that fits.
#[derive(Clone, Debug)]
pub struct Sizes(Vec<i64>);

impl<const N: usize> From<[i64; N]> for Sizes {
    fn from(sizes: [i64; N]) -> Self {
        Self(sizes.to_vec())
    }
}

impl From<&[i64]> for Sizes {
    fn from(sizes: &[i64]) -> Self {
        Self(sizes.to_vec())
    }
}

impl From<Vec<usize>> for Sizes {
    fn from(sizes: Vec<usize>) -> Self {
        Self(sizes.into_iter().map(|size| size as i64).collect())
    }
}

impl From<Shape> for Sizes {
    fn from(shape: Shape) -> Self {
        Self::from(&shape)
    }
}

impl From<&Shape> for Sizes {
    fn from(shape: &Shape) -> Self {
        Self(shape.iter().map(|&size| size as i64).collect())
    }
}

impl From<i64> for Sizes {
    fn from(size: i64) -> Self {
        Self(vec![size])
    }
}

impl Sizes {
    /// The shape, given how many elements it must have.
    fn shape(&self, elements: usize) -> Result<Shape> {
        let wrong = |message: String| Error::new(ErrorKind::Shape, format!("reshape to {:?}: {message}", self.0));
        let known: Shape = self.0.iter().filter(|&&size| size >= 0).map(|&size| size as usize).collect();
        let known = known.elements();
        match self.0.iter().filter(|&&size| size < 0).count() {
            0 => {}
            1 if self.0.contains(&-1) && known > 0 && elements.is_multiple_of(known) => {}
            1 if self.0.contains(&-1) => {
                return Err(wrong(format!("no size for -1 gives {elements} elements, as the others give {known}")));
            }
            _ => return Err(wrong("sizes are not negative, and -1 stands once for the size that fits".to_owned())),
        }
        Ok(self.0.iter().map(|&size| if size < 0 { elements / known } else { size as usize }).collect())
    }
}

impl Tensor {
    /// The same elements in another shape; -1, once, stands for the size that fits.
    #[must_use]
    #[track_caller]
    pub fn reshape(&self, sizes: impl Into<Sizes>) -> Tensor {
        self.reshape_to(sizes.into())
    }

    #[track_caller]
    fn reshape_to(&self, sizes: Sizes) -> Tensor {
        let shape = sizes.shape(self.shape().elements()).or_raise();
        if *self.shape() == shape { self.clone() } else { dispatch(Reshape { shape }, &[self]) }
    }

    /// All elements in one axis.
    #[must_use]
    #[track_caller]
    pub fn flatten(&self) -> Tensor {
        self.reshape(-1)
    }

    /// With a new axis of size 1 before `axis`, which may count from the end (-1 adds a last axis).
    #[must_use]
    #[track_caller]
    pub fn unsqueeze(&self, axis: isize) -> Tensor {
        let mut sizes: Vec<usize> = self.shape().to_vec();
        sizes.push(1);
        let at = Shape::from(sizes.as_slice()).axis(axis).or_raise();
        sizes.pop();
        sizes.insert(at, 1);
        self.reshape(sizes)
    }

    /// Without `axis`, which has size 1 and may count from the end.
    #[must_use]
    #[track_caller]
    pub fn squeeze(&self, axis: isize) -> Tensor {
        let at = self.shape().axis(axis).or_raise();
        if self.shape()[at] != 1 {
            Error::new(
                ErrorKind::Shape,
                format!("squeeze: axis {axis} of shape {} has size {}, not 1", self.shape(), self.shape()[at]),
            )
            .advise("index() takes one of several, sum() or mean() folds them")
            .raise();
        }
        let mut sizes: Vec<usize> = self.shape().to_vec();
        sizes.remove(at);
        self.reshape(sizes)
    }
}
