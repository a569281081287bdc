//! The eager context of a thread: what dispatch must do besides computing, and the interrupt flag.

use crate::error::Place;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Tapes are recording.
pub(crate) const TAPE: u8 = 1;
/// A trace is being built: ops become nodes.
pub(crate) const TRACE: u8 = 2;
/// A profile is being taken: ops are timed.
pub(crate) const PROFILE: u8 = 4;

thread_local! {
    static FLAGS: Cell<u8> = const { Cell::new(0) };
}

/// What dispatch must do on this thread besides computing; 0 is the quick way.
#[inline]
pub(crate) fn flags() -> u8 {
    FLAGS.get()
}

/// Sets or clears one flag, returning what it was.
pub(crate) fn set_flag(flag: u8, on: bool) -> bool {
    let flags = FLAGS.get();
    FLAGS.set(if on { flags | flag } else { flags & !flag });
    flags & flag != 0
}

/// A flag set for a while: dropping it puts the old value back, on unwinding too.
#[derive(Debug)]
pub(crate) struct FlagGuard {
    flag: u8,
    was: bool,
}

impl FlagGuard {
    /// Sets or clears `flag` until dropped.
    pub(crate) fn set(flag: u8, on: bool) -> Self {
        Self { flag, was: set_flag(flag, on) }
    }
}

impl Drop for FlagGuard {
    fn drop(&mut self) {
        set_flag(self.flag, self.was);
    }
}

thread_local! {
    static ASKED_AT: Cell<Option<Place>> = const { Cell::new(None) };
}

/// The line that asked for what this thread computes now, where that is not the line that calls the op: gradient rules and optimizers
/// call ops from their own files.
pub(crate) fn asked() -> Option<Place> {
    ASKED_AT.get()
}

/// Ops have the place `place` until the guard is dropped, on unwinding too. The outermost one holds.
pub(crate) fn asked_at(place: Place) -> AskedAt {
    let before = ASKED_AT.get();
    ASKED_AT.set(Some(before.unwrap_or(place)));
    AskedAt(before)
}

/// See [`asked_at`].
#[derive(Debug)]
pub(crate) struct AskedAt(Option<Place>);

impl Drop for AskedAt {
    fn drop(&mut self) {
        ASKED_AT.set(self.0);
    }
}

/// Set by the worker when the user interrupts; every op and every loop of a cell looks at it.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The panic payload of an interrupt.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted;

/// Unwinds if the user has interrupted the cell.
#[inline]
pub fn poll() {
    // A second panic while one unwinds, in a `drop`, would end the worker.
    if INTERRUPTED.load(Relaxed) && !std::thread::panicking() {
        interrupted();
    }
}

/// Unwinds as an interrupt does.
#[cold]
pub(crate) fn interrupted() -> ! {
    INTERRUPTED.store(false, Relaxed);
    std::panic::panic_any(Interrupted);
}
