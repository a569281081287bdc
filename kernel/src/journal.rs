//! The kernel's own log: one line to stderr, which Jupyter shows in its terminal. Never panics, whatever became of stderr.

use std::fmt::Display;
use std::io::Write;

/// Writes one line that says what happened and what was done about it.
pub fn note(message: impl Display) {
    // Nobody can be told that stderr is closed.
    let _ = writeln!(std::io::stderr(), "[footlight] {message}");
}
