//! What a statement gives away and the notebook keeps: a handle of the runtime, whose clone shares its memory.
//!
//! `a + 1.0` moves `a`, as any Rust does. Inside its cell that stays so; but the next cell finds `a` again, since the kernel has
//! [`keep!`](crate::keep) put a clone into the store before the statement. Other values are moved away for good: their clones would cost,
//! and could change what the program does, as one of an `Rc` or of a channel's sender would.
//!
//! `x = step(x)` moves `x` too, and means to have it again; so that a failure on the way does not lose it,
//! [`keep_clone!`](crate::keep_clone) does the same for every type that can be cloned. So it is with `(a, b)` at a cell's end, which moves
//! both and means to show them.

use super::Cell;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Types whose clone is a handle to the same memory.
pub trait Handle: Clone + 'static {}

impl Handle for Tensor {}
impl Handle for Variable {}
impl<T: Handle> Handle for Vec<T> {}
impl<T: Handle> Handle for Option<T> {}
impl<T: Handle, const N: usize> Handle for [T; N] {}
impl<A: Handle, B: Handle> Handle for (A, B) {}
impl<A: Handle, B: Handle, C: Handle> Handle for (A, B, C) {}
impl<A: Handle, B: Handle, C: Handle, D: Handle> Handle for (A, B, C, D) {}

/// Puts a clone of a handle into the store, and does nothing for other types: `keep!(cell, "name", name)`.
#[doc(hidden)]
#[macro_export]
macro_rules! keep {
    ($cell:expr, $name:literal, $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::cell::keep::{KeepHandle as _, KeepNothing as _};
        (&$crate::cell::keep::Keep(&$value)).keep($cell, $name);
    }};
}

/// Puts a clone into the store, and does nothing for types that can't be cloned: `keep_clone!(cell, "name", name)`.
#[doc(hidden)]
#[macro_export]
macro_rules! keep_clone {
    ($cell:expr, $name:literal, $value:expr) => {{
        #[allow(unused_imports)]
        use $crate::cell::keep::{KeepClone as _, KeepNothing as _};
        (&$crate::cell::keep::Keep(&$value)).keep($cell, $name);
    }};
}

/// A value that may be kept; which way it goes is found at compile time, as in [`super::shown`].
#[derive(Debug)]
pub struct Keep<'a, T: ?Sized>(pub &'a T);

/// The way of handles.
pub trait KeepHandle {
    /// Stores a clone.
    fn keep(&self, cell: &mut Cell<'_>, name: &'static str);
}

impl<T: Handle> KeepHandle for Keep<'_, T> {
    fn keep(&self, cell: &mut Cell<'_>, name: &'static str) {
        keep(self.0, cell, name);
    }
}

/// The way of types that can be cloned.
pub trait KeepClone {
    /// Stores a clone.
    fn keep(&self, cell: &mut Cell<'_>, name: &'static str);
}

impl<T: Clone + 'static> KeepClone for Keep<'_, T> {
    fn keep(&self, cell: &mut Cell<'_>, name: &'static str) {
        keep(self.0, cell, name);
    }
}

fn keep<T: Clone + 'static>(value: &T, cell: &mut Cell<'_>, name: &'static str) {
    // A trial run stores nothing, and what it would have given away is no result of it.
    if !cell.is_trial() {
        cell.put(name, value.clone());
    }
}

/// The way of all other types.
pub trait KeepNothing {
    /// Stores nothing.
    fn keep(&self, _cell: &mut Cell<'_>, _name: &'static str) {}
}

impl<T: ?Sized> KeepNothing for &Keep<'_, T> {}
