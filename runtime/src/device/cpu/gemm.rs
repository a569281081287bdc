//! Matrix products through the gemm crate, whose kernels use the SIMD that the machine has.

use crate::dtype::{DType, Element};
use crate::storage::Array;

/// A matrix inside an array: where it starts, and its strides in elements.
#[derive(Debug)]
pub struct Matrix<'a> {
    /// Its storage.
    pub array: &'a Array,
    /// The first element's place in the storage.
    pub offset: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// From one row to the next, and from one column to the next.
    pub strides: (isize, isize),
}

/// Below this many multiplications one thread is quicker than waking others.
const PARALLEL_FROM: usize = 1 << 21;

/// Writes `a b` to `out`, row-major.
pub fn gemm<T: Element>(out: &mut [T], a: Matrix<'_>, b: Matrix<'_>) {
    let (m, k, n) = (a.rows, a.columns, b.columns);
    assert_eq!((out.len(), b.rows), (m * n, k), "a product's sizes were checked by its shape rule");
    let parallelism =
        if m * k * n >= PARALLEL_FROM { gemm_common::Parallelism::Rayon(0) } else { gemm_common::Parallelism::None };
    let (pa, pb) = (a.array.all::<T>().wrapping_add(a.offset), b.array.all::<T>().wrapping_add(b.offset));
    macro_rules! call {
        ($kernel:expr, $type:ty) => {
            // SAFETY: `out` has m n elements, row-major; the matrices lie in their arrays' storages with these strides, as their
            // layouts say; T is the type named, by its dtype; `read_dst` is false, so that `out` is only written.
            unsafe {
                ($kernel)(
                    m,
                    n,
                    k,
                    out.as_mut_ptr().cast::<$type>(),
                    1,
                    n as isize,
                    false,
                    pa.cast::<$type>(),
                    a.strides.1,
                    a.strides.0,
                    pb.cast::<$type>(),
                    b.strides.1,
                    b.strides.0,
                    0.0,
                    1.0,
                    false,
                    false,
                    false,
                    parallelism,
                )
            }
        };
    }
    match T::DTYPE {
        DType::F32 => call!(gemm_f32::gemm::f32::get_gemm_fn(), f32),
        DType::F64 => call!(gemm_f64::gemm::f64::get_gemm_fn(), f64),
        DType::I64 | DType::Bool => unreachable!("matmul casts to floats"),
    }
}
