//! The order in which kernels visit elements: row-major over one layout or several of one shape, whatever their strides.
//!
//! Axes that follow each other without a gap in every layout are joined first, so that the innermost run, over which a kernel loops
//! without looking at axes, is as long as it can be.

use crate::layout::Layout;
use smallvec::SmallVec;

/// `N` layouts of one shape, visited together.
#[derive(Debug)]
pub struct Walk<const N: usize> {
    /// Joined axes but the innermost: size, and each layout's stride.
    outer: SmallVec<[(usize, [isize; N]); 4]>,
    /// How many elements an innermost run has.
    run: usize,
    /// From one element of a run to the next, in each layout.
    steps: [isize; N],
    offsets: [usize; N],
}

impl<const N: usize> Walk<N> {
    /// The walk over layouts, which have one shape.
    #[must_use]
    pub fn new(layouts: [&Layout; N]) -> Self {
        let shape = &layouts[0].shape;
        debug_assert!(layouts.iter().all(|layout| layout.shape == *shape), "a walk over layouts of different shapes");
        let mut axes: SmallVec<[(usize, [isize; N]); 4]> = SmallVec::new();
        for axis in 0..shape.rank() {
            let (size, strides) = (shape[axis], layouts.map(|layout| layout.strides[axis]));
            if size == 1 {
                continue;
            }
            match axes.last_mut() {
                Some((last, wide)) if (0..N).all(|n| wide[n] == strides[n].wrapping_mul(size as isize)) => {
                    *last *= size;
                    *wide = strides;
                }
                _ => axes.push((size, strides)),
            }
        }
        let (run, steps) = axes.pop().unwrap_or((1, [0; N]));
        Self { outer: axes, run, steps, offsets: layouts.map(|layout| layout.offset) }
    }

    /// How many elements a run has.
    #[must_use]
    pub fn run(&self) -> usize {
        self.run
    }

    /// From one element of a run to the next, in each layout.
    #[must_use]
    pub fn steps(&self) -> [isize; N] {
        self.steps
    }

    /// Calls `visit` with the storage offsets of the first element of each run, in row-major order; of none if a size is 0.
    pub fn each_run(&self, mut visit: impl FnMut([usize; N])) {
        if self.run == 0 || self.outer.iter().any(|&(size, _)| size == 0) {
            return;
        }
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.outer.len());
        let mut at = self.offsets.map(|offset| offset as isize);
        loop {
            visit(at.map(|offset| offset as usize));
            let mut axis = self.outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                let (size, strides) = self.outer[axis];
                index[axis] += 1;
                if index[axis] < size {
                    (0..N).for_each(|n| at[n] += strides[n]);
                    break;
                }
                index[axis] = 0;
                (0..N).for_each(|n| at[n] -= strides[n] * (size as isize - 1));
            }
        }
    }
}

/// Calls `visit` with the storage offset of each element, in row-major order.
pub fn each_offset(layout: &Layout, mut visit: impl FnMut(usize)) {
    let walk = Walk::new([layout]);
    let [step] = walk.steps;
    walk.each_run(|[start]| {
        let mut offset = start as isize;
        for _ in 0..walk.run {
            visit(offset as usize);
            offset += step;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(sizes: &[usize], strides: &[isize], offset: usize) -> Layout {
        Layout { shape: sizes.into(), strides: strides.iter().copied().collect(), offset }
    }

    #[test]
    fn axes_without_gaps_are_one_run() {
        let contiguous = layout(&[2, 1, 3, 4], &[12, 99, 4, 1], 5);
        let walk = Walk::new([&contiguous]);
        assert_eq!((walk.run(), walk.steps()), (24, [1]));
        let row = layout(&[2, 1, 3, 4], &[0, 0, 0, 1], 0);
        let walk = Walk::new([&contiguous, &row]);
        assert_eq!((walk.run(), walk.steps()), (4, [1, 1]));
        let mut starts = Vec::new();
        walk.each_run(|offsets| starts.push(offsets));
        assert_eq!(starts, [[5, 0], [9, 0], [13, 0], [17, 0], [21, 0], [25, 0]]);
    }

    #[test]
    fn strided_and_backward_axes_are_walked_row_by_row() {
        let mut offsets = Vec::new();
        each_offset(&layout(&[2, 3], &[1, -2], 4), |offset| offsets.push(offset));
        assert_eq!(offsets, [4, 2, 0, 5, 3, 1]);
    }

    #[test]
    fn a_scalar_is_one_element_and_an_empty_axis_none() {
        let count = |layout: &Layout| {
            let mut count = 0;
            each_offset(layout, |_| count += 1);
            count
        };
        assert_eq!(count(&layout(&[], &[], 3)), 1);
        assert_eq!(count(&layout(&[3, 0, 2], &[0, 2, 1], 0)), 0);
        assert_eq!(count(&layout(&[0], &[1], 0)), 0);
    }
}
