//! `log(softmax(x))` over the last axis: softmax's op in its other form, and what is made of it.

use crate::op::{OpInfo, Sample};
use crate::ops::nn::softmax::softmax;
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

impl Tensor {
    /// Logarithm of softmax over the last axis.
    #[must_use]
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        softmax(self, true)
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
