//! The shape of an elementwise op of two inputs that broadcast: a scalar function and its two derivatives.

use crate::device::cpu::map::binary;
use crate::dispatch::dispatch;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;
use std::borrow::Cow;

/// A scalar function of two numbers of one dtype.
pub(crate) trait Binary: std::fmt::Debug + Copy + Send + Sync + 'static {
    /// The table's entry.
    const INFO: &'static OpInfo;
    /// In single precision.
    fn f32(a: f32, b: f32) -> f32;
    /// In double precision.
    fn f64(a: f64, b: f64) -> f64;
    /// Of integers; `None` where it has no value, as a division by zero.
    fn i64(a: i64, b: i64) -> Option<i64>;
    /// What to say where [`Binary::i64`] has no value.
    const UNDEFINED: &'static str = "no value";
    /// The gradients for `a` and `b`, of the result's shape, given the inputs, the result `y` and its gradient `g`.
    fn grad(a: &Tensor, b: &Tensor, y: &Tensor, g: &Tensor) -> (Option<Tensor>, Option<Tensor>);
}

/// The op of a [`Binary`].
#[derive(Debug)]
pub(crate) struct Zip<B: Binary>(pub(crate) B);

impl<B: Binary> Op for Zip<B> {
    fn info(&self) -> &'static OpInfo {
        B::INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        broadcast(B::INFO, inputs)
            .map(|spec| one(Spec { dtype: if spec.dtype == DType::Bool { DType::I64 } else { spec.dtype }, ..spec }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let [a, b] = inputs else { unreachable!("{} has two inputs", B::INFO.name) };
        let shape = &outputs[0].shape;
        match outputs[0].dtype {
            DType::F32 => binary::<f32, f32>(a, b, shape, B::f32),
            DType::F64 => binary::<f64, f64>(a, b, shape, B::f64),
            DType::I64 | DType::Bool => {
                let undefined = std::cell::Cell::new(None);
                let result = binary::<i64, i64>(a, b, shape, |a, b| {
                    B::i64(a, b).unwrap_or_else(|| {
                        undefined.set(Some((a, b)));
                        0
                    })
                })?;
                if let Some((a, b)) = undefined.get() {
                    return Err(Error::new(ErrorKind::Value, format!("{}({a}, {b}): {}", B::INFO.name, B::UNDEFINED))
                        .advise("check the divisor first, or convert with .cast(DType::F32), where it gives infinity or NaN"));
                }
                Ok(result)
            }
        }
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let [a, b] = backward.inputs else { unreachable!("{} has two inputs", B::INFO.name) };
        let (for_a, for_b) = B::grad(a, b, &backward.outputs[0], backward.gradient());
        [(a, for_a), (b, for_b)].into_iter().map(|(input, gradient)| Some(gradient?.sum_to(input.shape()))).collect()
    }
}

/// Applies a function of two tensors after casting both to the dtype that they promote to; bools count as integers.
#[track_caller]
pub(crate) fn zip<B: Binary>(op: B, a: &Tensor, b: &Tensor) -> Tensor {
    let (a, b) = promoted(a, b, DType::I64);
    dispatch(Zip(op), &[&a, &b])
}

/// Both operands as the dtype that they promote to, at least `least`.
#[track_caller]
pub(crate) fn promoted<'a>(a: &'a Tensor, b: &'a Tensor, least: DType) -> (Cow<'a, Tensor>, Cow<'a, Tensor>) {
    let dtype = a.dtype().promote(b.dtype()).max(least);
    (of_dtype(a, dtype), of_dtype(b, dtype))
}

/// The tensor itself where it has the dtype already, which is the common case and must cost nothing.
#[track_caller]
fn of_dtype(tensor: &Tensor, dtype: DType) -> Cow<'_, Tensor> {
    if tensor.dtype() == dtype { Cow::Borrowed(tensor) } else { Cow::Owned(tensor.cast(dtype)) }
}

/// The spec of two operands broadcast, with the op's name in the error.
pub(crate) fn broadcast(info: &OpInfo, inputs: &[&Spec]) -> Result<Spec> {
    let shape = inputs[0].shape.broadcast(&inputs[1].shape).map_err(|error| error.of(info.name))?;
    Ok(Spec { dtype: inputs[0].dtype, shape })
}
