//! Layers: variables with a rule from an input to an output. Written with ops, so they differentiate and stage like any other code.
//!
//! Must not know: graphs, devices.

mod linear;

pub use linear::Linear;
