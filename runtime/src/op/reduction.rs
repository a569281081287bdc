//! The shape of a reduction: axes folded away, or kept with size 1.

use crate::error::{Error, ErrorKind, Result};
use crate::op::{OpInfo, Spec};
use crate::shape::{Axes, Shape};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// Which axes are reduced, and whether they stay with size 1.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    pub(crate) axes: Axes,
    pub(crate) keep: bool,
}

impl Reduction {
    /// The axes counted from 0, in order.
    pub(crate) fn axes(&self, shape: &Shape) -> Result<SmallVec<[usize; 4]>> {
        self.axes.of(shape)
    }

    /// The result's shape.
    pub(crate) fn shape(&self, input: &Shape) -> Result<Shape> {
        let axes = self.axes(input)?;
        Ok(input
            .iter()
            .enumerate()
            .filter_map(|(axis, &size)| if axes.contains(&axis) { self.keep.then_some(1) } else { Some(size) })
            .collect())
    }

    /// The result's spec; `nonempty` refuses axes without elements, which have no maximum.
    pub(crate) fn spec(&self, info: &OpInfo, input: &Spec, nonempty: bool) -> Result<Spec> {
        let shape = self.shape(&input.shape).map_err(|error| error.of(info.name))?;
        let axes = self.axes(&input.shape)?;
        if nonempty && axes.iter().any(|&axis| input.shape[axis] == 0) {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("{} over an axis without elements of a tensor of shape {}", info.name, input.shape),
            )
            .advise("check that the tensor is not empty first"));
        }
        Ok(Spec { dtype: input.dtype, shape })
    }

    /// A result or its gradient seen with the reduced axes, of size 1, so that it broadcasts against the input.
    #[track_caller]
    pub(crate) fn unreduced(&self, result: &Tensor, input: &Shape) -> Tensor {
        if self.keep {
            return result.clone();
        }
        // The axes were checked when the op was applied.
        let axes = self.axes(input).unwrap_or_default();
        result
            .reshape(input.iter().enumerate().map(|(axis, &size)| if axes.contains(&axis) { 1 } else { size }).collect::<Shape>())
    }
}
