//! Staging: a thread that traces turns ops into nodes of a graph, which runs later and as a whole.
//!
//! [`trace`] holds the graph that is being built; [`function`] the staged functions with their traces; [`structure`] what functions may
//! return. Dispatch calls [`record`], variables [`variable_read`] and [`variable_assign`], and a tensor whose value is asked for [`read`].
//!
//! Must not know: views, Jupyter's messages.

pub mod function;
pub mod structure;
mod trace;

pub use function::{Argument, Call, Capture, Core, Explanation, Inputs, Staged};
pub use structure::Structure;
pub use trace::run_cell;
#[cfg(test)]
pub(crate) use trace::trace_graph;
pub(crate) use trace::{read, record, variable_assign, variable_read};
