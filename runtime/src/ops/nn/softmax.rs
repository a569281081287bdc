//! `exp(x) / sum(exp(x))` over the last axis, with the row's maximum taken off first, so that it cannot overflow. With `y` the result and
//! `g` its gradient: `y (g - sum(g y))`.
//!
//! Its logarithm goes the same way, `x - max - log(sum(exp(x - max)))`, with the gradient `g - softmax(x) sum(g)`: one op in two forms.

use crate::device::cpu::math::Quick as _;
use crate::device::cpu::reduce::fold_run;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::op::binary::promoted;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::ops::nn::log_softmax;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "softmax",
    doc: "Exponentials of the last axis, divided by their sum.",
    differentiable: true,
    samples: &[Sample {
        name: "rows",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., -5., 0., 5.])],
        apply: |x| x[0].softmax(),
        numpy: "np.exp(a) / np.exp(a).sum(-1, keepdims=True)",
    }],
};

/// Softmax, or its logarithm.
#[derive(Debug)]
struct Softmax {
    log: bool,
}

impl Op for Softmax {
    fn info(&self) -> &'static OpInfo {
        if self.log { &log_softmax::INFO } else { &INFO }
    }

    /// There must be a last axis to normalise over.
    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let (spec, name) = (inputs[0], self.info().name);
        if spec.shape.rank() == 0 {
            return Err(Error::new(ErrorKind::Shape, format!("{name} of {spec}, which has no axis to go over"))
                .advise("reshape it to [1], or stack the scalars first"));
        }
        Ok(one(spec.clone()))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let input = inputs[0].to_contiguous()?;
        let size = input.shape()[input.shape().rank() - 1].max(1);
        with_dtype!(float input.dtype(), T => {
            let values = input.as_slice::<T>().unwrap_or_default();
            Array::build(outputs[0].shape.clone(), |out: &mut [T]| {
                for (out, row) in out.chunks_exact_mut(size).zip(values.chunks_exact(size)) {
                    let max = fold_run(row, T::NEG_INFINITY, |a, b| if b > a { b } else { a });
                    for (out, &x) in out.iter_mut().zip(row) {
                        *out = (x - max).quick_exp();
                    }
                    let sum = fold_run(out, 0.0, |a, b| a + b);
                    if self.log {
                        let log = sum.ln();
                        for (out, &x) in out.iter_mut().zip(row) {
                            *out = x - max - log;
                        }
                    } else {
                        let scale = 1.0 / sum;
                        for out in out {
                            *out *= scale;
                        }
                    }
                }
            })
        }, else => unreachable!("the method casts to floats"))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let (y, g) = (&backward.outputs[0], backward.gradient());
        let gradient = if self.log { g - y.exp() * g.sum_keep(-1) } else { y * (g - (g * y).sum_keep(-1)) };
        [Some(gradient)].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        14 * outputs[0].shape.elements() as u64
    }
}

/// Applies the op in one of its forms; integers and bools are cast to f32.
#[track_caller]
pub(crate) fn softmax(x: &Tensor, log: bool) -> Tensor {
    let (x, _) = promoted(x, x, DType::F32);
    dispatch(Softmax { log }, &[&x])
}

impl Tensor {
    /// Exponentials of the last axis, divided by their sum.
    #[must_use]
    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        softmax(self, false)
    }
}
