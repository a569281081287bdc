//! What the kernel says to the worker.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A message from kernel to worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Load a cell's library and run it.
    Run(Box<Run>),
    /// The event of this number has been published; go on.
    Ack {
        /// The event's `seq`.
        seq: u64,
    },
    /// The line that the user typed, without its newline; `None` if no input is to be had.
    Input {
        /// The line.
        line: Option<String>,
        /// Why there is none; with neither, the user interrupted the cell.
        refusal: Option<String>,
    },
    /// Stop the running cell at the next loop or op.
    Interrupt,
    /// Drop these variables.
    Forget {
        /// Their names.
        names: Vec<String>,
    },
    /// Exit, dropping the variables.
    Shutdown,
}

/// A cell to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// A number that no other run of this session has.
    pub cell: u64,
    /// What the user calls it: `In[7]`.
    pub label: String,
    /// The compiled cell.
    pub library: PathBuf,
    /// The name of its entry function, of type `fn(&mut footlight::cell::Cell)`.
    pub entry: String,
    /// The user's text, magic lines included, for the profile's view.
    pub source: String,
    /// Lines of the crate past the user's text that stand for lines of earlier cells.
    pub places: Vec<PlaceRange>,
    /// How it runs.
    pub mode: Mode,
    /// Whether the last expression is shown.
    pub show: bool,
}

/// Lines of a generated file that stand for lines of an earlier cell: items that were compiled again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceRange {
    /// The first line in the generated file, from 1.
    pub generated_line: u32,
    /// How many lines.
    pub lines: u32,
    /// The cell that they come from, as `In[3]`.
    pub label: String,
    /// The first of them in that cell, from 1.
    pub line: u32,
}

/// How a cell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Op by op, as written.
    Eager,
    /// Op by op, with a profile shown after it.
    Profile,
    /// Traced, optimised and run as a graph; with `compare`, also eagerly from the same state.
    Stage {
        /// Run it eagerly too and show both.
        compare: bool,
    },
}
