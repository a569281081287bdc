//! The order in which kernels visit elements: row-major over a layout, whatever its strides.

use crate::layout::Layout;

/// Calls `visit` with the storage offset of each element, in row-major order.
pub fn each_offset(layout: &Layout, mut visit: impl FnMut(usize)) {
    let (shape, strides) = (&layout.shape, &layout.strides);
    if shape.elements() == 0 {
        return;
    }
    let rank = shape.rank();
    if rank == 0 {
        visit(layout.offset);
        return;
    }
    let (inner, step) = (shape[rank - 1], strides[rank - 1]);
    let mut index = vec![0usize; rank - 1];
    let mut row = layout.offset as isize;
    loop {
        let mut offset = row;
        for _ in 0..inner {
            visit(offset as usize);
            offset += step;
        }
        let mut axis = rank - 1;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            row += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            row -= strides[axis] * shape[axis] as isize;
            index[axis] = 0;
        }
    }
}
