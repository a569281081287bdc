//! The shape of an elementwise op of one float input: a scalar function and its derivative.

use crate::device::cpu::map::unary;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// A scalar function of floats. The op's file implements it; everything else about an elementwise op follows.
pub(crate) trait Unary: std::fmt::Debug + Copy + Send + Sync + 'static {
    /// The table's entry.
    const INFO: &'static OpInfo;
    /// The function in single precision.
    fn f32(x: f32) -> f32;
    /// The function in double precision.
    fn f64(x: f64) -> f64;
    /// The function of integers, for those that give integers; of others the float of `x` is taken, as JAX has it.
    const I64: Option<fn(i64) -> i64> = None;
    /// The gradient for `x`, given `x`, the result `y` and its gradient `g`.
    fn grad(x: &Tensor, y: &Tensor, g: &Tensor) -> Tensor;
    /// Floating-point operations of one call, for the profile.
    const FLOPS: u64 = 1;
}

/// The op of a [`Unary`].
#[derive(Debug)]
pub(crate) struct Map<U: Unary>(pub(crate) U);

impl<U: Unary> Op for Map<U> {
    fn info(&self) -> &'static OpInfo {
        U::INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        match (inputs[0].dtype, U::I64) {
            (DType::I64, Some(_)) => Ok(one(inputs[0].clone())),
            _ => float_only(U::INFO, inputs[0]).map(one),
        }
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let input = &mut inputs[0];
        match (outputs[0].dtype, U::I64) {
            (DType::I64, Some(whole)) => unary::<i64, i64>(input, whole),
            (DType::F32, _) => unary::<f32, f32>(input, U::f32),
            _ => unary::<f64, f64>(input, U::f64),
        }
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        [Some(U::grad(&backward.inputs[0], &backward.outputs[0], backward.gradient()))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        U::FLOPS * outputs[0].shape.elements() as u64
    }
}

/// Applies a scalar function. Integers and bools become f32 first, as JAX has it; bools become integers where the function has those.
#[track_caller]
pub(crate) fn map<U: Unary>(op: U, x: &Tensor) -> Tensor {
    match x.dtype() {
        DType::F32 | DType::F64 => dispatch(Map(op), &[x]),
        DType::I64 if U::I64.is_some() => dispatch(Map(op), &[x]),
        _ => dispatch(Map(op), &[&x.cast(if U::I64.is_some() { DType::I64 } else { DType::F32 })]),
    }
}

/// The spec if it is of floats.
fn float_only(info: &OpInfo, spec: &Spec) -> Result<Spec> {
    with_dtype!(float spec.dtype, T => { let _: T; Ok(spec.clone()) }, else => Err(Error::new(
        ErrorKind::DType,
        format!("{} of a {spec} tensor: it takes floats", info.name),
    ).advise("convert with .cast(DType::F32)")))
}
