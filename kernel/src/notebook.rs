//! The kernel's memory of the notebook.

pub mod history;
