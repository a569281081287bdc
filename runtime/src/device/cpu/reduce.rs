//! Reductions over axes.
//!
//! The input and the result, repeated along the reduced axes with stride 0, are walked together: where a run's step in the result is 0
//! the run is folded into one element, else rows are folded into rows. Runs are folded in eight lanes that the compiler turns into SIMD,
//! and long ones by halves, so that the rounding error of a sum grows with the logarithm of its length.

use crate::device::cpu::walk::Walk;
use crate::dtype::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::shape::Shape;
use crate::storage::Array;
use smallvec::SmallVec;
use std::cmp::{Ordering, Reverse};

/// Folded side by side.
const LANES: usize = 8;
/// Runs longer than this are halved.
const BLOCK: usize = 1024;

/// Folds a run of elements with an associative `f` whose neutral element is `first`.
#[inline]
pub fn fold_run<T: Element>(run: &[T], first: T, f: impl Fn(T, T) -> T + Copy) -> T {
    if run.len() > BLOCK {
        let (left, right) = run.split_at((run.len() / 2).next_multiple_of(LANES));
        return f(fold_long(left, first, f), fold_long(right, first, f));
    }
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

/// The halves of a long run; apart, so that the short case can be inlined.
fn fold_long<T: Element>(run: &[T], first: T, f: impl Fn(T, T) -> T + Copy) -> T {
    fold_run(run, first, f)
}

/// Folds the elements along `axes` (sorted, counted from 0) with an associative `f` whose neutral element is `first`, giving `shape`.
///
/// # Errors
/// Memory for the result.
pub fn fold<T: Element>(input: &Array, axes: &[usize], shape: &Shape, first: T, f: impl Fn(T, T) -> T + Copy) -> Result<Array> {
    let rank = input.shape().rank();
    let mut repeated = Layout { shape: input.shape().clone(), strides: SmallVec::from_elem(0, rank), offset: 0 };
    let mut stride = 1;
    for axis in (0..rank).rev().filter(|axis| !axes.contains(axis)) {
        repeated.strides[axis] = stride;
        stride *= input.shape()[axis] as isize;
    }
    // Nearest elements innermost, since a sum may go in any order.
    let mut order: SmallVec<[usize; 4]> = (0..rank).collect();
    order.sort_by_key(|&axis| Reverse(input.layout().strides[axis].unsigned_abs()));
    let (near, repeated) = (input.layout().permute(&order), repeated.permute(&order));
    Array::build(shape.clone(), |out: &mut [T]| {
        out.fill(first);
        let walk = Walk::new([&near, &repeated]);
        let (all, [from, to], size) = (input.all::<T>(), walk.steps(), walk.run());
        walk.each_run(|[start, slot]| {
            // SAFETY: a layout's offsets lie in its storage, and a run's elements are those of its layout.
            let at = |index: usize| unsafe { *all.offset(start as isize + index as isize * from) };
            // SAFETY: with step 1 they are one slice.
            let values = (from == 1).then(|| unsafe { std::slice::from_raw_parts(all.add(start), size) });
            match (values, to) {
                (Some(values), 0) => out[slot] = f(out[slot], fold_run(values, first, f)),
                (Some(values), 1) => {
                    out[slot..slot + size].iter_mut().zip(values).for_each(|(out, &value)| *out = f(*out, value));
                }
                _ => (0..size).for_each(|index| {
                    let slot = &mut out[slot + index * to as usize];
                    *slot = f(*slot, at(index));
                }),
            }
        });
    })
}

/// For each run along `axis` the index of the first of the elements that compare `better` than all others: the greatest or the least; a NaN beats both.
///
/// # Errors
/// Memory for the result.
pub fn first_best<T: Element>(input: &Array, axis: usize, shape: &Shape, better: Ordering) -> Result<Array> {
    let order: Vec<usize> = (0..input.shape().rank()).filter(|&other| other != axis).chain([axis]).collect();
    let moved = input.view(input.layout().permute(&order)).to_contiguous()?;
    let (size, values) = (input.shape()[axis], moved.as_slice::<T>().unwrap_or_default());
    let is_nan = |value: T| value.partial_cmp(&value).is_none();
    Array::build(shape.clone(), |out: &mut [i64]| {
        for (out, run) in out.iter_mut().zip(values.chunks_exact(size.max(1))) {
            let (mut best, mut at) = (run[0], 0);
            for (index, &value) in run.iter().enumerate() {
                if value.partial_cmp(&best) == Some(better) || (is_nan(value) && !is_nan(best)) {
                    (best, at) = (value, index as i64);
                }
            }
            *out = at;
        }
    })
}
