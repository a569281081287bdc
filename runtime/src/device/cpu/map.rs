//! Elementwise kernels: a scalar function over one array, or over several that broadcast.
//!
//! A result is written in place of an input that nobody else sees, so a chain of ops on owned values touches no fresh memory. Loops run
//! over the longest runs that the strides allow, with steps of 1 and 0 apart, which the compiler turns into SIMD.

use crate::device::cpu::walk::Walk;
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use crate::storage::Array;

/// A run of elements in a storage: its first one, and the step to the next.
#[derive(Clone, Copy)]
struct Run<T> {
    first: *const T,
    step: isize,
    size: usize,
}

impl<T: Element> Run<T> {
    /// The elements, if they lie next to each other.
    fn as_slice(&self) -> Option<&[T]> {
        // SAFETY: whoever makes a run takes first, step and size from a layout of a storage of T; with step 1 they are one slice.
        (self.step == 1).then(|| unsafe { std::slice::from_raw_parts(self.first, self.size) })
    }

    /// The one element that the run repeats, if it does.
    fn repeated(&self) -> Option<T> {
        (self.step == 0).then(|| self.at(0))
    }

    /// The element at an index.
    #[inline]
    fn at(&self, index: usize) -> T {
        debug_assert!(index < self.size, "index {index} of a run of {}", self.size);
        // SAFETY: as for `as_slice`: every index of the run lies in the storage, and kernels ask for no others.
        unsafe { *self.first.offset(index as isize * self.step) }
    }
}

/// `f` of every element.
///
/// # Errors
/// Memory for the result.
#[inline]
pub fn unary<T: Element, R: Element>(input: &mut Array, f: impl Fn(T) -> R) -> Result<Array> {
    if T::DTYPE == R::DTYPE
        && let Some(values) = input.as_unique_slice::<R>()
    {
        for value in values {
            // T and R are the same type here.
            *value = f(same(*value));
        }
        return Ok(input.clone());
    }
    Array::build(input.shape().clone(), |out: &mut [R]| {
        let walk = Walk::new([input.layout()]);
        let (all, [step], size) = (input.all::<T>(), walk.steps(), walk.run());
        let mut rows = out.chunks_exact_mut(size.max(1));
        walk.each_run(|[start]| {
            let (run, Some(out)) = (Run { first: all.wrapping_add(start), step, size }, rows.next()) else { return };
            match run.as_slice() {
                Some(values) => out.iter_mut().zip(values).for_each(|(out, &value)| *out = f(value)),
                None => out.iter_mut().enumerate().for_each(|(index, out)| *out = f(run.at(index))),
            }
        });
    })
}

/// A value as another type that is known to be the same type.
#[inline]
fn same<A: Element, B: Element>(value: A) -> B {
    debug_assert_eq!(A::DTYPE, B::DTYPE);
    // SAFETY: Element is sealed with one type for each dtype, and callers compare the dtypes first.
    unsafe { std::mem::transmute_copy(&value) }
}

/// `f` of every pair of elements, both broadcast to `shape`.
///
/// # Errors
/// Memory for the result.
#[inline]
pub fn binary<T: Element, R: Element>(a: &mut Array, b: &mut Array, shape: &Shape, f: impl Fn(T, T) -> R) -> Result<Array> {
    if T::DTYPE == R::DTYPE {
        if a.shape() == shape
            && let Some(left) = a.as_unique_slice::<R>()
        {
            in_place(left, b, shape, |left, right| f(same(left), right));
            return Ok(a.clone());
        }
        if b.shape() == shape
            && let Some(right) = b.as_unique_slice::<R>()
        {
            in_place(right, a, shape, |right, left| f(left, same(right)));
            return Ok(b.clone());
        }
    }
    Array::build(shape.clone(), |out: &mut [R]| {
        if let (Some(x), Some(y)) = (a.as_slice::<T>(), b.as_slice::<T>())
            && x.len() == out.len()
            && y.len() == out.len()
        {
            return out.iter_mut().zip(x).zip(y).for_each(|((out, &x), &y)| *out = f(x, y));
        }
        let (left, right) = (a.layout().broadcast_to(shape), b.layout().broadcast_to(shape));
        let walk = Walk::new([&left, &right]);
        let (x, y, steps, size) = (a.all::<T>(), b.all::<T>(), walk.steps(), walk.run());
        let mut rows = out.chunks_exact_mut(size.max(1));
        walk.each_run(|[left, right]| {
            let Some(out) = rows.next() else { return };
            let x = Run { first: x.wrapping_add(left), step: steps[0], size };
            let y = Run { first: y.wrapping_add(right), step: steps[1], size };
            match (x.as_slice(), y.as_slice()) {
                (Some(x), Some(y)) => out.iter_mut().zip(x).zip(y).for_each(|((out, &x), &y)| *out = f(x, y)),
                (Some(x), None) if let Some(y) = y.repeated() => out.iter_mut().zip(x).for_each(|(out, &x)| *out = f(x, y)),
                (None, Some(y)) if let Some(x) = x.repeated() => out.iter_mut().zip(y).for_each(|(out, &y)| *out = f(x, y)),
                _ => out.iter_mut().enumerate().for_each(|(index, out)| *out = f(x.at(index), y.at(index))),
            }
        });
    })
}

/// `value = f(value, other)` of every element, `other` broadcast to `shape`.
fn in_place<A: Element, B: Element>(values: &mut [A], other: &Array, shape: &Shape, f: impl Fn(A, B) -> A) {
    let layout = other.layout().broadcast_to(shape);
    let walk = Walk::new([&layout]);
    let (all, [step], size) = (other.all::<B>(), walk.steps(), walk.run());
    let mut rows = values.chunks_exact_mut(size.max(1));
    walk.each_run(|[start]| {
        let (run, Some(values)) = (Run { first: all.wrapping_add(start), step, size }, rows.next()) else { return };
        match (run.as_slice(), run.repeated()) {
            (Some(others), _) => values.iter_mut().zip(others).for_each(|(value, &other)| *value = f(*value, other)),
            (None, Some(other)) => values.iter_mut().for_each(|value| *value = f(*value, other)),
            _ => values.iter_mut().enumerate().for_each(|(index, value)| *value = f(*value, run.at(index))),
        }
    });
}

/// Elements of `a` where `condition` holds, else of `b`, all broadcast to `shape`.
///
/// # Errors
/// Memory for the result.
pub fn choose<T: Element>(condition: &Array, a: &Array, b: &Array, shape: &Shape) -> Result<Array> {
    let layouts = [condition, a, b].map(|array| array.layout().broadcast_to(shape));
    let walk = Walk::new([&layouts[0], &layouts[1], &layouts[2]]);
    let (steps, size) = (walk.steps(), walk.run());
    Array::build(shape.clone(), |out: &mut [T]| {
        let (holds, x, y) = (condition.all::<bool>(), a.all::<T>(), b.all::<T>());
        let mut rows = out.chunks_exact_mut(size.max(1));
        walk.each_run(|[at, left, right]| {
            let Some(out) = rows.next() else { return };
            let holds = Run { first: holds.wrapping_add(at), step: steps[0], size };
            let x = Run { first: x.wrapping_add(left), step: steps[1], size };
            let y = Run { first: y.wrapping_add(right), step: steps[2], size };
            // A branch would be mispredicted half the time.
            let pick = |holds: bool, x: T, y: T| std::hint::select_unpredictable(holds, x, y);
            match (holds.as_slice(), x.as_slice(), y.as_slice()) {
                (Some(holds), Some(x), Some(y)) => {
                    out.iter_mut().zip(holds).zip(x).zip(y).for_each(|(((out, &holds), &x), &y)| *out = pick(holds, x, y));
                }
                (Some(holds), Some(x), None) if let Some(y) = y.repeated() => {
                    out.iter_mut().zip(holds).zip(x).for_each(|((out, &holds), &x)| *out = pick(holds, x, y));
                }
                (Some(holds), None, Some(y)) if let Some(x) = x.repeated() => {
                    out.iter_mut().zip(holds).zip(y).for_each(|((out, &holds), &y)| *out = pick(holds, x, y));
                }
                _ => out.iter_mut().enumerate().for_each(|(at, out)| *out = pick(holds.at(at), x.at(at), y.at(at))),
            }
        });
    })
}
