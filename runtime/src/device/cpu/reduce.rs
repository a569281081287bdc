//! Reductions over axes: the axes kept come first, the reduced ones are folded.
//!
//! Over the last axes of a contiguous array a run of elements is folded at once, in eight lanes that the compiler turns into SIMD; the
//! lanes also keep the rounding error of long sums small.

use crate::device::cpu::walk::each_offset;
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use crate::storage::Array;

/// Folded side by side.
const LANES: usize = 8;

/// Folds a run of elements with an associative `f`.
#[inline]
pub fn fold_run<T: Element>(run: &[T], first: T, f: impl Fn(T, T) -> T) -> T {
    let mut lanes = [first; LANES];
    let chunks = run.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = f(*lane, value);
        }
    }
    rest.iter().chain(&lanes).fold(first, |sum, &value| f(sum, value))
}

/// Folds the elements along `axes` (sorted, counted from 0) with an associative `f` whose neutral element is `first`, giving `shape`.
///
/// # Errors
/// Memory for the result.
pub fn fold<T: Element>(input: &Array, axes: &[usize], shape: &Shape, first: T, f: impl Fn(T, T) -> T + Copy) -> Result<Array> {
    let rank = input.shape().rank();
    let run: usize = axes.iter().map(|&axis| input.shape()[axis]).product();
    let last = axes.iter().enumerate().all(|(at, &axis)| axis == rank - axes.len() + at);
    if run == 0 {
        return Array::build(shape.clone(), |out: &mut [T]| out.fill(first));
    }
    if last && let Some(values) = input.as_slice::<T>() {
        return Array::build(shape.clone(), |out: &mut [T]| {
            for (out, run) in out.iter_mut().zip(values.chunks_exact(run)) {
                *out = fold_run(run, first, f);
            }
        });
    }
    if axes.first() == Some(&0)
        && axes.len() == 1
        && let Some(values) = input.as_slice::<T>()
    {
        // Over the first axis, whole rows are folded into the result.
        return Array::build(shape.clone(), |out: &mut [T]| {
            out.fill(first);
            if !out.is_empty() {
                for row in values.chunks_exact(out.len()) {
                    for (out, &value) in out.iter_mut().zip(row) {
                        *out = f(*out, value);
                    }
                }
            }
        });
    }
    let order: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).chain(axes.iter().copied()).collect();
    let moved = input.layout().permute(&order);
    Array::build(shape.clone(), |out: &mut [T]| {
        out.fill(first);
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
