//! What the worker says to the kernel.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A value in its several forms: MIME type to data; `text/plain` is always there.
pub type Bundle = Map<String, Value>;

/// A message from worker to kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The worker has started.
    Ready {
        /// Its [`crate::PROTOCOL`].
        protocol: u32,
        /// The text of `rustc -vV` that built it.
        rustc: String,
        /// Its process.
        pid: u32,
    },
    /// A value to show now. Wants an ack.
    Display {
        /// For the ack.
        seq: u64,
        /// The value.
        bundle: Bundle,
        /// What later updates call it.
        id: Option<String>,
        /// Replace what was shown under `id`.
        update: bool,
    },
    /// Remove what the cell has shown. Wants an ack.
    ClearOutput {
        /// For the ack.
        seq: u64,
        /// Wait for the next output first.
        wait: bool,
    },
    /// The value of the cell's last expression. Wants an ack.
    Result {
        /// For the ack.
        seq: u64,
        /// The value.
        bundle: Bundle,
    },
    /// The cell waits for a line; [`crate::Request::Input`] answers.
    InputRequest {
        /// Shown before the field.
        prompt: String,
        /// Hide what is typed.
        password: bool,
    },
    /// A variable is in the store.
    Stored {
        /// Its name.
        name: String,
        /// `std::any::type_name` of its type.
        type_name: String,
        /// Its text in short for lists of variables.
        summary: Option<String>,
    },
    /// The cell failed; what it had before is stored.
    Failed(Failure),
    /// The turn is over.
    Done {
        /// The run's number.
        cell: u64,
        /// Which of its statements ran.
        ran: Ran,
    },
}

/// Which statements of a cell ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ran {
    /// None, or none that counts: variables are as they were.
    #[default]
    Nothing,
    /// Those up to one that failed or returned.
    Part,
    /// Every one.
    All,
}

/// How a cell failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The way it failed.
    pub kind: FailureKind,
    /// The error's name, such as `ShapeError` or `Panic`.
    pub name: String,
    /// What was given and what was expected.
    pub message: String,
    /// File, line and column in the generated crate, where known.
    pub place: Option<(String, u32, u32)>,
    /// The line of the cell's statement that failed.
    pub statement: Option<u32>,
    /// What to do.
    pub advice: Option<String>,
}

/// The ways in which a cell fails and its worker lives on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// It panicked.
    Panic,
    /// A `?` at top level returned an error.
    Error,
    /// The user interrupted it.
    Interrupt,
}
