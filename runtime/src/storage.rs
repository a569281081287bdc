//! Bytes with an owner, and arrays: a layout over such bytes.
//!
//! An [`Array`] is a concrete value on the CPU; a tensor's handle holds one once its value is known.
//! Kernels take arrays and give arrays. Large buffers are kept for reuse, since fresh pages cost more
//! than most kernels; the bytes that live and their high-water are counted for the profile.

use crate::dtype::{DType, Element};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Layout;
use crate::shape::Shape;
use std::alloc::{Layout as Memory, alloc, dealloc};
use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Buffers are whole cache lines, and those from a page on are aligned to one, which is also the widest SIMD register.
const LINE: usize = 64;
/// Below this many bytes a buffer is aligned as malloc aligns, which is several times as quick as asking for more.
const ALIGN_FROM: usize = 4 << 10;
/// Buffers from this size on are kept for reuse; malloc is quick enough below.
const KEEP_FROM: usize = 64 << 10;
/// A thread keeps at most this many bytes.
const KEEP_AT_MOST: usize = 256 << 20;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Bytes held by storages now.
#[must_use]
pub fn live_bytes() -> usize {
    LIVE.load(Relaxed)
}

/// The most bytes held at once since [`reset_peak`].
#[must_use]
pub fn peak_bytes() -> usize {
    PEAK.load(Relaxed)
}

/// Starts a new measure of the high-water from what is held now.
pub fn reset_peak() {
    PEAK.store(live_bytes(), Relaxed);
}

#[derive(Default)]
struct Kept {
    buffers: Vec<(NonNull<u8>, usize)>,
    bytes: usize,
}

impl Drop for Kept {
    fn drop(&mut self) {
        for (pointer, capacity) in self.buffers.drain(..) {
            // SAFETY: every kept buffer was allocated by `Storage::new` with this layout and has no other owner.
            unsafe { dealloc(pointer.as_ptr(), memory(capacity)) };
        }
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

fn layout_of(capacity: usize) -> std::result::Result<Memory, std::alloc::LayoutError> {
    Memory::from_size_align(capacity, if capacity < ALIGN_FROM { 16 } else { LINE })
}

fn memory(capacity: usize) -> Memory {
    layout_of(capacity).expect("capacity was allocated with this layout before")
}

/// An owned, aligned block of bytes, initialised before it is shared.
#[derive(Debug)]
pub struct Storage {
    pointer: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a Storage owns its bytes; they change only through `&mut Storage`, which `Arc::get_mut` guards.
unsafe impl Send for Storage {}
// SAFETY: shared access only reads.
unsafe impl Sync for Storage {}

impl Storage {
    fn new(bytes: usize) -> Result<Self> {
        // Sizes near the end of the address space are refused below, as a layout.
        let capacity = bytes.max(1).checked_next_multiple_of(LINE).unwrap_or(usize::MAX);
        let kept = if capacity >= KEEP_FROM {
            KEPT.try_with(|kept| {
                let mut kept = kept.borrow_mut();
                let found = kept.buffers.iter().rposition(|&(_, size)| size == capacity)?;
                kept.bytes -= capacity;
                Some(kept.buffers.swap_remove(found).0)
            })
            .ok()
            .flatten()
        } else {
            None
        };
        let refused = || {
            Error::new(
                ErrorKind::Memory,
                format!("{bytes} bytes could not be allocated; tensors hold {} bytes now", live_bytes()),
            )
            .advise("drop tensors that are no longer needed, or work in smaller batches")
        };
        let pointer = match kept {
            Some(pointer) => pointer,
            None => {
                let layout = layout_of(capacity).map_err(|_| refused())?;
                // SAFETY: the layout's size is not zero.
                NonNull::new(unsafe { alloc(layout) }).ok_or_else(refused)?
            }
        };
        let live = LIVE.fetch_add(capacity, Relaxed) + capacity;
        PEAK.fetch_max(live, Relaxed);
        Ok(Self { pointer, capacity })
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        LIVE.fetch_sub(self.capacity, Relaxed);
        if self.capacity >= KEEP_FROM {
            let kept = KEPT.try_with(|kept| {
                let mut kept = kept.borrow_mut();
                let fits = kept.bytes + self.capacity <= KEEP_AT_MOST;
                if fits {
                    kept.bytes += self.capacity;
                    kept.buffers.push((self.pointer, self.capacity));
                }
                fits
            });
            if kept == Ok(true) {
                return;
            }
        }
        // SAFETY: allocated in `Storage::new` with this layout, and this is the only owner.
        unsafe { dealloc(self.pointer.as_ptr(), memory(self.capacity)) };
    }
}

/// A concrete value: elements of one dtype, seen through a layout.
#[derive(Clone, Debug)]
pub struct Array {
    storage: Arc<Storage>,
    dtype: DType,
    layout: Layout,
}

impl Array {
    /// An array of no elements, which stands where a value was moved out. All share one storage.
    #[must_use]
    pub(crate) fn empty() -> Self {
        static EMPTY: std::sync::OnceLock<Arc<Storage>> = std::sync::OnceLock::new();
        let storage = EMPTY.get_or_init(|| Arc::new(Storage::new(0).expect("64 bytes at the start of a process")));
        Self { storage: storage.clone(), dtype: DType::F32, layout: Layout::contiguous(Shape::from(0)) }
    }

    /// A contiguous array whose elements `fill` writes, given the uninitialised slice.
    ///
    /// `fill` gets every element to write; what it leaves unwritten holds old bytes that are still
    /// valid for `T` only if `T` is a number, so bool arrays are zeroed first.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if the bytes cannot be had.
    #[inline]
    pub fn build<T: Element>(shape: Shape, fill: impl FnOnce(&mut [T])) -> Result<Self> {
        let elements = shape.elements();
        let bytes = elements.checked_mul(size_of::<T>()).ok_or_else(|| {
            Error::new(ErrorKind::Memory, format!("a tensor of shape {shape} has more bytes than an address can count"))
        })?;
        let storage = Storage::new(bytes)?;
        if T::DTYPE == DType::Bool || cfg!(debug_assertions) {
            // SAFETY: the storage has at least `bytes` bytes and is ours alone.
            unsafe { storage.pointer.as_ptr().write_bytes(0, bytes) };
        }
        // SAFETY: aligned to 16 or more, at least `elements` long, ours alone; any bytes are a valid number, and bools are zeroed.
        fill(unsafe { std::slice::from_raw_parts_mut(storage.pointer.as_ptr().cast::<T>(), elements) });
        Ok(Self { storage: Arc::new(storage), dtype: T::DTYPE, layout: Layout::contiguous(shape) })
    }

    /// A contiguous array of the elements of `values`, in row-major order.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] if `values` are not as many as the shape has.
    pub fn from_slice<T: Element>(shape: Shape, values: &[T]) -> Result<Self> {
        // SAFETY: the bytes of a slice of elements, read only.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        Self::from_bytes(T::DTYPE, shape, bytes)
    }

    /// The same from the elements' bytes, which are valid elements of `dtype`. Not generic, so that cells compile nothing of it.
    pub(crate) fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8]) -> Result<Self> {
        let (given, elements) = (bytes.len() / dtype.size(), shape.elements());
        if given != elements {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("{given} values for a tensor of shape {shape}, which has {elements} elements"),
            ));
        }
        let storage = Storage::new(bytes.len())?;
        // SAFETY: the storage has at least as many bytes, is ours alone, and cannot overlap the slice.
        unsafe { storage.pointer.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(Self { storage: Arc::new(storage), dtype, layout: Layout::contiguous(shape) })
    }

    /// Its dtype.
    #[must_use]
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Its layout.
    #[must_use]
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its shape.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.layout.shape
    }

    /// The same storage seen through another layout.
    ///
    /// Every index of `layout` must lie in the storage; rules that make views guarantee it.
    #[must_use]
    pub fn view(&self, layout: Layout) -> Self {
        debug_assert!(self.in_storage(&layout), "view {layout:?} leaves the storage");
        Self { storage: self.storage.clone(), dtype: self.dtype, layout }
    }

    /// Whether every element of `layout` lies in the storage.
    fn in_storage(&self, layout: &Layout) -> bool {
        if layout.shape.elements() == 0 {
            return true;
        }
        let (mut low, mut high) = (layout.offset as isize, layout.offset as isize);
        for (&size, &stride) in layout.shape.iter().zip(&layout.strides) {
            let reach = (size as isize - 1) * stride;
            low += reach.min(0);
            high += reach.max(0);
        }
        low >= 0 && (high as usize) < self.storage.capacity / self.dtype.size()
    }

    /// The elements if they lie in row-major order without gaps.
    #[must_use]
    #[inline]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if !self.layout.is_contiguous() {
            return None;
        }
        let elements = self.layout.shape.elements();
        // SAFETY: `all` checks the dtype; a contiguous layout lies in the storage from `offset` on.
        Some(unsafe { std::slice::from_raw_parts(self.all::<T>().add(self.layout.offset), elements) })
    }

    /// The start of the storage, for kernels that walk strides.
    ///
    /// # Panics
    /// If `T` is not the array's dtype: kernels dispatch on it first.
    #[must_use]
    #[inline]
    pub fn all<T: Element>(&self) -> *const T {
        assert_eq!(T::DTYPE, self.dtype, "a kernel read a {} array as {}", self.dtype, T::DTYPE);
        self.storage.pointer.as_ptr().cast::<T>()
    }

    /// The elements for writing, if nobody else sees this storage and they are contiguous: a kernel may then
    /// give its result in place of this input.
    #[must_use]
    #[inline]
    pub fn as_unique_slice<T: Element>(&mut self) -> Option<&mut [T]> {
        if T::DTYPE != self.dtype || !self.layout.is_contiguous() {
            return None;
        }
        let elements = self.layout.shape.elements();
        let offset = self.layout.offset;
        let storage = Arc::get_mut(&mut self.storage)?;
        // SAFETY: unique by `get_mut`, the dtype matches, and a contiguous layout lies in the storage from `offset` on.
        Some(unsafe { std::slice::from_raw_parts_mut(storage.pointer.as_ptr().cast::<T>().add(offset), elements) })
    }

    /// Bytes of its elements.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layout.shape.elements() * self.dtype.size()
    }

    /// The elements in row-major order.
    #[must_use]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        match self.as_slice::<T>() {
            Some(slice) => slice.to_vec(),
            None => {
                let mut values = Vec::with_capacity(self.layout.shape.elements());
                crate::device::cpu::walk::each_offset(&self.layout, |offset| {
                    // SAFETY: a layout's offsets lie in its storage.
                    values.push(unsafe { *self.all::<T>().add(offset) });
                });
                values
            }
        }
    }

    /// This array in row-major order: itself, or one copy.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`] if a copy cannot be had.
    pub fn to_contiguous(&self) -> Result<Self> {
        if self.layout.is_contiguous() {
            return Ok(self.clone());
        }
        crate::dtype::with_dtype!(self.dtype, T => Self::build(self.shape().clone(), |out: &mut [T]| {
            let mut next = 0;
            crate::device::cpu::walk::each_offset(&self.layout, |offset| {
                // SAFETY: a layout's offsets lie in its storage.
                out[next] = unsafe { *self.all::<T>().add(offset) };
                next += 1;
            });
        }))
    }
}
