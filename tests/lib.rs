//! Tests that cross crates live in `main.rs`; this library is empty so that cargo accepts the package.
