//! What ran, where it was asked for, and how long it took.
//!
//! While a profile is on, dispatch and the executor add a [`Record`] for every op. Off, it costs one look at a thread-local.

use crate::context::{self, PROFILE};
use crate::dispatch::Tensors;
use crate::error::{Place, Result};
use crate::op::{Op, Spec};
use crate::passes::Effect;
use crate::tensor::Tensor;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// One op that ran.
#[derive(Clone, Debug)]
pub struct Record {
    /// The op's name.
    pub op: &'static str,
    /// Where the user asked for it.
    pub place: Option<Place>,
    /// The line of the cell's statement that asked for it; 0 outside cells.
    pub statement: u32,
    /// Seconds in its kernel.
    pub seconds: f64,
    /// Bytes read and written, if every element is touched once; 0 for views.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
}

impl Record {
    /// The record of one call.
    #[must_use]
    pub fn of(op: &dyn Op, inputs: &[&Spec], outputs: &[Spec], place: Option<Place>, statement: u32, seconds: f64) -> Self {
        let bytes =
            if op.is_view() { 0 } else { inputs.iter().map(|spec| spec.bytes()).chain(outputs.iter().map(Spec::bytes)).sum() };
        Self { op: op.info().name, place, statement, seconds, bytes: bytes as u64, flops: op.flops(inputs, outputs) }
    }
}

impl Record {
    /// The line of the cell `label` that asked for it, itself or through a function that it called; 0 if no line did.
    #[must_use]
    pub fn line(&self, label: &str) -> u32 {
        match self.place {
            Some(place) if place.file == label => place.line,
            _ => self.statement,
        }
    }
}

/// A part of a staged cell that ran as one graph.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The line of the statement that read a value and so ended the segment; `None` for the cell's end.
    pub ended_at: Option<u32>,
    /// The graph that ran, optimised.
    pub graph: crate::graph::Graph,
    /// Nodes as traced.
    pub traced_nodes: usize,
    /// What each pass did.
    pub effects: Vec<Effect>,
}

/// What a cell did, op by op.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Ops in the order in which they ran.
    pub records: Vec<Record>,
    /// Segments of a staged cell.
    pub segments: Vec<Segment>,
    /// Seconds of the whole cell.
    pub total: f64,
    /// Of these, in passes.
    pub passes: f64,
    /// Of these, running graphs; in an eager profile, in kernels.
    pub run: f64,
    /// The most bytes that tensors held at once.
    pub peak_bytes: usize,
}

/// Sums over some ops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// How many ops.
    pub ops: usize,
    /// Seconds.
    pub seconds: f64,
    /// Bytes.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
}

impl Sum {
    fn add(&mut self, record: &Record) {
        self.ops += 1;
        self.seconds += record.seconds;
        self.bytes += record.bytes;
        self.flops += record.flops;
    }
}

impl Profile {
    /// Seconds in kernels.
    #[must_use]
    pub fn kernel_seconds(&self) -> f64 {
        self.records.iter().map(|record| record.seconds).sum()
    }

    /// Sums for each line of the cell `label`: of ops that the line asked for, or that functions called from it did.
    #[must_use]
    pub fn by_line(&self, label: &str) -> BTreeMap<u32, Sum> {
        let mut lines: BTreeMap<u32, Sum> = BTreeMap::new();
        for record in &self.records {
            lines.entry(record.line(label)).or_default().add(record);
        }
        lines
    }

    /// Sums for each line of other cells, whose functions the cell called.
    #[must_use]
    pub fn elsewhere(&self, label: &str) -> BTreeMap<(&'static str, u32), Sum> {
        let mut lines: BTreeMap<(&'static str, u32), Sum> = BTreeMap::new();
        for record in &self.records {
            // Places within this crate, as in an optimizer's rule, say nothing to the user; their time is the calling line's.
            if let Some(place) = record.place.filter(|place| place.file != label && place.file.starts_with("In[")) {
                lines.entry((place.file, place.line)).or_default().add(record);
            }
        }
        lines
    }

    /// Sums for each op, the slowest first.
    #[must_use]
    pub fn by_op(&self) -> Vec<(&'static str, Sum)> {
        let mut ops: BTreeMap<&'static str, Sum> = BTreeMap::new();
        for record in &self.records {
            ops.entry(record.op).or_default().add(record);
        }
        let mut ops: Vec<_> = ops.into_iter().collect();
        ops.sort_by(|a, b| b.1.seconds.total_cmp(&a.1.seconds));
        ops
    }

    /// Seconds spent tracing: all that is neither passes nor running.
    #[must_use]
    pub fn trace_seconds(&self) -> f64 {
        (self.total - self.passes - self.run).max(0.0)
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Profile>> = const { RefCell::new(None) };
}

/// Whether ops are being timed.
pub(crate) fn is_on() -> bool {
    context::flags() & PROFILE != 0
}

/// Adds a record to the profile that is being taken.
pub(crate) fn add(record: Record) {
    with(|profile| profile.records.push(record));
}

/// Changes the profile that is being taken, if one is.
pub(crate) fn with(change: impl FnOnce(&mut Profile)) {
    CURRENT.with_borrow_mut(|current| {
        if let Some(profile) = current {
            change(profile);
        }
    });
}

/// Gives the outer profile back when dropped, so that a panic in what is profiled leaves none behind.
struct Outer(Option<Profile>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Runs `f` with every op timed. Profiles do not nest: an inner one takes its part out of the outer.
pub fn collect<T>(f: impl FnOnce() -> T) -> (T, Profile) {
    let outer = Outer(CURRENT.replace(Some(Profile::default())));
    let guard = context::FlagGuard::set(PROFILE, true);
    crate::storage::reset_peak();
    let start = Instant::now();
    let result = f();
    let total = start.elapsed().as_secs_f64();
    drop(guard);
    let mut profile = CURRENT.take().unwrap_or_default();
    drop(outer);
    profile.total = total;
    profile.peak_bytes = crate::storage::peak_bytes();
    if profile.segments.is_empty() {
        profile.run = profile.kernel_seconds();
    }
    (result, profile)
}

/// Runs an op eagerly and notes its time.
pub(crate) fn timed(
    op: &Arc<dyn Op>,
    inputs: &[&Tensor],
    place: Place,
    run: impl FnOnce() -> Result<Tensors>,
) -> Result<Tensors> {
    let start = Instant::now();
    let outputs = run()?;
    let seconds = start.elapsed().as_secs_f64();
    let specs: Vec<&Spec> = inputs.iter().map(|input| input.spec()).collect();
    let results: Vec<Spec> = outputs.iter().map(|output| output.spec().clone()).collect();
    add(Record::of(op.as_ref(), &specs, &results, Some(place), crate::cell::statement(), seconds));
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_no_profile_behind_and_the_outer_one_goes_on() {
        let x = crate::Tensor::from_slice([2], &[1f32, 2.0]);
        let ((), outer) = collect(|| {
            let inner = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                collect(|| -> () {
                    let _ = &x + 1.0;
                    panic!("on purpose");
                })
            }));
            assert!(inner.is_err());
            let _ = x.exp();
        });
        let ops: Vec<&str> = outer.records.iter().map(|record| record.op).collect();
        assert_eq!(ops, ["exp"]);
        CURRENT.with_borrow(|current| assert!(current.is_none()));
    }
}
