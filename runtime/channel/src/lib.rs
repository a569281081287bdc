//! The channel between kernel and worker.
