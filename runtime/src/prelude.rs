//! What every cell sees without asking.

pub use crate::dtype::DType;
pub use crate::error::catch;
pub use crate::shape::Shape;
pub use crate::tensor::Tensor;
