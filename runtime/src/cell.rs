//! What generated code calls: the ABI between a cell's crate and the runtime. Not for users.
//!
//! A cell's crate has one entry function, `fn(&mut Cell)`. It takes the variables that it names out of the store, runs each
//! top-level statement through [`Cell::run`], and puts variables back, also when a statement fails. The generic functions are thin
//! shims over functions compiled here once, since what they generate is compiled again with every cell.
//!
//! Must not know: sockets, the text of cells.

mod dbg;
mod error;
pub mod keep;
pub mod shown;
mod timeit;

pub use crate::context::poll;
pub use error::{Error, stop};
pub use timeit::timeit;

use crate::context::Interrupted;
use crate::tensor::Tensor;
use crate::worker::store::Store;
use footlight_channel::{Failure, FailureKind, Ran};
use std::any::{Any, TypeId};
use std::cell::Cell as StdCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static STATEMENT: StdCell<u32> = const { StdCell::new(0) };
}

/// The line of the top-level statement that this thread runs, from 1; 0 outside cells.
#[must_use]
pub fn statement() -> u32 {
    STATEMENT.get()
}

/// One run of a cell, as its entry function sees it.
#[derive(Debug)]
pub struct Cell<'a> {
    store: &'a mut Store,
    /// A first, eager run of a compared cell: variables are cloned, and nothing is stored.
    trial: bool,
    failure: Option<Failure>,
    stopped: bool,
    /// Tensors that a trial run would have stored, to compare with those of the staged run.
    tensors: BTreeMap<String, Tensor>,
}

impl<'a> Cell<'a> {
    /// A run over the variables of `store`.
    pub(crate) fn new(store: &'a mut Store, trial: bool) -> Self {
        Self { store, trial, failure: None, stopped: false, tensors: BTreeMap::new() }
    }

    /// What failed, and which statements ran.
    pub(crate) fn outcome(&mut self) -> (Option<Failure>, Ran) {
        let ran = if self.failure.is_none() && !self.stopped { Ran::All } else { Ran::Part };
        (self.failure.take(), ran)
    }

    /// Tensors that a trial run made.
    pub(crate) fn into_tensors(self) -> BTreeMap<String, Tensor> {
        self.tensors
    }

    /// Whether variables are to be cloned, not taken.
    #[must_use]
    pub fn is_trial(&self) -> bool {
        self.trial
    }

    /// Takes a variable out of the store. The kernel names only variables that are there, under the type that was reported.
    ///
    /// # Panics
    /// If kernel and worker disagree on what is stored.
    #[must_use]
    pub fn take<T: 'static>(&mut self, name: &'static str) -> T {
        let value = self.take_raw(name, TypeId::of::<T>(), std::any::type_name::<T>());
        // SAFETY: the pointer is that of a box which holds a T, as the type's id has said, and which is given away.
        unsafe { *Box::from_raw(value.cast::<T>()) }
    }

    /// The box of a variable that is of the type `expected`.
    fn take_raw(&mut self, name: &'static str, expected: TypeId, type_name: &str) -> *mut () {
        let value = self.store.take(name);
        if (*value).type_id() != expected {
            wrong_type(name, type_name);
        }
        Box::into_raw(value).cast()
    }

    /// Takes a variable under a type that was compiled again from the same text, so that its layout is the same.
    ///
    /// # Panics
    /// If the stored value is of another size than `T`.
    ///
    /// # Safety
    /// The stored value's type must be the same definition as `T`, compiled by the same rustc with the same flags.
    #[must_use]
    pub unsafe fn take_reinterpreted<T: 'static>(&mut self, name: &'static str) -> T {
        let value = self.store.take(name);
        if size_of_val(&*value) != size_of::<T>() {
            wrong_type(name, std::any::type_name::<T>());
        }
        // SAFETY: the box holds a value of a type with the definition of T (the caller's promise) and of its size, so its
        // allocation has T's layout.
        unsafe { *Box::from_raw(Box::into_raw(value).cast::<T>()) }
    }

    /// A clone of a variable for a trial run, or the variable itself; see [`crate::take_or_clone!`].
    #[must_use]
    pub fn borrow<T: 'static>(&mut self, name: &'static str) -> &T {
        self.store.get(name).downcast_ref::<T>().unwrap_or_else(|| wrong_type(name, std::any::type_name::<T>()))
    }

    /// Puts a variable into the store and reports its type.
    pub fn put<T: 'static>(&mut self, name: &'static str, value: T) {
        self.put_dyn(name, Box::new(value), std::any::type_name::<T>());
    }

    fn put_dyn(&mut self, name: &'static str, value: Box<dyn Any>, type_name: &'static str) {
        if !self.trial {
            self.store.put(name, value, type_name);
        } else if let Ok(tensor) = value.downcast::<Tensor>() {
            self.tensors.insert(name.to_owned(), *tensor);
        }
    }

    /// Runs a top-level statement: its value, or `None` if it panicked, returned an error or ended the cell.
    #[inline]
    pub fn run<T>(&mut self, line: u32, statement: impl FnOnce() -> Result<T, Error>) -> Option<T> {
        let mut value = None;
        let mut statement = Some(statement);
        let done = self.run_dyn(line, &mut || match (statement.take()?)() {
            Ok(result) => {
                value = Some(result);
                None
            }
            Err(error) => Some(error),
        });
        if done { value } else { None }
    }

    /// Whether the statement ran to its end.
    #[inline(never)]
    fn run_dyn(&mut self, line: u32, statement: &mut dyn FnMut() -> Option<Error>) -> bool {
        STATEMENT.set(line);
        let statement = || {
            let error = statement();
            // A wait that an interrupt cut short, as a read of stdin, ends the statement like any other interrupt.
            poll();
            error
        };
        let failure = match catch_unwind(AssertUnwindSafe(statement)) {
            Ok(None) => return true,
            Ok(Some(error)) => match error.into_failure() {
                Some(failure) => failure,
                None => {
                    self.stopped = true;
                    return false;
                }
            },
            Err(payload) => failure(payload),
        };
        self.failure = Some(Failure { statement: Some(line), ..failure });
        false
    }
}

/// What a panic's payload says, with the place that the worker's panic hook noted.
pub(crate) fn failure(payload: Box<dyn Any + Send>) -> Failure {
    let place = crate::worker::panic::take_place();
    let failed = |kind, name: &str, message: String, place, advice| Failure {
        kind,
        name: name.to_owned(),
        message,
        place,
        statement: None,
        advice,
    };
    let payload = match payload.downcast::<crate::error::Error>() {
        Ok(error) => {
            let place = error.place.map(|place| (place.file.to_owned(), place.line, place.column)).or(place);
            return failed(FailureKind::Panic, error.kind.name(), error.message, place, error.advice);
        }
        Err(payload) => payload,
    };
    let payload = match payload.downcast::<Failure>() {
        Ok(failure) => return *failure,
        Err(payload) => payload,
    };
    if payload.is::<Interrupted>() {
        return failed(FailureKind::Interrupt, "Interrupted", "the cell was interrupted".to_owned(), None, None);
    }
    let message = match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => match payload.downcast_ref::<&'static str>() {
            Some(message) => (*message).to_owned(),
            None => "a panic whose payload is not text".to_owned(),
        },
    };
    failed(FailureKind::Panic, "Panic", message, place, None)
}

#[cold]
fn wrong_type(name: &str, expected: &str) -> ! {
    panic!("the variable `{name}` is not stored as a {expected}: please report this cell and restart the kernel")
}

/// Puts a variable into the store: `put!(cell, "name", name)`. Compiled with `--cfg footlight_types`, it makes rustc say the value's type
/// instead, in the error that it is not [`Asked`].
#[doc(hidden)]
#[macro_export]
macro_rules! put {
    ($cell:expr, $name:literal, $value:expr) => {
        #[cfg(not(footlight_types))]
        $cell.put($name, $value);
        #[cfg(footlight_types)]
        let _: $crate::cell::Asked = $crate::cell::Answer($value);
    };
}

/// What no value of a cell is.
#[derive(Debug)]
pub struct Asked;

/// A value whose type is asked for: rustc writes a generic type's arguments with their whole paths.
#[derive(Debug)]
pub struct Answer<T>(pub T);

/// Takes a variable, or in a compared cell's trial run clones it: `take_or_clone!(cell, Type, "name")`.
#[doc(hidden)]
#[macro_export]
macro_rules! take_or_clone {
    ($cell:expr, $type:ty, $name:literal) => {
        if $cell.is_trial() {
            #[allow(unused_imports)]
            use $crate::cell::NotClone as _;
            $crate::cell::CloneProbe::<$type>::new().clone_of($cell.borrow::<$type>($name), $name)
        } else {
            $cell.take::<$type>($name)
        }
    };
}

/// Finds out at compile time whether a type is `Clone`: the inherent method wins where its bound holds, else the trait's is called.
#[derive(Debug)]
pub struct CloneProbe<T>(std::marker::PhantomData<fn(T)>);

impl<T> CloneProbe<T> {
    /// A probe of `T`.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "only generated code makes one")]
    pub fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<T: Clone> CloneProbe<T> {
    /// A clone of the variable.
    pub fn clone_of(&self, value: &T, _name: &str) -> T {
        value.clone()
    }
}

/// The way of a variable that can't be cloned: the trial run ends and says so.
pub trait NotClone<T> {
    /// Raises an error that names the variable.
    fn clone_of(&self, value: &T, name: &str) -> T;
}

impl<T> NotClone<T> for CloneProbe<T> {
    fn clone_of(&self, _value: &T, name: &str) -> T {
        crate::error::Error::new(
            crate::error::ErrorKind::Stage,
            format!(
                "--compare runs the cell twice from the same state, and `{name}`, a {}, can't be cloned",
                std::any::type_name::<T>()
            ),
        )
        .advise("derive Clone for it, or stage without --compare")
        .raise()
    }
}
