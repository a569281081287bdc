//! Staging: a thread that traces turns ops into nodes of a graph, which runs later.

use crate::dispatch::Tensors;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::op::Op;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Records an op as a node of the current trace.
pub(crate) fn record(_op: &Arc<dyn Op>, _inputs: &[&Tensor], _place: Place) -> Result<Tensors> {
    Err(Error::new(ErrorKind::Stage, "no trace is being built"))
}

/// Makes a traced tensor's value known by running its segment.
pub(crate) fn read(_tensor: &Tensor) -> Result<()> {
    Err(Error::new(ErrorKind::Stage, "this tensor belongs to a trace that has not run"))
}

/// A variable's value as the trace sees it: what the trace assigned last, else what is stored.
pub(crate) fn variable_read(variable: &crate::variable::Variable) -> Tensor {
    variable.stored()
}

/// Assigns in the trace; storage changes when the graph has run.
pub(crate) fn variable_assign(variable: &crate::variable::Variable, value: &Tensor) {
    variable.store(value.clone());
}
