//! Choice by a condition: `a` where it holds, else `b`, all broadcast. The gradient goes to the chosen.

use crate::device::cpu::map::choose;
use crate::dispatch::dispatch;
use crate::dtype::{DType, with_dtype};
use crate::error::{Error, ErrorKind, Result};
use crate::op::binary::promoted;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Sample, Spec, Specs, one};
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "where",
    doc: "Elements of `a` where a condition holds, else of `b`.",
    differentiable: false,
    samples: &[Sample {
        name: "broadcast",
        inputs: || {
            vec![
                Tensor::from_slice([2, 3], &[true, false, true, false, true, false]),
                Tensor::from_slice([3], &[1f32, 2., 3.]),
                Tensor::from_slice([2, 1], &[-1f32, -2.]),
            ]
        },
        apply: |x| x[0].where_(&x[1], &x[2]),
        numpy: "np.where(a, b, c)",
    }],
};

#[derive(Debug)]
struct Where;

impl Op for Where {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        if inputs[0].dtype != DType::Bool {
            return Err(Error::new(ErrorKind::DType, format!("where: the condition is {}, not bool", inputs[0]))
                .advise("compare first, as in x.gt(&y).where_(&a, &b)"));
        }
        let [condition, a, b] = [0, 1, 2].map(|input| &inputs[input].shape);
        let shape = condition.broadcast(a).and_then(|shape| shape.broadcast(b)).map_err(|error| error.of(INFO.name))?;
        Ok(one(Spec { dtype: inputs[1].dtype, shape }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let [condition, a, b] = inputs else { unreachable!("where has three inputs") };
        with_dtype!(outputs[0].dtype, T => choose::<T>(condition, a, b, &outputs[0].shape)).map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let [condition, a, b] = backward.inputs else { unreachable!("where has three inputs") };
        let g = backward.gradient();
        let zero = Tensor::scalar(0.0, g.dtype());
        [None, Some(condition.where_(g, &zero).sum_to(a.shape())), Some(condition.where_(&zero, g).sum_to(b.shape()))]
            .into_iter()
            .collect()
    }
}

impl Tensor {
    /// Elements of `a` where this bool tensor holds, else of `b`, all broadcast to one shape.
    #[must_use]
    #[track_caller]
    pub fn where_(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let (a, b) = promoted(a, b, DType::Bool);
        dispatch(Where, &[self, &a, &b])
    }

    /// Elements kept between `low` and `high`, which take the tensor's dtype.
    #[must_use]
    #[track_caller]
    pub fn clamp(&self, low: f64, high: f64) -> Tensor {
        self.maximum(Tensor::scalar(low, self.dtype())).minimum(Tensor::scalar(high, self.dtype()))
    }
}
