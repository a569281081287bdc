//! The handle: a cheap, shared reference to a value that is known, or that a trace will know.
//!
//! A handle has a spec from the start. Its array is there at once when ops run eagerly; while tracing
//! it is filled in when the graph has run, if the handle is still alive then.

pub mod create;
mod ndarray;
mod operators;
pub(crate) mod text;

use crate::dtype::{DType, Element};
use crate::error::{Error, ErrorKind, OrRaise, Result};
use crate::op::Spec;
use crate::shape::Shape;
use crate::storage::Array;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, Weak};

/// A multi-dimensional array of one dtype. Cloning shares it; its elements never change.
///
/// ```
/// use footlight::prelude::*;
/// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!((&x + 1.0).to_vec::<f32>(), [2.0, 3.0, 4.0, 5.0]);
/// ```
pub struct Tensor(ManuallyDrop<Arc<Inner>>);

impl Clone for Tensor {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Tensor {
    // By hand and not inlined: otherwise every cell that holds a tensor compiles the drop of all that is inside, which measured a
    // third of rustc's time for a small cell.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped once, here; the field is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}

/// Where in a trace a handle's value comes from: node and result in the graph that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Traced {
    /// The segment, unique in the process.
    pub(crate) segment: u64,
    /// The value's number in the segment's graph.
    pub(crate) value: crate::graph::ValueId,
}

struct Inner {
    id: u64,
    spec: Spec,
    array: OnceLock<Array>,
    traced: Option<Traced>,
}

/// A handle that does not keep the value alive, for traces that fill in what is still wanted.
#[derive(Clone)]
pub(crate) struct WeakTensor(Weak<Inner>);

impl WeakTensor {
    /// The handle, if anyone still holds it.
    pub(crate) fn upgrade(&self) -> Option<Tensor> {
        self.0.upgrade().map(Tensor::new)
    }
}

/// The next number for a tensor of this thread, larger than all before it. Blocks of ids are dealt to threads, so that making a tensor locks nothing.
fn next_id() -> u64 {
    const BLOCK: u64 = 1 << 16;
    static BLOCKS: AtomicU64 = AtomicU64::new(0);
    thread_local! {
        static NEXT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }
    NEXT.with(|next| {
        let mut id = next.get();
        if id.is_multiple_of(BLOCK) {
            id = BLOCKS.fetch_add(1, Relaxed) * BLOCK + 1;
        }
        next.set(id + 1);
        id
    })
}

impl Tensor {
    fn new(inner: Arc<Inner>) -> Self {
        Self(ManuallyDrop::new(inner))
    }

    /// A tensor of a known value.
    // Out of line for the same reason as drop.
    #[must_use]
    #[inline(never)]
    pub fn from_array(array: Array) -> Self {
        let spec = Spec { dtype: array.dtype(), shape: array.shape().clone() };
        Self::new(Arc::new(Inner { id: next_id(), spec, array: OnceLock::from(array), traced: None }))
    }

    /// A tensor whose value a trace will know.
    pub(crate) fn from_trace(spec: Spec, traced: Traced) -> Self {
        Self::new(Arc::new(Inner { id: next_id(), spec, array: OnceLock::new(), traced: Some(traced) }))
    }

    /// A tensor of `shape` with the elements of `values`, in row-major order.
    ///
    /// # Panics
    /// With a typed error if `values` are not as many as the shape has.
    #[must_use]
    #[track_caller]
    pub fn from_slice<T: Element>(shape: impl Into<Shape>, values: &[T]) -> Self {
        // SAFETY: the bytes of a slice of elements, read only.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        Self::from_array(Array::from_bytes(T::DTYPE, shape.into(), bytes).or_raise())
    }

    /// A number that the next tensors of this thread reach or exceed, and earlier ones don't.
    pub(crate) fn next_id() -> u64 {
        next_id()
    }

    /// A number that no other tensor of this process has.
    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// Its dtype and shape.
    #[must_use]
    #[inline]
    pub fn spec(&self) -> &Spec {
        &self.0.spec
    }

    /// Its shape.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.0.spec.shape
    }

    /// Its dtype.
    #[must_use]
    #[inline]
    pub fn dtype(&self) -> DType {
        self.0.spec.dtype
    }

    /// How many axes it has.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// Where a trace holds its value, while that is not known.
    pub(crate) fn traced(&self) -> Option<Traced> {
        if self.0.array.get().is_some() { None } else { self.0.traced }
    }

    /// The value if it is known, without running anything.
    #[inline]
    pub(crate) fn known(&self) -> Option<&Array> {
        self.0.array.get()
    }

    /// Fills in the value that a trace has computed.
    pub(crate) fn resolve(&self, array: Array) {
        // A handle is resolved once, by the run of its own segment; a second value would be the same.
        let _ = self.0.array.set(array);
    }

    /// A handle that does not keep it alive.
    pub(crate) fn downgrade(&self) -> WeakTensor {
        WeakTensor(Arc::downgrade(&self.0))
    }

    /// The value; a traced tensor's segment is run first.
    ///
    /// # Errors
    /// If the value cannot be had, as inside a staged function.
    pub fn array(&self) -> Result<&Array> {
        if self.0.array.get().is_none() {
            crate::stage::read(self)?;
        }
        self.0.array.get().ok_or_else(|| {
            Error::new(
                ErrorKind::Stage,
                "this tensor has no value: the trace that was to compute it was abandoned, or failed before it got there",
            )
            .advise("compute it again in this cell")
        })
    }

    /// The elements in row-major order.
    ///
    /// # Panics
    /// With a typed error if `T` is not its dtype.
    #[must_use]
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        T::elements(&self.of_dtype(T::DTYPE))
    }

    /// The value, which must be of a dtype. Not generic, so that cells compile nothing of it.
    #[track_caller]
    fn of_dtype(&self, dtype: DType) -> Array {
        let array = self.array().or_raise();
        if dtype != array.dtype() {
            Error::new(ErrorKind::DType, format!("to_vec::<{dtype}>() of a {} tensor", self.spec()))
                .advise(format!("write to_vec::<{}>(), or .cast(DType::{dtype:?}) first", array.dtype()))
                .raise();
        }
        array.clone()
    }

    /// The one element, converted to `T`.
    ///
    /// # Panics
    /// With a typed error if it has not exactly one.
    #[must_use]
    #[track_caller]
    pub fn item<T: Element>(&self) -> T {
        match self.only() {
            (Some(whole), _) => T::from_i64(whole),
            (None, value) => T::from_f64(value),
        }
    }

    /// The one element as f64, and as i64 where the dtype has no others. Not generic, so that cells compile nothing of it.
    #[track_caller]
    fn only(&self) -> (Option<i64>, f64) {
        if self.shape().elements() != 1 {
            Error::new(
                ErrorKind::Shape,
                format!("item() of a tensor of shape {}, which has {} elements", self.shape(), self.shape().elements()),
            )
            .advise("reduce it first (mean, sum, max), or use to_vec()")
            .raise();
        }
        let array = self.array().or_raise();
        crate::dtype::with_dtype!(array.dtype(), E => {
            let value = array.to_vec::<E>()[0];
            ((!E::DTYPE.is_float()).then(|| value.to_i64()), value.to_f64())
        })
    }
}
