//! Jupyter's messages as they stand on the wire, and back.

pub mod header;

pub use header::Parent;
