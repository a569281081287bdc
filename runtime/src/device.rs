//! Where ops run. The CPU is the only device of this slice; its kernels live in [`cpu`].
//!
//! Nothing above this folder walks memory; nothing in it knows ops by name.

pub mod cpu;
