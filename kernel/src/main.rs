//! The kernel program.
fn main() {}
