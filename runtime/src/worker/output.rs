//! The worker's outlet: events to the kernel, in order with what the cell prints.

use crate::show::Bundle;
use footlight_channel::{Event, write_frame};
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

static SOCKET: OnceLock<Mutex<UnixStream>> = OnceLock::new();
static SEQ: AtomicU64 = AtomicU64::new(1);
static ACKNOWLEDGED: Mutex<u64> = Mutex::new(0);
static WOKEN: Condvar = Condvar::new();

thread_local! {
    /// Set while a cell runs that has shown all this already.
    static MUTED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Gives the outlet its socket; a plain Rust program never does, and its displays go to stdout.
pub(crate) fn connect(socket: UnixStream) {
    // Called once, by the worker's main.
    let _ = SOCKET.set(Mutex::new(socket));
}

/// Drops what this thread shows, until unmuted; see [`super::mute::Muted`].
pub(crate) fn mute(on: bool) {
    MUTED.set(on);
}

/// Sends an event.
pub(crate) fn send(event: &Event) {
    if let Some(socket) = SOCKET.get() {
        let mut socket = socket.lock().unwrap_or_else(PoisonError::into_inner);
        // The kernel has gone if this fails; the reading thread then ends the process.
        let _ = write_frame(&mut *socket, event);
    }
}

/// Pushes what std still holds into the pipes, so that the kernel finds it there before the next event.
pub(crate) fn flush() {
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
}

/// Sends an event that wants an ack, and waits for it.
fn publish(make: impl FnOnce(u64) -> Event) {
    flush();
    let seq = SEQ.fetch_add(1, Relaxed);
    send(&make(seq));
    let mut acknowledged = ACKNOWLEDGED.lock().unwrap_or_else(PoisonError::into_inner);
    while *acknowledged < seq {
        acknowledged = WOKEN.wait(acknowledged).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Wakes who waits for the ack of `seq`.
pub(crate) fn acknowledged(seq: u64) {
    let mut acknowledged = ACKNOWLEDGED.lock().unwrap_or_else(PoisonError::into_inner);
    *acknowledged = seq.max(*acknowledged);
    WOKEN.notify_all();
}

/// Shows a value now.
pub(crate) fn display(bundle: Bundle, id: Option<String>, update: bool) {
    show(bundle, |seq, bundle| Event::Display { seq, bundle, id, update });
}

/// Shows the value of the cell's last expression.
pub(crate) fn result(bundle: Bundle) {
    show(bundle, |seq, bundle| Event::Result { seq, bundle });
}

fn show(bundle: Bundle, event: impl FnOnce(u64, footlight_channel::Bundle) -> Event) {
    if MUTED.get() {
        return;
    }
    if SOCKET.get().is_none() {
        println!("{}", bundle.plain());
        return;
    }
    publish(|seq| event(seq, bundle.into_map()));
}

/// Removes what the cell has shown.
pub(crate) fn clear(wait: bool) {
    if SOCKET.get().is_some() && !MUTED.get() {
        publish(|seq| Event::ClearOutput { seq, wait });
    }
}
