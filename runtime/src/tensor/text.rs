//! Tensors as text, NumPy's way: nested brackets, aligned columns, and the middle of large ones left out.

use crate::dtype::{Element, with_dtype};
use crate::show::numbers::Format;
use crate::storage::Array;
use crate::tensor::Tensor;
use std::fmt;

/// More elements than this are summarised.
const SUMMARISE_FROM: usize = 1000;
/// Digits behind the point of a float below 10.
const DECIMALS: i32 = 4;
/// Shown at each end of a summarised axis.
const EDGE: usize = 3;

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(array) => f.write_str(&text(array)),
            None => write!(f, "<a value of {} that a trace has still to compute>", self.spec()),
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor {}\n{self}", self.spec())
    }
}

/// The whole text of an array.
pub(crate) fn text(array: &Array) -> String {
    with_dtype!(array.dtype(), T => {
        let shape = array.shape();
        let short = shape.elements() > SUMMARISE_FROM;
        let shown: Vec<Vec<Option<usize>>> = shape.iter().map(|&size| indices(size, short)).collect();
        let mut values = Vec::new();
        gather::<T>(array, &shown, array.layout().offset as isize, 0, &mut values);
        let cells = written(&values);
        let width = cells.iter().map(String::len).max().unwrap_or(0);
        let mut out = String::new();
        write(&shown, 0, width, &mut cells.into_iter(), &mut out);
        out
    })
}

/// The indices shown of an axis; `None` stands for those left out.
pub(crate) fn indices(size: usize, short: bool) -> Vec<Option<usize>> {
    if short && size > 2 * EDGE + 1 {
        (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some)).collect()
    } else {
        (0..size).map(Some).collect()
    }
}

/// Values as text: floats in one form, so that their points stand below each other.
fn written<T: Element>(values: &[T]) -> Vec<String> {
    if !T::DTYPE.is_float() {
        return values.iter().map(|value| format!("{value:?}")).collect();
    }
    let format = Format::with_decimals(values.iter().map(|value| value.to_f64()), DECIMALS);
    values.iter().map(|value| format.write(value.to_f64())).collect()
}

fn gather<T: Element>(array: &Array, shown: &[Vec<Option<usize>>], offset: isize, axis: usize, values: &mut Vec<T>) {
    let Some(indices) = shown.get(axis) else {
        // SAFETY: the offset was reached by indices within the shape, so it lies in the storage.
        return values.push(unsafe { *array.all::<T>().offset(offset) });
    };
    let stride = array.layout().strides[axis];
    for index in indices.iter().flatten() {
        gather::<T>(array, shown, offset + *index as isize * stride, axis + 1, values);
    }
}

fn write(shown: &[Vec<Option<usize>>], depth: usize, width: usize, cells: &mut impl Iterator<Item = String>, out: &mut String) {
    let Some((indices, inner)) = shown.split_first() else {
        let cell = cells.next().unwrap_or_default();
        out.push_str(&format!("{cell:>width$}"));
        return;
    };
    out.push('[');
    for (at, index) in indices.iter().enumerate() {
        if at > 0 {
            out.push_str(if inner.is_empty() { ", " } else { "," });
            if !inner.is_empty() {
                out.push_str(&"\n".repeat(inner.len()));
                out.push_str(&" ".repeat(depth + 1));
            }
        }
        match index {
            Some(_) => write(inner, depth + 1, width, cells, out),
            None => out.push_str("..."),
        }
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_axes_nest() {
        let x = Tensor::from_slice([2, 1, 3], &[1f32, -2.5, 3.25, 100.0, f32::NAN, f32::INFINITY]);
        assert_eq!(x.to_string(), "[[[  1.00,  -2.50,   3.25]],\n\n [[100.00,    NaN,    inf]]]");
        assert_eq!(Tensor::from_slice([], &[1.5f32]).to_string(), "1.5");
        assert_eq!(Tensor::from_slice([0], &[0f32; 0]).to_string(), "[]");
        assert_eq!(Tensor::from_slice([2], &[true, false]).to_string(), "[ true, false]");
    }

    #[test]
    fn large_tensors_are_summarised() {
        let x = Tensor::from_slice([2000], &(0..2000).collect::<Vec<i64>>());
        assert_eq!(x.to_string(), "[   0,    1,    2, ..., 1997, 1998, 1999]");
    }

    #[test]
    fn a_transposed_view_shows_its_own_order() {
        let x = Tensor::from_slice([2, 2], &[1i64, 2, 3, 4]).t();
        assert_eq!(x.to_string(), "[[1, 3],\n [2, 4]]");
    }
}
