//! The one way from a method to an op: eager, recorded by tapes, or a node of a trace.
//!
//! The only file that knows all three. The quick way, eager with nothing else to do, is a look at one
//! thread-local byte, the op's shape rule and its kernel.

use crate::context::{self, PROFILE, TAPE, TRACE};
use crate::error::{OrRaise, Place, Result};
use crate::op::{Arrays, Op, Spec};
use crate::storage::Array;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

/// Handles of an op's results.
pub(crate) type Tensors = SmallVec<[Tensor; 1]>;

/// Applies an op that has one result.
///
/// # Panics
/// With the op's typed error at the caller's place.
#[track_caller]
#[inline]
pub(crate) fn dispatch<O: Op>(op: O, inputs: &[&Tensor]) -> Tensor {
    context::poll();
    if context::flags() == 0 {
        Tensor::from_array(first(run(&op, inputs).or_raise()))
    } else {
        first(attended(&(Arc::new(op) as Arc<dyn Op>), inputs, Place::caller()).or_raise())
    }
}

fn first<T>(mut outputs: SmallVec<[T; 1]>) -> T {
    outputs.pop().expect("an op that dispatch() applies has one result")
}

/// Runs an op on known values.
#[inline]
fn eager(op: &dyn Op, inputs: &[&Tensor]) -> Result<Tensors> {
    Ok(run(op, inputs)?.into_iter().map(Tensor::from_array).collect())
}

fn run(op: &dyn Op, inputs: &[&Tensor]) -> Result<Arrays> {
    let specs: SmallVec<[&Spec; 4]> = inputs.iter().map(|input| input.spec()).collect();
    let outputs = op.infer(&specs)?;
    let mut arrays: SmallVec<[Array; 4]> = SmallVec::with_capacity(inputs.len());
    for input in inputs {
        arrays.push(input.array()?.clone());
    }
    op.cpu(&mut arrays, &outputs)
}

/// The way of a thread that traces, records or profiles.
fn attended(op: &Arc<dyn Op>, inputs: &[&Tensor], place: Place) -> Result<Tensors> {
    let flags = context::flags();
    let place = context::asked().unwrap_or(place);
    let outputs = if flags & TRACE != 0 {
        crate::stage::record(op, inputs, place)?
    } else if flags & PROFILE != 0 {
        crate::profile::timed(op, inputs, place, || eager(op.as_ref(), inputs))?
    } else {
        eager(op.as_ref(), inputs)?
    };
    if flags & TAPE != 0 {
        crate::tape::record(op, inputs, &outputs);
    }
    Ok(outputs)
}
