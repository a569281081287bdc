//! CPU kernels: generic walks over arrays, which ops instantiate with their scalar functions.

pub mod gemm;
pub mod map;
pub mod math;
pub mod reduce;
pub mod walk;
