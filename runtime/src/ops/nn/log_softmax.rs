//! `log(softmax(x))` over the last axis, as `x - max - log(sum(exp(x - max)))`, which cannot overflow. With `y` the result and `g` its
//! gradient: `g - softmax(x) sum(g)`.

use crate::device::cpu::math::Quick as _;
use crate::device::cpu::reduce::fold_run;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::op::binary::promoted;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "log_softmax",
    doc: "Logarithm of softmax over the last axis.",
    differentiable: true,
    samples: &[Sample {
        name: "rows",
        inputs: || vec![Tensor::from_slice([2, 3], &[1f32, 2., 3., -100., 0., 100.])],
        apply: |x| x[0].log_softmax(),
        numpy: "a - np.log(np.exp(a.astype('float64')).sum(-1, keepdims=True)).astype('float32')",
    }],
};

#[derive(Debug)]
struct LogSoftmax;

/// The spec, if there is a last axis to normalise over.
pub(crate) fn rows(info: &OpInfo, spec: &Spec) -> Result<Spec> {
    if spec.shape.rank() == 0 {
        return Err(Error::new(ErrorKind::Shape, format!("{} of {spec}, which has no axis to go over", info.name))
            .advise("reshape it to [1], or stack the scalars first"));
    }
    Ok(spec.clone())
}

impl Op for LogSoftmax {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        rows(&INFO, inputs[0]).map(one)
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
                    let log = fold_run(out, 0.0, |a, b| a + b).ln();
                    for (out, &x) in out.iter_mut().zip(row) {
                        *out = x - max - log;
                    }
                }
            })
        }, else => unreachable!("the method casts to floats"))
        .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let (y, g) = (&backward.outputs[0], backward.gradient());
        [Some(g - y.exp() * g.sum_keep(-1))].into_iter().collect()
    }

    fn flops(&self, _inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        14 * outputs[0].shape.elements() as u64
    }
}

impl Tensor {
    /// Logarithm of softmax over the last axis.
    #[must_use]
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        let (x, _) = promoted(self, self, DType::F32);
        dispatch(LogSoftmax, &[&x])
    }

    /// `log(sum(exp(x)))` over the last axis, without overflow.
    #[must_use]
    #[track_caller]
    pub fn logsumexp(&self) -> Tensor {
        let max = self.max_keep(-1);
        ((self - &max).exp().sum_keep(-1).log() + max).squeeze(-1)
    }

    /// Mean cross entropy of these logits against `labels`: i64 class numbers, one for each row.
    #[must_use]
    #[track_caller]
    pub fn cross_entropy(&self, labels: &Tensor) -> Tensor {
        -self.log_softmax().gather(labels).mean(())
    }
}
