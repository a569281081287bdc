//! Gradient tapes: what was computed from watched tensors, so that it can be differentiated backwards.
//!
//! Each thread has a stack of tapes. Dispatch tells all of them of every op; a tape keeps those with an input that it watches or that
//! came from one. Asked for a gradient, it walks its entries backwards and calls the ops' gradient rules. These are written with ops,
//! so outer tapes record them (gradients of gradients) and traces turn them into nodes.
//!
//! Must not know: graphs, devices, ops by name.

use crate::context::{self, TAPE};
use crate::dispatch::Tensors;
use crate::error::{Error, ErrorKind, Place};
use crate::op::{Backward, Op};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    static TAPES: RefCell<Vec<Rc<Tape>>> = const { RefCell::new(Vec::new()) };
}

/// An op that was applied.
struct Entry {
    op: Arc<dyn Op>,
    inputs: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

/// What one tape holds.
struct Tape {
    persistent: bool,
    asked: Cell<bool>,
    /// Ids of tensors that are watched or computed from those.
    tracked: RefCell<HashSet<u64>>,
    /// For each variable the tensors that were read from it.
    reads: RefCell<HashMap<u64, Vec<u64>>>,
    entries: RefCell<Vec<Entry>>,
}

/// Records what is computed from watched tensors and from variables, from its making until it is asked or dropped.
///
/// ```
/// use footlight::prelude::*;
/// let x = tensor![3.0];
/// let tape = GradientTape::new();
/// tape.watch(&x);
/// let y = &x * &x;
/// assert_eq!(tape.gradient(&y, &[&x])[0].to_vec::<f32>(), [6.0]);
/// ```
pub struct GradientTape(Rc<Tape>);

impl std::fmt::Debug for GradientTape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GradientTape({} ops)", self.0.entries.borrow().len())
    }
}

/// What a gradient can be taken with respect to: a watched tensor, or a variable.
pub trait Source {
    /// The ids under which tapes know it; `None` if this tape does not watch it.
    #[doc(hidden)]
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>>;
    /// A tensor of zeros of its spec.
    #[doc(hidden)]
    fn zeros(&self) -> Tensor;
}

impl Source for Tensor {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        tape.0.tracked.borrow().contains(&self.id()).then(|| vec![self.id()])
    }

    fn zeros(&self) -> Tensor {
        Tensor::scalar(0.0, self.dtype()).broadcast_to(self.shape())
    }
}

impl Source for Variable {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        Some(tape.0.reads.borrow().get(&self.id()).cloned().unwrap_or_default())
    }

    fn zeros(&self) -> Tensor {
        Tensor::scalar(0.0, self.dtype()).broadcast_to(self.shape())
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        (**self).ids(tape)
    }

    fn zeros(&self) -> Tensor {
        (**self).zeros()
    }
}

impl Default for GradientTape {
    fn default() -> Self {
        Self::new()
    }
}

impl GradientTape {
    /// Begins to record; the tape can be asked once.
    #[must_use]
    pub fn new() -> Self {
        Self::begin(false)
    }

    /// Begins to record; the tape can be asked any number of times, and keeps what it recorded until it is dropped.
    #[must_use]
    pub fn persistent() -> Self {
        Self::begin(true)
    }

    fn begin(persistent: bool) -> Self {
        let tape = Rc::new(Tape {
            persistent,
            asked: Cell::new(false),
            tracked: RefCell::default(),
            reads: RefCell::default(),
            entries: RefCell::default(),
        });
        TAPES.with_borrow_mut(|tapes| tapes.push(tape.clone()));
        context::set_flag(TAPE, true);
        Self(tape)
    }

    /// Watches a tensor: what is computed from it from now on can be differentiated. Variables are watched by themselves.
    ///
    /// # Panics
    /// With a typed error if it does not hold floats.
    #[track_caller]
    pub fn watch(&self, tensor: &Tensor) {
        if !tensor.dtype().is_float() {
            Error::new(ErrorKind::DType, format!("watch of a {} tensor: gradients are of floats", tensor.spec()))
                .advise("convert with .cast(DType::F32) before watching")
                .raise();
        }
        self.0.tracked.borrow_mut().insert(tensor.id());
    }

    /// Gradients of `target`, or of the sum of its elements, with respect to each of `sources`: of the source's spec.
    ///
    /// A variable that the target does not depend on gets zeros.
    ///
    /// # Panics
    /// With a typed error if a plain tape is asked twice, or a source tensor was not watched.
    #[must_use]
    #[track_caller]
    pub fn gradient<S: Source>(&self, target: &Tensor, sources: &[S]) -> Vec<Tensor> {
        let sources: Vec<&dyn Source> = sources.iter().map(|source| source as &dyn Source).collect();
        self.gradient_dyn(target, &sources)
    }

    #[track_caller]
    #[inline(never)]
    fn gradient_dyn(&self, target: &Tensor, sources: &[&dyn Source]) -> Vec<Tensor> {
        if self.0.asked.replace(true) && !self.0.persistent {
            Error::new(ErrorKind::Tape, "this tape has been asked for gradients already, and a plain tape lets go of what it recorded")
                .advise("make it with GradientTape::persistent() to ask more than once")
                .raise();
        }
        // What the gradient computes is for outer tapes, not for this one.
        let was_recording = stop(&self.0);
        let ids: Vec<Vec<u64>> = sources
            .iter()
            .enumerate()
            .map(|(at, source)| {
                source.ids(self).unwrap_or_else(|| {
                    Error::new(ErrorKind::Tape, format!("source {at} of the gradient was not watched by this tape"))
                        .advise("call tape.watch(&x) before computing with x, or make it a Variable")
                        .raise()
                })
            })
            .collect();
        let wanted: HashSet<u64> = ids.iter().flatten().copied().collect();
        let gradients = self.backward(target, &wanted);
        if self.0.persistent && was_recording {
            TAPES.with_borrow_mut(|tapes| tapes.push(self.0.clone()));
            context::set_flag(TAPE, true);
        } else if !self.0.persistent {
            self.0.entries.borrow_mut().clear();
        }
        ids.iter()
            .zip(sources)
            .map(|(ids, source)| {
                let parts = ids.iter().filter_map(|id| gradients.get(id).cloned());
                parts.reduce(|sum, part| sum.add(&part)).unwrap_or_else(|| source.zeros())
            })
            .collect()
    }

    /// Walks the entries backwards from `target`: gradients by tensor id, of those `wanted`.
    #[track_caller]
    fn backward(&self, target: &Tensor, wanted: &HashSet<u64>) -> HashMap<u64, Tensor> {
        let one = Tensor::scalar(1.0, target.dtype()).broadcast_to(target.shape());
        let mut gradients = HashMap::from([(target.id(), one)]);
        let entries = self.0.entries.borrow();
        let tracked = self.0.tracked.borrow();
        for entry in entries.iter().rev() {
            let of_outputs: Vec<Option<Tensor>> = entry.outputs.iter().map(|output| gradients.get(&output.id()).cloned()).collect();
            if of_outputs.iter().all(Option::is_none) {
                continue;
            }
            for output in &entry.outputs {
                if !wanted.contains(&output.id()) {
                    gradients.remove(&output.id());
                }
            }
            let backward = Backward { inputs: &entry.inputs, outputs: &entry.outputs, gradients: &of_outputs };
            for (input, gradient) in entry.inputs.iter().zip(entry.op.grad(&backward)) {
                let Some(gradient) = gradient.filter(|_| tracked.contains(&input.id())) else { continue };
                let sum = match gradients.remove(&input.id()) {
                    Some(sum) => sum + gradient,
                    None => gradient,
                };
                gradients.insert(input.id(), sum);
            }
        }
        gradients
    }
}

impl Drop for GradientTape {
    fn drop(&mut self) {
        stop(&self.0);
    }
}

/// Takes a tape off the stack; whether it was there.
fn stop(tape: &Rc<Tape>) -> bool {
    // A tape in a variable outlives this thread's stack only while the process ends.
    TAPES
        .try_with(|tapes| {
            let mut tapes = tapes.borrow_mut();
            let before = tapes.len();
            tapes.retain(|other| !Rc::ptr_eq(other, tape));
            if tapes.is_empty() {
                context::set_flag(TAPE, false);
            }
            tapes.len() < before
        })
        .unwrap_or(false)
}

/// Tells the tapes of this thread of an op.
pub(crate) fn record(op: &Arc<dyn Op>, inputs: &[&Tensor], outputs: &Tensors, _place: Place) {
    TAPES.with_borrow(|tapes| {
        for tape in tapes {
            let mut tracked = tape.tracked.borrow_mut();
            if !inputs.iter().any(|input| tracked.contains(&input.id())) {
                continue;
            }
            let floats = outputs.iter().filter(|output| output.dtype().is_float()).map(Tensor::id);
            let before = tracked.len();
            tracked.extend(floats);
            if tracked.len() > before {
                tape.entries.borrow_mut().push(Entry {
                    op: op.clone(),
                    inputs: inputs.iter().map(|&input| input.clone()).collect(),
                    outputs: outputs.to_vec(),
                });
            }
        }
    });
}

/// Tells the tapes that `value` was read from a variable.
pub(crate) fn note_read(variable: &Variable, value: &Tensor) {
    if !value.dtype().is_float() {
        return;
    }
    TAPES.with_borrow(|tapes| {
        for tape in tapes {
            tape.tracked.borrow_mut().insert(value.id());
            let mut reads = tape.reads.borrow_mut();
            let ids = reads.entry(variable.id()).or_default();
            if !ids.contains(&value.id()) {
                ids.push(value.id());
            }
        }
    });
}

/// The value of `f`, and its gradients with respect to `variables`.
///
/// ```
/// use footlight::prelude::*;
/// let w = Variable::new(tensor![2.0]);
/// let (loss, gradients) = value_and_grad(|| (&w * &w).sum(()), &[&w]);
/// assert_eq!((loss.item::<f32>(), gradients[0].to_vec::<f32>()), (4.0, vec![4.0]));
/// ```
#[track_caller]
pub fn value_and_grad(f: impl FnOnce() -> Tensor, variables: &[&Variable]) -> (Tensor, Vec<Tensor>) {
    let tape = GradientTape::new();
    let value = f();
    let gradients = tape.gradient(&value, variables);
    (value, gradients)
}

/// The gradient of `f` at `x`, of the spec of `x`; of the sum of its elements if `f` is not a scalar.
#[must_use]
#[track_caller]
pub fn grad(f: impl FnOnce(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    tape.watch(x);
    let y = f(x);
    let mut gradients = tape.gradient(&y, &[x]);
    gradients.swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Tensor {
        Tensor::from_slice([], &[3f32])
    }

    #[test]
    fn paper_2_nested_tapes_give_second_derivatives() {
        let x = three();
        let outer = GradientTape::new();
        outer.watch(&x);
        let inner = GradientTape::new();
        inner.watch(&x);
        let y = &x * &x;
        let first = inner.gradient(&y, &[&x]).remove(0);
        assert_eq!(first.item::<f32>(), 6.0);
        assert_eq!(outer.gradient(&first, &[&x])[0].item::<f32>(), 2.0);
    }

    #[test]
    fn paper_3_variables_are_watched_by_themselves() {
        let x = Variable::new(three());
        let outer = GradientTape::new();
        let inner = GradientTape::new();
        let y = &x * &x;
        let first = inner.gradient(&y, &[&x]).remove(0);
        assert_eq!(outer.gradient(&first, &[&x])[0].item::<f32>(), 2.0);
    }

    #[test]
    fn paper_4_a_persistent_tape_answers_twice_and_a_plain_one_says_why_not() {
        let x = three();
        let tape = GradientTape::persistent();
        tape.watch(&x);
        let (y, z) = (&x * &x, x.exp());
        assert_eq!(tape.gradient(&y, &[&x])[0].item::<f32>(), 6.0);
        assert!((tape.gradient(&z, &[&x])[0].item::<f32>() - 3f32.exp()).abs() < 1e-4);
        let plain = GradientTape::new();
        plain.watch(&x);
        let y = &x * &x;
        let _ = plain.gradient(&y, &[&x]);
        let error = crate::catch(|| plain.gradient(&y, &[&x])).unwrap_err();
        assert!(error.advice.is_some_and(|advice| advice.contains("persistent")));
    }

    #[test]
    fn an_unwatched_tensor_is_an_error_and_an_unused_variable_gets_zeros() {
        let x = three();
        let v = Variable::new(three());
        let tape = GradientTape::persistent();
        let y = &v * 2.0;
        assert_eq!(crate::catch(|| tape.gradient(&y, &[&x])).unwrap_err().kind, ErrorKind::Tape);
        let other = Variable::new(three());
        assert_eq!(tape.gradient(&y, &[&other])[0].item::<f32>(), 0.0);
    }

    #[test]
    fn gradients_add_up_where_a_tensor_is_used_twice() {
        let x = three();
        assert_eq!(grad(|x| x * x + x * 2.0, &x).item::<f32>(), 8.0);
    }
}
