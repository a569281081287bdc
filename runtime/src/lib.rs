//! Footlight's runtime: tensors that compute eagerly, and the same code staged into graphs.
//!
//! A method of [`Tensor`] builds an op and hands it to dispatch, which computes at once, tells the
//! tapes, or adds a node to the trace. Modules stand in reading order.
//!
//! It must not know Jupyter's messages, sockets or the text of cells.

// The one pairing of a run-time dtype with its Rust type; declared first so that all modules see it.
pub mod cell;
pub mod context;
pub mod data;
pub mod device;
mod dispatch;
pub mod dtype;
pub mod error;
pub mod exec;
pub mod graph;
pub mod layout;
pub mod nn;
pub mod op;
pub mod ops;
pub mod optim;
pub mod passes;
pub mod prelude;
pub mod profile;
pub mod random;
pub mod shape;
pub mod show;
pub mod stage;
pub mod storage;
pub mod tape;
pub mod tensor;
pub mod variable;
pub mod worker;

pub use dtype::{DType, Element};
pub use error::{Error, ErrorKind, catch};
pub use shape::{Axes, Shape};
pub use tensor::Tensor;
pub use variable::Variable;
