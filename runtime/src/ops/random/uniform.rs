//! Random floats of the half-open unit interval, as a pure function of the random state.

use crate::dispatch::dispatch;
use crate::dtype::{DType, Element as _, with_dtype};
use crate::error::Result;
use crate::op::{Arrays, Op, OpInfo, Sample, Spec, Specs, one};
use crate::random::{self, PER_BLOCK, philox};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;

/// The table's entry.
pub static INFO: OpInfo = OpInfo {
    name: "uniform",
    doc: "Random floats, each of [0, 1) alike likely, from a random state.",
    differentiable: false,
    samples: &[Sample {
        name: "range",
        inputs: || vec![Tensor::from_slice([2], &[7i64, 0])],
        apply: |x| {
            let y = uniform_from(&x[0], [1000].into(), DType::F32);
            y.ge(0.0).eq(y.lt(1.0))
        },
        numpy: "np.ones(1000, bool)",
    }],
};

#[derive(Debug)]
struct Uniform {
    dtype: DType,
    shape: Shape,
}

impl Op for Uniform {
    fn info(&self) -> &'static OpInfo {
        &INFO
    }

    fn infer(&self, _inputs: &[&Spec]) -> Result<Specs> {
        Ok(one(Spec { dtype: self.dtype, shape: self.shape.clone() }))
    }

    fn cpu(&self, inputs: &mut [Array], _outputs: &[Spec]) -> Result<Arrays> {
        let state = inputs[0].to_vec::<i64>();
        let (seed, start) = (state[0] as u64, state[1] as u64);
        with_dtype!(float self.dtype, T => Array::build(self.shape.clone(), |out: &mut [T]| {
            for (block, out) in out.chunks_mut(PER_BLOCK).enumerate() {
                let words = philox(seed, start + block as u64);
                for (out, word) in out.iter_mut().zip(words) {
                    // The 24 bits that f32 can hold, so that 1 is never reached.
                    *out = T::from_f64(f64::from(word >> 8) / f64::from(1u32 << 24));
                }
            }
        }), else => unreachable!("random numbers are made as floats"))
        .map(one)
    }

    fn flops(&self, _inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        25 * outputs[0].shape.elements() as u64
    }
}

/// Random floats from a given state.
#[track_caller]
pub(crate) fn uniform_from(state: &Tensor, shape: Shape, dtype: DType) -> Tensor {
    dispatch(Uniform { dtype, shape }, &[state])
}

/// Takes the context's random state and advances it past what `elements` numbers use.
#[track_caller]
fn advance(elements: usize) -> Tensor {
    let variable = random::state();
    let state = variable.read();
    variable.assign(&state.add(Tensor::from_slice([2], &[0i64, elements.div_ceil(PER_BLOCK) as i64])));
    state
}

/// Random f32 numbers, each of [0, 1) alike likely.
#[must_use]
#[track_caller]
pub fn rand(shape: impl Into<Shape>) -> Tensor {
    between(shape.into(), 0.0, 1.0)
}

/// Random f32 numbers, each of [low, high) alike likely.
#[must_use]
#[track_caller]
pub fn uniform(shape: impl Into<Shape>, low: f64, high: f64) -> Tensor {
    between(shape.into(), low, high)
}

// Not generic, so that cells compile nothing of the op; the same below.
#[track_caller]
fn between(shape: Shape, low: f64, high: f64) -> Tensor {
    let state = advance(shape.elements());
    let unit = uniform_from(&state, shape, DType::F32);
    if (low, high) == (0.0, 1.0) { unit } else { unit * (high - low) + low }
}

/// Random f32 numbers of the standard normal distribution, by the transform of Box and Muller.
#[must_use]
#[track_caller]
pub fn randn(shape: impl Into<Shape>) -> Tensor {
    normal(shape.into())
}

#[track_caller]
fn normal(shape: Shape) -> Tensor {
    let elements = shape.elements();
    let pairs = elements.div_ceil(2);
    let state = advance(2 * pairs);
    let unit = uniform_from(&state, [2, pairs].into(), DType::F32);
    // 1 - u lies in (0, 1], where the logarithm is finite.
    let radius = ((1.0 - unit.index(0, 0)).log() * -2.0).sqrt();
    let angle = unit.index(0, 1) * std::f64::consts::TAU;
    let both = crate::ops::shape::concat::concat(&[&(&radius * angle.cos()), &(&radius * angle.sin())], 0);
    both.slice(0, ..elements).reshape(shape)
}
