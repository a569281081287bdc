//! Reductions over axes: the axes kept come first, the reduced ones are folded.

use crate::device::cpu::walk::each_offset;
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use crate::storage::Array;

/// Folds the elements along `axes` (sorted, counted from 0) with `f` from `first`, giving `shape`.
///
/// # Errors
/// Memory for the result.
pub fn fold<T: Element, R: Element>(
    input: &Array,
    axes: &[usize],
    shape: &Shape,
    first: R,
    f: impl Fn(R, T) -> R,
) -> Result<Array> {
    let rank = input.shape().rank();
    let order: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).chain(axes.iter().copied()).collect();
    let moved = input.layout().permute(&order);
    let run: usize = axes.iter().map(|&axis| input.shape()[axis]).product();
    Array::build(shape.clone(), |out: &mut [R]| {
        out.fill(first);
        if run == 0 {
            return;
        }
        let all = input.all::<T>();
        let mut seen = 0;
        each_offset(&moved, |offset| {
            let slot = &mut out[seen / run];
            // SAFETY: a layout's offsets lie in its storage.
            *slot = f(*slot, unsafe { *all.add(offset) });
            seen += 1;
        });
    })
}
