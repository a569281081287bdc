//! The channel between kernel and worker: the one crate that both processes link.
//!
//! They share a Unix stream socket. The kernel speaks [`Request`]s, the worker [`Event`]s, each as a [frame] of JSON.
//!
//! # Who speaks when
//!
//! 1. The worker says [`Event::Ready`] once, with its [`PROTOCOL`] version and the rustc that built it. The kernel refuses another
//!    version before it sends anything.
//! 2. The kernel sends [`Request::Run`] for a cell, and no second one before the turn's [`Event::Done`]. The worker answers with any
//!    number of displays, stored variables and input requests, at most one [`Event::Failed`], and `Done` last.
//! 3. Events with a `seq` ask for a word: the kernel publishes what the pipes held before the event, then the event, then sends
//!    [`Request::Ack`]. The worker waits for it, so streams and displays keep the program's order.
//! 4. [`Request::Interrupt`] may come at any moment; it is read by a thread of its own and needs no answer.
//!
//! Silence means that a cell is computing. A closed socket means that the other process has ended: the worker then exits, and the
//! kernel asks the system how the worker died.
//!
//! Must not know: Jupyter's messages, tensors.

pub mod event;
pub mod frame;
pub mod request;

pub use event::{Bundle, Event, Failure, FailureKind, Ran};
pub use frame::{FrameError, read_frame, write_frame};
pub use request::{Mode, PlaceRange, Request, Run};

/// The version of these messages; it changes whenever one of them does.
pub const PROTOCOL: u32 = 1;

/// The environment variable in which the worker finds the number of its socket's file descriptor.
pub const FD_VARIABLE: &str = "FOOTLIGHT_CHANNEL_FD";
