//! Element types: the run-time [`DType`], the compile-time [`Element`], and the one macro between them.

use crate::storage::Array;
use std::fmt;

/// The type of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// 64-bit signed integer; arithmetic wraps.
    I64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl DType {
    /// Bytes of one element.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a floating-point type, so that gradients flow through it.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// NumPy's name in short, as Rust spells it: `f32`, `i64`, `bool`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The type of a result of two operands.
    ///
    /// bool < i64 < f32 < f64, except that i64 with f32 gives f32 as JAX has it (NumPy gives f64):
    /// an integer index must not turn a model into f64.
    #[must_use]
    pub fn promote(self, other: Self) -> Self {
        self.max(other)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

mod sealed {
    /// Keeps [`super::Element`] closed: kernels match on every dtype.
    pub trait Sealed {}
}

/// A Rust type that a tensor can hold.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + PartialOrd + fmt::Debug + Send + Sync + 'static {
    /// Its run-time name.
    const DTYPE: DType;
    /// The value as f64: exact but for large i64.
    fn to_f64(self) -> f64;
    /// From f64: integers truncate towards zero and saturate, bool is `!= 0`.
    fn from_f64(value: f64) -> Self;
    /// The value as i64: floats truncate towards zero and saturate.
    fn to_i64(self) -> i64;
    /// From i64, exact where the type can hold it.
    fn from_i64(value: i64) -> Self;
    /// The elements of an array of this type, in row-major order: here, so that cells don't compile it.
    #[doc(hidden)]
    fn elements(array: &Array) -> Vec<Self>;
    /// An array of ndarray's: here for the same reason.
    #[doc(hidden)]
    fn to_ndarray(shape: &[usize], values: Vec<Self>) -> Result<ndarray::ArrayD<Self>, ndarray::ShapeError>;
}

macro_rules! element {
    ($($type:ty, $dtype:ident, |$v:ident| $to64:expr, |$f:ident| $from64:expr, |$i:ident| $toi:expr, |$j:ident| $fromi:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
            #[inline]
            fn to_f64(self) -> f64 { let $v = self; $to64 }
            #[inline]
            fn from_f64($f: f64) -> Self { $from64 }
            #[inline]
            fn to_i64(self) -> i64 { let $i = self; $toi }
            #[inline]
            fn from_i64($j: i64) -> Self { $fromi }
            #[inline(never)]
            fn elements(array: &Array) -> Vec<Self> { array.to_vec() }
            #[inline(never)]
            fn to_ndarray(shape: &[usize], values: Vec<Self>) -> Result<ndarray::ArrayD<Self>, ndarray::ShapeError> {
                ndarray::ArrayD::from_shape_vec(shape, values)
            }
        }
    )*};
}

element! {
    bool, Bool, |v| f64::from(u8::from(v)), |f| f != 0.0, |i| i64::from(i), |j| j != 0;
    i64, I64, |v| v as f64, |f| f as i64, |i| i, |j| j;
    f32, F32, |v| f64::from(v), |f| f as f32, |i| i as i64, |j| j as f32;
    f64, F64, |v| v, |f| f, |i| i as i64, |j| j as f64;
}

/// Runs a block with `$T` naming the Rust type of a run-time dtype; the only such macro of the crate.
///
/// `with_dtype!(dtype, T => body)` covers all; `with_dtype!(float dtype, T => body, else => other)`
/// covers floats; `with_dtype!(number dtype, …)` all but bool.
macro_rules! with_dtype {
    (float $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        match $dtype {
            $crate::dtype::DType::F32 => { type $T = f32; $body }
            $crate::dtype::DType::F64 => { type $T = f64; $body }
            _ => $other,
        }
    };
    (number $dtype:expr, $T:ident => $body:expr, else => $other:expr) => {
        match $dtype {
            $crate::dtype::DType::I64 => { type $T = i64; $body }
            dtype => $crate::dtype::with_dtype!(float dtype, $T => $body, else => $other),
        }
    };
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            $crate::dtype::DType::Bool => { type $T = bool; $body }
            $crate::dtype::DType::I64 => { type $T = i64; $body }
            $crate::dtype::DType::F32 => { type $T = f32; $body }
            $crate::dtype::DType::F64 => { type $T = f64; $body }
        }
    };
}
pub(crate) use with_dtype;
