//! How a view walks its storage: shape, strides and offset, in elements.
//!
//! Views (transpose, slice, broadcast) change a layout and never touch storage, so they cost nothing.

use crate::shape::Shape;
use smallvec::SmallVec;

/// Strides, in elements; 0 repeats an axis, negative walks it backwards.
pub type Strides = SmallVec<[isize; 4]>;

/// Shape, strides and offset of a view into a storage.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Sizes of the axes.
    pub shape: Shape,
    /// Elements from one index to the next, for each axis.
    pub strides: Strides,
    /// The first element's position in the storage.
    pub offset: usize,
}

impl Clone for Layout {
    // From a slice, as for a shape: cloning layouts is a good part of what a small op costs.
    #[inline]
    fn clone(&self) -> Self {
        Self { shape: self.shape.clone(), strides: SmallVec::from_slice(&self.strides), offset: self.offset }
    }
}

impl Layout {
    /// Row-major from the start of a storage.
    #[must_use]
    pub fn contiguous(shape: Shape) -> Self {
        let mut strides: Strides = SmallVec::from_elem(1, shape.rank());
        for axis in (0..shape.rank().saturating_sub(1)).rev() {
            // Wraps only for shapes of more elements than memory holds, whose strides nobody walks.
            strides[axis] = strides[axis + 1].wrapping_mul(shape[axis + 1] as isize);
        }
        Self { shape, strides, offset: 0 }
    }

    /// Whether elements lie in row-major order without gaps (sizes of 1 may have any stride).
    #[must_use]
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&size, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if size != 1 && stride != expected {
                return self.shape.elements() == 0;
            }
            expected = isize::wrapping_mul(expected, size as isize);
        }
        true
    }

    /// The same elements seen as `shape`, to which this shape broadcasts: new and repeated axes get stride 0.
    ///
    /// The caller has checked with [`Shape::broadcast`] that it does.
    #[must_use]
    pub fn broadcast_to(&self, shape: &Shape) -> Self {
        let new = shape.rank() - self.shape.rank();
        let strides = (0..shape.rank())
            .map(
                |axis| {
                    if axis < new || (self.shape[axis - new] == 1 && shape[axis] != 1) { 0 } else { self.strides[axis - new] }
                },
            )
            .collect();
        Self { shape: shape.clone(), strides, offset: self.offset }
    }

    /// The axes in the order of `order`.
    #[must_use]
    pub fn permute(&self, order: &[usize]) -> Self {
        Self {
            shape: order.iter().map(|&axis| self.shape[axis]).collect(),
            strides: order.iter().map(|&axis| self.strides[axis]).collect(),
            offset: self.offset,
        }
    }
}
