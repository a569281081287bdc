//! The shape of an elementwise op of one float input: a scalar function and its derivative.

use crate::device::cpu::map::unary;
use crate::dispatch::dispatch;
use crate::dtype::with_dtype;
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
        float_only(U::INFO, inputs[0]).map(one)
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let input = &mut inputs[0];
        match outputs[0].dtype {
            crate::dtype::DType::F32 => unary::<f32, f32>(input, U::f32),
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

/// Applies a scalar function; integers and bools become f32 first, as JAX has it.
#[track_caller]
pub(crate) fn map<U: Unary>(op: U, x: &Tensor) -> Tensor {
    if x.dtype().is_float() { dispatch(Map(op), &[x]) } else { dispatch(Map(op), &[&x.cast(crate::dtype::DType::F32)]) }
}

/// The spec if it is of floats.
fn float_only(info: &OpInfo, spec: &Spec) -> Result<Spec> {
    with_dtype!(float spec.dtype, T => { let _: T; Ok(spec.clone()) }, else => Err(Error::new(
        ErrorKind::DType,
        format!("{} of a {spec} tensor: it takes floats", info.name),
    ).advise("convert with .cast(DType::F32)")))
}
