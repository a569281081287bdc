//! The shape of the ops that look for one end of an order: `max` and `min`, `argmax` and `argmin`. An end says which of two elements it
//! prefers; a NaN is preferred to all.

use crate::device::cpu::reduce::{first_best, fold};
use crate::dispatch::dispatch;
use crate::dtype::{DType, Element, with_dtype};
use crate::error::Result;
use crate::op::reduction::Reduction;
use crate::op::{Arrays, Backward, Gradients, Op, OpInfo, Spec, Specs, one};
use crate::shape::{Axes, Shape};
use crate::storage::Array;
use crate::tensor::Tensor;
use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;

/// One end of an order.
pub(crate) trait End: fmt::Debug + Send + Sync + 'static {
    /// How a preferred element compares with the other one.
    const PREFERS: Ordering;
    /// Whether `a` is preferred to `b`: by one comparison, which a loop over lanes makes at once.
    fn beats<T: PartialOrd>(a: T, b: T) -> bool;
    /// What every element is preferred to; integers saturate at it.
    const WORST: f64;
    /// The op that gives the element.
    fn element() -> &'static OpInfo;
    /// The op that gives its index.
    fn index() -> &'static OpInfo;
}

/// The element at an end, over axes. Its gradient goes to the elements that equal it, in equal shares.
#[derive(Debug)]
struct Extreme<E> {
    over: Reduction,
    end: PhantomData<E>,
}

/// Applies the op of an end's element. Bools are cast to i64.
#[track_caller]
pub(crate) fn extreme<E: End>(x: &Tensor, axes: Axes, keep: bool) -> Tensor {
    let op = Extreme::<E> { over: Reduction { axes, keep }, end: PhantomData };
    if x.dtype() == DType::Bool { dispatch(op, &[&x.cast(DType::I64)]) } else { dispatch(op, &[x]) }
}

fn folded<E: End, T: Element>(input: &Array, axes: &[usize], shape: &Shape) -> Result<Array> {
    // A NaN is the one value that differs from itself.
    #[allow(clippy::eq_op, reason = "one comparison of lanes, as partial_cmp is not")]
    fold(input, axes, shape, T::from_f64(E::WORST), |a, b| if (b != b) | E::beats(b, a) { b } else { a })
}

impl<E: End> Op for Extreme<E> {
    fn info(&self) -> &'static OpInfo {
        E::element()
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        self.over.spec(E::element(), inputs[0], true).map(one)
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (input, shape) = (&inputs[0], &outputs[0].shape);
        let axes = self.over.axes(input.shape())?;
        with_dtype!(number input.dtype(), T => folded::<E, T>(input, &axes, shape), else => unreachable!("bools are cast before"))
            .map(one)
    }

    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        let input = &backward.inputs[0];
        let shape = input.shape();
        let chosen = input.eq(self.over.unreduced(&backward.outputs[0], shape)).cast(input.dtype());
        let shares = &chosen / chosen.sum_keep(self.over.axes.clone());
        [Some(self.over.unreduced(backward.gradient(), shape) * shares)].into_iter().collect()
    }

    fn flops(&self, inputs: &[&Spec], _outputs: &[Spec]) -> u64 {
        inputs[0].shape.elements() as u64
    }
}

/// The index of the first element at an end, along one axis. It has no gradient.
#[derive(Debug)]
struct ExtremeIndex<E> {
    axis: isize,
    end: PhantomData<E>,
}

/// Applies the op of an end's index.
#[track_caller]
pub(crate) fn extreme_index<E: End>(x: &Tensor, axis: isize) -> Tensor {
    dispatch(ExtremeIndex::<E> { axis, end: PhantomData }, &[x])
}

impl<E: End> Op for ExtremeIndex<E> {
    fn info(&self) -> &'static OpInfo {
        E::index()
    }

    fn infer(&self, inputs: &[&Spec]) -> Result<Specs> {
        let spec = Reduction { axes: Axes::from(self.axis), keep: false }.spec(E::index(), inputs[0], true)?;
        Ok(one(Spec { dtype: DType::I64, ..spec }))
    }

    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays> {
        let (input, shape) = (&inputs[0], &outputs[0].shape);
        let axis = input.shape().axis(self.axis)?;
        with_dtype!(input.dtype(), T => first_best::<T>(input, axis, shape, E::PREFERS)).map(one)
    }
}
