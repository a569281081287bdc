//! Elementwise kernels: a scalar function over one array, or over two that broadcast.
//!
//! A result is written in place of an input that nobody else sees, so a chain of ops on owned
//! values touches no fresh memory.

use crate::device::cpu::walk::each_offset;
use crate::dtype::Element;
use crate::error::Result;
use crate::shape::Shape;
use crate::storage::Array;

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
            // T and R are the same type here; the conversion through the dtype's own cast is a copy.
            *value = f(same(*value));
        }
        return Ok(input.clone());
    }
    Array::build(input.shape().clone(), |out: &mut [R]| match input.as_slice::<T>() {
        Some(values) => {
            for (out, &value) in out.iter_mut().zip(values) {
                *out = f(value);
            }
        }
        None => {
            let (all, mut next) = (input.all::<T>(), out.iter_mut());
            each_offset(input.layout(), |offset| {
                if let Some(out) = next.next() {
                    // SAFETY: a layout's offsets lie in its storage.
                    *out = f(unsafe { *all.add(offset) });
                }
            });
        }
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
    if T::DTYPE == R::DTYPE && a.shape() == shape && b.shape() == shape {
        if let Some(right) = b.as_slice::<T>()
            && let Some(left) = a.as_unique_slice::<R>()
        {
            for (left, &right) in left.iter_mut().zip(right) {
                *left = f(same(*left), right);
            }
            return Ok(a.clone());
        }
        if let Some(left) = a.as_slice::<T>()
            && let Some(right) = b.as_unique_slice::<R>()
        {
            for (&left, right) in left.iter().zip(right) {
                *right = f(left, same(*right));
            }
            return Ok(b.clone());
        }
    }
    let (left, right) = (a.layout().broadcast_to(shape), b.layout().broadcast_to(shape));
    Array::build(shape.clone(), |out: &mut [R]| {
        match (a.as_slice::<T>(), b.as_slice::<T>()) {
            (Some(x), Some(y)) if x.len() == out.len() && y.len() == out.len() => {
                for ((out, &x), &y) in out.iter_mut().zip(x).zip(y) {
                    *out = f(x, y);
                }
            }
            (Some(x), Some(&[y])) if x.len() == out.len() => {
                for (out, &x) in out.iter_mut().zip(x) {
                    *out = f(x, y);
                }
            }
            (Some(&[x]), Some(y)) if y.len() == out.len() => {
                for (out, &y) in out.iter_mut().zip(y) {
                    *out = f(x, y);
                }
            }
            _ => {
                let (x, y) = (a.all::<T>(), b.all::<T>());
                let mut offsets = Vec::with_capacity(out.len());
                each_offset(&right, |offset| offsets.push(offset));
                let mut next = out.iter_mut().zip(offsets);
                each_offset(&left, |offset| {
                    if let Some((out, other)) = next.next() {
                        // SAFETY: a layout's offsets lie in its storage.
                        *out = unsafe { f(*x.add(offset), *y.add(other)) };
                    }
                });
            }
        }
    })
}
