//! The shape of a comparison: two inputs that broadcast to bools, without a gradient.

use crate::device::cpu::map::binary;
use crate::dispatch::dispatch;
use crate::dtype::{DType, Element, with_dtype};
use crate::error::Result;
use crate::op::binary::{broadcast, promoted};
use crate::op::{Arrays, Op, OpInfo, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// A relation between two elements of one dtype.
pub(crate) trait Compare: std::fmt::Debug + Copy + Send + Sync + 'static {
    /// The table's entry.
    const INFO: &'static OpInfo;
    /// Whether it holds.
    fn holds<T: Element>(a: T, b: T) -> bool;
}

/// The op of a [`Compare`].
#[derive(Debug)]
pub(crate) struct Relation<C: Compare>(pub(crate) C);

impl<C: Compare> Op for Relation<C> {
    fn info(&self) -> &'static OpInfo {
        C::INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        broadcast(C::INFO, inputs).map(|spec| one(Spec { dtype: DType::Bool, ..spec }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let [a, b] = inputs else { unreachable!("{} has two inputs", C::INFO.name) };
        with_dtype!(a.dtype(), T => binary::<T, bool>(a, b, &outputs[0].shape, C::holds::<T>)).map(one)
    }
}

/// Compares two tensors after casting both to the dtype that they promote to.
#[track_caller]
pub(crate) fn compare<C: Compare>(op: C, a: &Tensor, b: &Tensor) -> Tensor {
    let (a, b) = promoted(a, b, DType::Bool);
    dispatch(Relation(op), &[&a, &b])
}
