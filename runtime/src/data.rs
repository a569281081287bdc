//! Data from files to tensors, and from tensors to batches.

mod batches;
mod csv;

pub use batches::{Batches, batches};
pub use csv::read_csv;
