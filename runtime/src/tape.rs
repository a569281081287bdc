//! Gradient tapes: what was computed from watched tensors, so that it can be differentiated backwards.
//!
//! Each thread has a stack of tapes. Dispatch tells all of them of every op; a tape keeps those with an input that it watches or that
//! came from one. Asked for a gradient, it walks its entries backwards and calls the ops' gradient rules. These are written with ops,
//! so outer tapes record them (gradients of gradients) and traces turn them into nodes.
//!
//! [`source`] says what gradients are taken with respect to, [`functional`] has gradients of functions.
//!
//! Must not know: graphs, devices, ops by name.

mod functional;
mod prune;
mod source;

pub use functional::{grad, value_and_grad};
pub use source::{Source, Sources};

use crate::context::{self, TAPE};
use crate::dispatch::Tensors;
use crate::error::{Error, ErrorKind, OrRaise, Place, Result};
use crate::op::{Backward, Op};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::mem::ManuallyDrop;
use std::ops::Range;
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
    /// How many entries there are when those that nobody can ask for are next let go.
    prune_at: Cell<usize>,
    /// Ids of tensors computed from gradients that this tape gave: it knows only a part of what they depend on.
    partial: RefCell<HashSet<u64>>,
    /// Ids of the tensors that this thread made while the tape was not recording: before its start, and while it gave gradients.
    unseen: RefCell<Vec<Range<u64>>>,
}

impl Tape {
    /// Marks what is computed from gradients that this tape gave, unless they were watched, or stand for their values alone.
    fn note_partial(&self, op: &dyn Op, inputs: &[&Tensor], outputs: &Tensors, tracked: &HashSet<u64>) {
        let unseen = self.unseen.borrow();
        // The first range is of the tensors from before the tape, which are constants to it.
        let (mut partial, given) = (self.partial.borrow_mut(), unseen.get(1..).unwrap_or_default());
        let is_partial = |id: &u64, partial: &HashSet<u64>| {
            partial.contains(id) || (given.iter().any(|made| made.contains(id)) && !tracked.contains(id))
        };
        if op.info().name != "stop_gradient" && inputs.iter().any(|input| is_partial(&input.id(), &partial)) {
            partial.extend(outputs.iter().map(Tensor::id));
        }
    }
}

/// Records what is computed from watched tensors and from variables, from its making until it is asked or dropped.
///
/// ```
/// use footlight::prelude::*;
/// let x = tensor![3.0];
/// let tape = GradientTape::new();
/// tape.watch(&x);
/// let y = &x * &x;
/// let slope = tape.gradient(&y, &x);
/// assert_eq!(slope.to_vec::<f32>(), [6.0]);
/// ```
pub struct GradientTape(ManuallyDrop<Rc<Tape>>);

impl std::fmt::Debug for GradientTape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GradientTape({} ops)", self.0.entries.borrow().len())
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
            prune_at: Cell::new(prune::FIRST),
            partial: RefCell::default(),
            // One range, not its numbers.
            unseen: RefCell::new(Vec::from([0..Tensor::next_id()])),
        });
        TAPES.with_borrow_mut(|tapes| tapes.push(tape.clone()));
        context::set_flag(TAPE, true);
        Self(ManuallyDrop::new(tape))
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

    /// Gradients of `target`, or of the sum of its elements, with respect to `sources`: each of its source's spec, and together in
    /// the form of the sources, see [`Sources`].
    ///
    /// A source that the target does not depend on gets zeros. Tapes that were begun earlier record what this computes, so that a
    /// gradient has gradients.
    ///
    /// ```
    /// use footlight::prelude::*;
    /// let (w, b) = (Variable::new(tensor![2.0]), Variable::new(tensor![1.0]));
    /// let tape = GradientTape::persistent();
    /// let y = &w * 3.0 + &b;
    /// let [dw, db] = tape.gradient(&y, [&w, &b]);
    /// assert_eq!([dw.item::<f32>(), db.item::<f32>()], [3.0, 1.0]);
    /// let only = tape.gradient(&y, &w);
    /// assert_eq!(only.item::<f32>(), 3.0);
    /// ```
    ///
    /// # Panics
    /// With a typed error if a plain tape is asked twice, a source tensor was not watched, or the target was not computed from anything
    /// that this tape watches.
    #[must_use]
    #[track_caller]
    pub fn gradient<S: Sources>(&self, target: &Tensor, sources: S) -> S::Gradients {
        S::form(self.gradients(target, &sources.list()))
    }

    #[track_caller]
    #[inline(never)]
    fn gradients(&self, target: &Tensor, sources: &[&dyn Source]) -> Vec<Tensor> {
        let tape = &*self.0;
        if tape.asked.get() && !tape.persistent {
            Error::new(
                ErrorKind::Tape,
                "this tape has been asked for gradients already, and a plain tape lets go of what it recorded",
            )
            .advise("make it with GradientTape::persistent() to ask more than once")
            .raise();
        }
        let mut ids = Vec::with_capacity(sources.len());
        for (at, source) in sources.iter().enumerate() {
            let Some(known) = source.ids(self) else {
                Error::new(ErrorKind::Tape, format!("source {at} of the gradient was not watched by this tape"))
                    .advise("call tape.watch(&x) before computing with x, or make it a Variable")
                    .raise();
            };
            ids.push(known);
        }
        self.check(target).or_raise();
        tape.asked.set(true);
        // What follows is for earlier tapes, not for this one; and it was asked for by the caller's line, whichever op does it.
        let paused = Pause::begin(&self.0);
        let _asked = context::asked_at(Place::caller());
        let wanted: HashSet<u64> = ids.iter().flatten().copied().collect();
        let gradients = self.backward(target, &wanted);
        let of_source = |(ids, source): (&Vec<u64>, &&dyn Source)| {
            let parts = ids.iter().filter_map(|id| gradients.get(id).cloned());
            parts.reduce(|sum, part| sum.add(&part)).unwrap_or_else(|| source.zeros())
        };
        let gradients = ids.iter().zip(sources).map(of_source).collect();
        if tape.persistent {
            drop(paused);
        } else {
            paused.for_good();
            tape.entries.borrow_mut().clear();
        }
        gradients
    }

    /// Refuses a target whose gradients would be zeros only because this tape was not there when it was computed.
    fn check(&self, target: &Tensor) -> Result<()> {
        if !target.dtype().is_float() {
            return Err(Error::new(ErrorKind::DType, format!("gradient of a {} target: gradients are of floats", target.spec()))
                .advise("differentiate the float that it was made from"));
        }
        let unseen = self.0.unseen.borrow().iter().any(|made| made.contains(&target.id()));
        let partial = self.0.partial.borrow().contains(&target.id());
        if (self.tracks(target) || !unseen) && !partial {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Tape, "the target of the gradient was computed while this tape was not recording").advise(
            "begin the tape, and watch its tensors, before computing the target; a gradient of a gradient needs a tape for each of \
             them, the outer one begun first",
        ))
    }

    /// Whether it knows the tensor: watched, read from a variable, or computed from those.
    fn tracks(&self, tensor: &Tensor) -> bool {
        self.0.tracked.borrow().contains(&tensor.id())
    }

    /// Ids of the tensors that were read from a variable.
    fn reads_of(&self, variable: &Variable) -> Vec<u64> {
        self.0.reads.borrow().get(&variable.id()).cloned().unwrap_or_default()
    }

    /// Walks the entries backwards from `target`: gradients by tensor id, of those `wanted`.
    #[track_caller]
    fn backward(&self, target: &Tensor, wanted: &HashSet<u64>) -> HashMap<u64, Tensor> {
        let one = Tensor::scalar(1.0, target.dtype()).broadcast_to(target.shape());
        let mut gradients = HashMap::from([(target.id(), one)]);
        let entries = self.0.entries.borrow();
        let tracked = self.0.tracked.borrow();
        for entry in entries.iter().rev() {
            let of_outputs: Vec<Option<Tensor>> =
                entry.outputs.iter().map(|output| gradients.get(&output.id()).cloned()).collect();
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
    // By hand and not inlined, as for tensors: cells that hold a tape don't compile the drop of what it recorded.
    #[inline(never)]
    fn drop(&mut self) {
        stop(&self.0);
        // SAFETY: dropped once, here; the field is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}

/// A tape taken off the stack for a while, so that it does not record its own gradients; on unwinding too.
struct Pause {
    tape: Rc<Tape>,
    was_recording: bool,
    since: u64,
}

impl Pause {
    fn begin(tape: &Rc<Tape>) -> Self {
        Self { tape: tape.clone(), was_recording: stop(tape), since: Tensor::next_id() }
    }

    fn for_good(mut self) {
        self.was_recording = false;
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if self.was_recording {
            self.tape.unseen.borrow_mut().push(self.since..Tensor::next_id());
            TAPES.with_borrow_mut(|tapes| tapes.push(self.tape.clone()));
            context::set_flag(TAPE, true);
        }
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
pub(crate) fn record(op: &Arc<dyn Op>, inputs: &[&Tensor], outputs: &Tensors) {
    TAPES.with_borrow(|tapes| {
        for tape in tapes {
            let mut tracked = tape.tracked.borrow_mut();
            tape.note_partial(op.as_ref(), inputs, outputs, &tracked);
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
                drop(tracked);
                tape.prune_if_due();
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
        let first = inner.gradient(&y, &x);
        assert_eq!(first.item::<f32>(), 6.0);
        assert_eq!(outer.gradient(&first, &x).item::<f32>(), 2.0);
    }

    #[test]
    fn paper_3_variables_are_watched_by_themselves() {
        let x = Variable::new(three());
        let outer = GradientTape::new();
        let inner = GradientTape::new();
        let y = &x * &x;
        let first = inner.gradient(&y, &x);
        assert_eq!(first.item::<f32>(), 6.0);
        assert_eq!(outer.gradient(&first, &x).item::<f32>(), 2.0);
    }

    #[test]
    fn paper_4_a_persistent_tape_answers_twice_and_a_plain_one_says_why_not() {
        let x = three();
        let tape = GradientTape::persistent();
        tape.watch(&x);
        let (y, z) = (&x * &x, x.exp());
        assert_eq!(tape.gradient(&y, &x).item::<f32>(), 6.0);
        assert!((tape.gradient(&z, &x).item::<f32>() - 3f32.exp()).abs() < 1e-4);
        // It goes on recording.
        let later = &x * 5.0;
        assert_eq!(tape.gradient(&later, &x).item::<f32>(), 5.0);
        let plain = GradientTape::new();
        plain.watch(&x);
        let y = &x * &x;
        let _ = plain.gradient(&y, &x);
        let error = crate::catch(|| plain.gradient(&y, &x)).unwrap_err();
        assert!(error.advice.is_some_and(|advice| advice.contains("persistent")));
    }

    #[test]
    fn derivatives_of_any_order() {
        fn nth(order: u32, x: &Tensor) -> Tensor {
            if order == 0 { x * x * x * x } else { grad(|x| nth(order - 1, x), x) }
        }
        let values: Vec<f32> = (0..6).map(|order| nth(order, &three()).item()).collect();
        assert_eq!(values, [81.0, 108.0, 108.0, 72.0, 24.0, 0.0]);
    }

    #[test]
    fn an_unwatched_tensor_is_an_error_and_an_unused_source_gets_zeros() {
        let x = three();
        let v = Variable::new(three());
        let tape = GradientTape::persistent();
        let y = &v * 2.0;
        let error = crate::catch(|| tape.gradient(&y, &x)).unwrap_err();
        assert_eq!((error.kind, error.place.map(|place| place.line)), (ErrorKind::Tape, Some(line!() - 1)));
        let other = Variable::new(Tensor::from_slice([2], &[1f64, 2.]));
        assert_eq!(tape.gradient(&y, &other).to_vec::<f64>(), [0.0, 0.0]);
        tape.watch(&x);
        let (of_v, of_x) = tape.gradient(&y, (&v, &x));
        assert_eq!([of_v.item::<f32>(), of_x.item::<f32>()], [2.0, 0.0]);
    }

    #[test]
    fn a_target_that_the_tape_did_not_see_is_an_error() {
        let v = Variable::new(three());
        let before = &v * 2.0;
        let tape = GradientTape::persistent();
        assert_eq!(crate::catch(|| tape.gradient(&before, &v)).unwrap_err().kind, ErrorKind::Tape);
        // A persistent tape does not record its own gradients: zeros would be a wrong second derivative.
        let y = &v * &v;
        let first = tape.gradient(&y, &v);
        let error = crate::catch(|| tape.gradient(&first, &v)).unwrap_err();
        assert!(error.advice.is_some_and(|advice| advice.contains("a tape for each")));
        let count = v.read().cast(crate::DType::I64);
        assert_eq!(crate::catch(|| tape.gradient(&count, &v)).unwrap_err().kind, ErrorKind::DType);
    }

    #[test]
    fn gradients_add_up_where_a_tensor_is_used_twice() {
        let x = three();
        assert_eq!(grad(|x| x * x + x * 2.0, &x).item::<f32>(), 8.0);
    }

    #[test]
    fn an_assign_ends_a_variables_history() {
        let v = Variable::new(three());
        let tape = GradientTape::new();
        v.assign(&(&v * 2.0));
        let y = &v * &v;
        // With respect to the value 6 that was read last; nothing flows through the assign to the 3 before it.
        assert_eq!(tape.gradient(&y, &v).item::<f32>(), 12.0);
    }

    #[test]
    fn nothing_flows_through_stop_gradient() {
        let x = three();
        assert_eq!(grad(|x| x * x.stop_gradient(), &x).item::<f32>(), 3.0);
    }

    #[test]
    fn a_tape_records_only_what_depends_on_what_it_watches() {
        let (x, other) = (three(), three());
        let tape = GradientTape::persistent();
        tape.watch(&x);
        for _ in 0..10 {
            let _ = &other * 2.0;
        }
        let y = &x * 2.0;
        assert_eq!(tape.0.entries.borrow().len(), 1);
        let _ = tape.gradient(&y, &x);
        assert_eq!(tape.0.entries.borrow().len(), 1, "its own gradient is not recorded");
    }

    #[test]
    fn recording_ends_with_the_tape() {
        let x = three();
        let tape = GradientTape::new();
        tape.watch(&x);
        let y = &x * 2.0;
        assert_ne!(context::flags() & TAPE, 0);
        let _ = tape.gradient(&y, &x);
        assert_eq!(context::flags() & TAPE, 0);
        drop(GradientTape::persistent());
        assert_eq!(context::flags() & TAPE, 0);
        let panicked = crate::catch(|| {
            let _tape = GradientTape::new();
            let _ = three() + Tensor::from_slice([2], &[1f32, 2.]).reshape([3]);
        });
        assert!(panicked.is_err());
        assert_eq!(context::flags() & TAPE, 0);
    }

    #[test]
    fn an_op_of_a_gradient_has_the_place_of_the_line_that_asked() {
        let v = Variable::new(Tensor::from_slice([2], &[1f32, 2.]));
        let (_, profile) = crate::profile::collect(|| {
            let tape = GradientTape::new();
            let y = v.read().tanh();
            tape.gradient(&y, &v)
        });
        let read = line!() - 3;
        let lines: HashSet<(&str, u32)> =
            profile.records.iter().filter_map(|record| record.place).map(|place| (place.file, place.line)).collect();
        assert_eq!(lines, HashSet::from([(file!(), read), (file!(), read + 1)]));
    }

    #[test]
    fn a_gradient_of_a_gradient_from_one_tape_is_refused_and_not_zero() {
        let x = three();
        let tape = GradientTape::persistent();
        tape.watch(&x);
        let slope = tape.gradient(&(&x * &x * &x), &x);
        let refused = |target: &Tensor| crate::catch(|| tape.gradient(target, &x)).unwrap_err().to_string();
        assert!(refused(&slope.sum(())).contains("not recording"));
        // What is in part a gradient, too; as a number alone it is a constant.
        assert!(refused(&(&slope * &x)).contains("not recording"));
        assert_eq!(tape.gradient(&(slope.stop_gradient() * &x), &x).item::<f32>(), 27.0);
    }

    #[test]
    fn a_tape_lets_go_of_what_nobody_can_ask_for() {
        let x = three();
        let tape = GradientTape::persistent();
        tape.watch(&x);
        let kept = x.square();
        for _ in 0..20_000 {
            let _ = (&x * 2.0).exp();
        }
        assert!(tape.0.entries.borrow().len() < 10_000, "{} ops", tape.0.entries.borrow().len());
        assert_eq!(tape.gradient(&kept, &x).item::<f32>(), 6.0);
    }
}
