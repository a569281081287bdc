//! Tensors, eager and staged.
