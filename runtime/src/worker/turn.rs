//! One turn: load a cell, run it in its mode, show its profile, and say how it ended.

use super::load::{self, Entry};
use super::mute::Muted;
use super::output;
use super::store::Store;
use crate::cell::{self, Cell};
use crate::profile::{self, Profile};
use crate::show::Show;
use crate::show::{CellProfile, Comparison, Source};
use crate::stage;
use crate::tensor::Tensor;
use crate::variable::Snapshot;
use footlight_channel::{Failure, FailureKind, Mode, Ran, Run};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a run ended: what failed, and which statements ran.
type Outcome = (Option<Failure>, Ran);

/// Runs a cell.
pub(crate) fn run(run: &Run, store: &mut Store) -> Outcome {
    let entry = match load::load(&run.library, &run.entry) {
        Ok(entry) => entry,
        Err(message) => return (Some(unloadable(&message)), Ran::Nothing),
    };
    let source = || Source { label: &run.label, text: &run.source };
    match run.mode {
        Mode::Eager => enter(entry, Cell::new(store, false)),
        Mode::Profile => {
            let (outcome, profile) = profile::collect(|| enter(entry, Cell::new(store, false)));
            publish(&CellProfile { source: source(), profile: &profile, staged: false });
            outcome
        }
        Mode::Stage { compare: false } => {
            let (outcome, profile) = staged(entry, store);
            publish(&CellProfile { source: source(), profile: &profile, staged: true });
            outcome
        }
        Mode::Stage { compare: true } => {
            let (outcome, both) = compared(entry, store);
            if let Some(Both { eager, staged, compared, difference }) = both {
                publish(&Comparison { source: source(), eager: &eager, staged: &staged, compared, difference });
                publish(&CellProfile { source: source(), profile: &staged, staged: true });
            }
            outcome
        }
    }
}

/// The two runs of a compared cell.
struct Both {
    eager: Profile,
    staged: Profile,
    /// How many tensors both left.
    compared: usize,
    /// The largest difference of an element.
    difference: f64,
}

/// An eager run that took no longer is made twice, in seconds.
const WORTH_WARMING: f64 = 1.0;

/// Runs a cell eagerly and then as graphs, from one state. The first run is the one that is heard and seen; a short one is made again, since
/// it paid for what later runs find ready: pages, caches, the first use of each op.
fn compared(entry: Entry, store: &mut Store) -> (Outcome, Option<Both>) {
    let trial = |store: &mut Store| {
        let before = Snapshot::take();
        let mut trial = Cell::new(store, true);
        let ((failure, _), profile) = profile::collect(|| enter_by(entry, &mut trial));
        let (tensors, assigned) = (trial.into_tensors(), before.changed());
        before.restore();
        (failure, profile, tensors, assigned)
    };
    let (mut failure, mut eager, tensors, assigned) = trial(store);
    let muted = Muted::begin();
    if failure.is_none() && eager.total < WORTH_WARMING {
        (failure, eager, ..) = trial(store);
    }
    if failure.is_some() {
        return ((failure, Ran::Nothing), None);
    }
    let (outcome, staged) = staged(entry, store);
    drop(muted);
    let (compared, difference) = differences(&tensors, &assigned, store);
    (outcome, Some(Both { eager, staged, compared, difference }))
}

/// Runs a cell as graphs. What was traced before a failure is run too, so that its variables have values; not after an interrupt, since
/// the user wants an end.
fn staged(entry: Entry, store: &mut Store) -> (Outcome, Profile) {
    store.begin_staged();
    let ((outcome, ran), profile) = profile::collect(|| {
        // An interrupt while the last graph runs unwinds from here.
        let interrupted = |(failure, _): &Outcome| failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::Interrupt);
        let cell = || stage::run_cell(|| enter(entry, Cell::new(store, false)), |outcome| !interrupted(outcome));
        let traced = catch_unwind(AssertUnwindSafe(cell));
        match traced {
            Ok((outcome, ran)) => (outcome, ran.err().map(|error| crate::cell::failure(Box::new(error)))),
            Err(payload) => ((None, Ran::Part), Some(crate::cell::failure(payload))),
        }
    });
    store.end_staged();
    let (failure, statements) = outcome;
    let statements = if ran.is_some() { Ran::Part } else { statements };
    ((failure.or(ran), statements), profile)
}

/// Calls the entry function. Statements catch their own panics; what is left are a variable's destructor and the take of a variable.
fn enter(entry: Entry, mut cell: Cell<'_>) -> Outcome {
    enter_by(entry, &mut cell)
}

fn enter_by(entry: Entry, cell: &mut Cell<'_>) -> Outcome {
    let escaped = catch_unwind(AssertUnwindSafe(|| entry(cell))).err().map(cell::failure);
    let (failure, ran) = cell.outcome();
    let ran = if escaped.is_some() { Ran::Part } else { ran };
    (failure.or(escaped), ran)
}

fn publish(view: &dyn Show) {
    output::display(view.show(), None, false);
}

/// How many tensors both runs left, and the largest difference of an element: the cell's variables, and the notebook's that it assigned.
fn differences(
    eager: &BTreeMap<String, Tensor>,
    assigned: &[(crate::variable::Variable, Tensor)],
    store: &Store,
) -> (usize, f64) {
    let staged = eager.iter().filter_map(|(name, eager)| Some((eager.clone(), store.tensor(name)?)));
    let variables = assigned.iter().map(|(variable, eager)| (eager.clone(), variable.stored()));
    let mut compared = 0;
    let mut largest = 0f64;
    for (eager, staged) in staged.chain(variables) {
        let (Ok(a), Ok(b)) = (eager.array(), staged.array()) else { continue };
        compared += 1;
        if a.dtype() != b.dtype() || a.shape() != b.shape() {
            largest = f64::INFINITY;
            continue;
        }
        let numbers = |array: &crate::storage::Array| -> Vec<f64> {
            crate::dtype::with_dtype!(array.dtype(), T => {
                use crate::dtype::Element as _;
                array.to_vec::<T>().into_iter().map(|value| value.to_f64()).collect()
            })
        };
        for (a, b) in numbers(a).into_iter().zip(numbers(b)) {
            let equal = a == b || (a.is_nan() && b.is_nan());
            largest = if equal { largest } else { largest.max((a - b).abs()) };
        }
    }
    (compared, largest)
}

fn unloadable(message: &str) -> Failure {
    Failure {
        kind: FailureKind::Error,
        name: "LoadError".to_owned(),
        message: format!("the compiled cell could not be loaded: {message}"),
        place: None,
        statement: None,
        advice: Some("run the cell again; if it stays, restart the kernel".to_owned()),
    }
}
