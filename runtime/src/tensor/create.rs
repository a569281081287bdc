//! Tensors from numbers: constants, ranges, nested literals.

use crate::dtype::{DType, Element, with_dtype};
use crate::error::{Error, ErrorKind, OrRaise};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;

impl Tensor {
    /// A scalar of `dtype`.
    #[must_use]
    pub fn scalar(value: f64, dtype: DType) -> Tensor {
        full_of(Shape::scalar(), value, dtype)
    }
}

#[inline(never)]
#[track_caller]
fn full_of(shape: Shape, value: f64, dtype: DType) -> Tensor {
    with_dtype!(dtype, T => Tensor::from_array(Array::build(shape, |out: &mut [T]| out.fill(T::from_f64(value))).or_raise()))
}

/// A scalar, f32.
#[must_use]
#[track_caller]
pub fn scalar(value: f64) -> Tensor {
    full_of(Shape::scalar(), value, DType::F32)
}

/// Zeros, f32.
#[must_use]
#[track_caller]
pub fn zeros(shape: impl Into<Shape>) -> Tensor {
    full_of(shape.into(), 0.0, DType::F32)
}

/// Ones, f32.
#[must_use]
#[track_caller]
pub fn ones(shape: impl Into<Shape>) -> Tensor {
    full_of(shape.into(), 1.0, DType::F32)
}

/// One number everywhere, f32.
#[must_use]
#[track_caller]
pub fn full(shape: impl Into<Shape>, value: f64) -> Tensor {
    full_of(shape.into(), value, DType::F32)
}

/// The integers of a half-open range, i64.
#[must_use]
#[track_caller]
pub fn arange(range: std::ops::Range<i64>) -> Tensor {
    let size = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
    counted([size], |index| range.start + index as i64)
}

/// `count` numbers from `start` to `end`, both included, at equal distances, f32.
#[must_use]
#[track_caller]
pub fn linspace(start: f64, end: f64, count: usize) -> Tensor {
    let step = if count > 1 { (end - start) / (count - 1) as f64 } else { 0.0 };
    counted([count], |index| if index + 1 == count && index > 0 { end as f32 } else { (start + step * index as f64) as f32 })
}

/// The identity matrix of `size` rows, f32.
#[must_use]
#[track_caller]
pub fn eye(size: usize) -> Tensor {
    counted([size, size], |index| if index % (size + 1) == 0 { 1f32 } else { 0.0 })
}

/// Elements made from their row-major index.
#[track_caller]
fn counted<T: Element>(shape: impl Into<Shape>, element: impl Fn(usize) -> T) -> Tensor {
    let fill = |out: &mut [T]| out.iter_mut().enumerate().for_each(|(index, out)| *out = element(index));
    Tensor::from_array(Array::build(shape.into(), fill).or_raise())
}

/// A number or a nested array or vector of numbers, as [`crate::tensor!`] takes them.
pub trait Nested {
    /// Adds the shape from this level on.
    fn shape(&self, sizes: &mut Vec<usize>);
    /// Adds the numbers in row-major order. False if a row has another shape than the first, `sizes` from this level on.
    fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool;
}

/// Numbers gathered from a literal, all of one dtype.
#[derive(Debug, Default)]
pub struct Numbers {
    dtype: Option<DType>,
    bytes: Vec<u8>,
}

macro_rules! nested_number {
    ($($type:ty as $element:ty, $dtype:ident;)*) => {$(
        impl Nested for $type {
            fn shape(&self, _sizes: &mut Vec<usize>) {}

            fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool {
                numbers.dtype = Some(DType::$dtype);
                numbers.bytes.extend_from_slice(&(*self as $element).to_ne_bytes());
                sizes.is_empty()
            }
        }
    )*};
}

nested_number! {
    f32 as f32, F32;
    f64 as f64, F64;
    i64 as i64, I64;
    i32 as i64, I64;
    usize as i64, I64;
    u8 as i64, I64;
    bool as u8, Bool;
}

impl<T: Nested> Nested for [T] {
    fn shape(&self, sizes: &mut Vec<usize>) {
        sizes.push(self.len());
        if let Some(first) = self.first() {
            first.shape(sizes);
        }
    }

    fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool {
        sizes.first() == Some(&self.len()) && self.iter().all(|item| item.values(&sizes[1..], numbers))
    }
}

impl<T: Nested, const N: usize> Nested for [T; N] {
    fn shape(&self, sizes: &mut Vec<usize>) {
        self.as_slice().shape(sizes);
    }

    fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool {
        self.as_slice().values(sizes, numbers)
    }
}

impl<T: Nested> Nested for Vec<T> {
    fn shape(&self, sizes: &mut Vec<usize>) {
        self.as_slice().shape(sizes);
    }

    fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool {
        self.as_slice().values(sizes, numbers)
    }
}

impl<T: Nested + ?Sized> Nested for &T {
    fn shape(&self, sizes: &mut Vec<usize>) {
        (**self).shape(sizes);
    }

    fn values(&self, sizes: &[usize], numbers: &mut Numbers) -> bool {
        (**self).values(sizes, numbers)
    }
}

/// A tensor from a literal; f64 becomes f32, unless `keep`.
///
/// # Panics
/// With a typed error if rows differ in length.
#[must_use]
#[track_caller]
#[inline(never)]
pub fn nested(literal: &dyn Nested, keep: bool) -> Tensor {
    let (mut sizes, mut numbers) = (Vec::new(), Numbers::default());
    literal.shape(&mut sizes);
    if !literal.values(&sizes, &mut numbers) {
        Error::new(ErrorKind::Shape, format!("the rows differ in length: the first ones have shape {sizes:?}"))
            .advise("give every row as many elements")
            .raise();
    }
    let tensor =
        Tensor::from_array(Array::from_bytes(numbers.dtype.unwrap_or(DType::F32), sizes.into(), &numbers.bytes).or_raise());
    if tensor.dtype() == DType::F64 && !keep { tensor.cast(DType::F32) } else { tensor }
}

impl<T: Element + Nested> From<Vec<T>> for Tensor {
    #[track_caller]
    fn from(values: Vec<T>) -> Tensor {
        Tensor::from_slice([values.len()], &values)
    }
}

impl<T: Element + Nested> From<Vec<Vec<T>>> for Tensor {
    #[track_caller]
    fn from(rows: Vec<Vec<T>>) -> Tensor {
        nested(&rows, true)
    }
}

/// A tensor from nested literals: `tensor![1.0, 2.0]`, `tensor![[1, 2], [3, 4]]`.
///
/// Floats give f32, integers i64, bools bool; cast for f64. For a scalar write `scalar(2.0)`.
#[macro_export]
macro_rules! tensor {
    ([$($row:tt)*] $(, [$($rows:tt)*])* $(,)?) => {
        $crate::tensor::create::nested(&[[$($row)*] $(, [$($rows)*])*], false)
    };
    ($($value:expr),* $(,)?) => {
        $crate::tensor::create::nested(&[$($value),*], false)
    };
}

/// Zeros of a spec.
pub(crate) fn zeros_of(spec: &crate::op::Spec) -> Tensor {
    full_of(spec.shape.clone(), 0.0, spec.dtype)
}
