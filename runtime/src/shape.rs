//! Shapes: sizes of axes, broadcasting, and axes counted from the end.
//!
//! The rules are NumPy's; the errors name both shapes.

use crate::error::{Error, ErrorKind, Result};
use smallvec::SmallVec;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// The sizes of a tensor's axes, outermost first. A scalar has none.
#[derive(PartialEq, Eq, Hash, Default)]
pub struct Shape(ManuallyDrop<SmallVec<[usize; 4]>>);

impl Clone for Shape {
    // From a slice: that copies bytes, where SmallVec's own clone walks them.
    #[inline]
    fn clone(&self) -> Self {
        Self::new(SmallVec::from_slice(&self.0))
    }
}

impl Drop for Shape {
    // Not inlined, so that a cell that mentions a shape does not compile the drop of its parts.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped once, here; the field is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}

impl Shape {
    fn new(sizes: SmallVec<[usize; 4]>) -> Self {
        Self(ManuallyDrop::new(sizes))
    }

    /// The shape of a scalar.
    #[must_use]
    pub fn scalar() -> Self {
        Self::default()
    }

    /// How many elements a tensor of this shape has; `usize::MAX` if they are more than that, which no memory holds.
    #[must_use]
    #[inline]
    pub fn elements(&self) -> usize {
        self.0.iter().fold(1, |product, &size| product.saturating_mul(size))
    }

    /// How many axes.
    #[must_use]
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The axis counted from 0, given one that may count from the end (-1 is the last).
    ///
    /// # Errors
    /// An [`ErrorKind::Axis`] if there is no such axis.
    pub fn axis(&self, axis: isize) -> Result<usize> {
        let rank = self.rank() as isize;
        let counted = if axis < 0 { axis + rank } else { axis };
        if (0..rank).contains(&counted) {
            Ok(counted as usize)
        } else {
            Err(Error::new(ErrorKind::Axis, format!("axis {axis} of a tensor of shape {self}, which has {rank} axes")).advise(
                if rank == 0 { "a scalar has no axes".to_owned() } else { format!("axes go from {} to {}", -rank, rank - 1) },
            ))
        }
    }

    /// The shape that both broadcast to: aligned at the last axis, sizes equal or 1.
    ///
    /// # Errors
    /// An [`ErrorKind::Shape`] that names both shapes and the first axis that does not fit.
    pub fn broadcast(&self, other: &Self) -> Result<Self> {
        if self == other {
            return Ok(self.clone());
        }
        let rank = self.rank().max(other.rank());
        let size = |shape: &Self, from_end: usize| {
            if from_end < shape.rank() { shape[shape.rank() - 1 - from_end] } else { 1 }
        };
        let mut sizes: SmallVec<[usize; 4]> = SmallVec::with_capacity(rank);
        for from_end in (0..rank).rev() {
            sizes.push(match (size(self, from_end), size(other, from_end)) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                (a, b) => {
                    return Err(Error::new(
                        ErrorKind::Shape,
                        format!("shapes {self} and {other} do not broadcast: {a} against {b} at axis -{}", from_end + 1),
                    )
                    .advise("sizes, aligned at the last axis, must be equal or 1; reshape or unsqueeze one operand"));
                }
            });
        }
        Ok(Self::new(sizes))
    }
}

impl Deref for Shape {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(sizes: I) -> Self {
        Self::new(sizes.into_iter().collect())
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(sizes: [usize; N]) -> Self {
        sizes.as_slice().into()
    }
}

impl From<&[usize]> for Shape {
    // Not generic, so that cells call it and compile nothing.
    fn from(sizes: &[usize]) -> Self {
        Self::new(SmallVec::from_slice(sizes))
    }
}

impl From<Vec<usize>> for Shape {
    fn from(sizes: Vec<usize>) -> Self {
        Self::new(SmallVec::from_vec(sizes))
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

impl From<usize> for Shape {
    fn from(size: usize) -> Self {
        [size].into()
    }
}

impl From<()> for Shape {
    fn from((): ()) -> Self {
        Self::scalar()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0.as_slice())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Axes of a reduction: one, several, or all of them (`()`), each may count from the end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Axes {
    /// Every axis.
    All,
    /// The axes named.
    These(SmallVec<[isize; 4]>),
}

impl Axes {
    /// The axes counted from 0, in order.
    ///
    /// # Errors
    /// An [`ErrorKind::Axis`] if an axis does not exist or is named twice.
    pub fn of(&self, shape: &Shape) -> Result<SmallVec<[usize; 4]>> {
        match self {
            Self::All => Ok((0..shape.rank()).collect()),
            Self::These(axes) => {
                let mut counted: SmallVec<[usize; 4]> = axes.iter().map(|&a| shape.axis(a)).collect::<Result<_>>()?;
                counted.sort_unstable();
                if let Some(pair) = counted.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(Error::new(ErrorKind::Axis, format!("axis {} named twice in {axes:?}", pair[0])));
                }
                Ok(counted)
            }
        }
    }
}

impl From<()> for Axes {
    fn from((): ()) -> Self {
        Self::All
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Self {
        Self::These(SmallVec::from_slice(&[axis]))
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Self {
        Self::These(SmallVec::from_slice(&axes))
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Self {
        Self::These(SmallVec::from_slice(axes))
    }
}
