//! Gradient tapes: what was computed, so that it can be differentiated backwards.

use crate::dispatch::Tensors;
use crate::error::Place;
use crate::op::Op;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Tells the tapes of this thread of an op.
pub(crate) fn record(_op: &Arc<dyn Op>, _inputs: &[&Tensor], _outputs: &Tensors, _place: Place) {}
