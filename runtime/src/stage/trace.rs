//! The graph that a thread is building: values by handle, captures, variables, and the run of a segment.
//!
//! A `%%stage` cell is one trace after the other: asking for a value ends the segment, runs it, and goes on with a new one. When a segment
//! has run, handles that someone still holds get their values and assigned variables get theirs; if it fails, no variable changes.

use crate::context::{FlagGuard, TRACE};
use crate::dispatch::Tensors;
use crate::error::{Error, ErrorKind, Place, Result};
use crate::exec::Executable;
use crate::graph::{Action, Graph, Node, ValueId};
use crate::op::{Op, Spec};
use crate::passes;
use crate::profile::{self, Segment};
use crate::storage::Array;
use crate::tensor::{Tensor, Traced, WeakTensor};
use crate::variable::Variable;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

thread_local! {
    static CURRENT: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// A variable as a trace sees it.
struct State {
    variable: Variable,
    /// What a read gives: the source's handle, or what was assigned last.
    current: Tensor,
    assigned: bool,
}

/// A graph in the making.
pub(super) struct Trace {
    segment: u64,
    graph: Graph,
    handles: Vec<(ValueId, WeakTensor)>,
    /// Known tensors that were used, by id; kept so that an id stays theirs.
    captures: HashMap<u64, (ValueId, Tensor)>,
    variables: BTreeMap<u64, State>,
    /// The staged function's name; `None` in a cell.
    function: Option<String>,
}

impl Trace {
    fn new(function: Option<String>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self {
            segment: NEXT.fetch_add(1, Relaxed),
            graph: Graph::default(),
            handles: Vec::new(),
            captures: HashMap::new(),
            variables: BTreeMap::new(),
            function,
        }
    }

    /// Adds a node and makes handles for its results.
    fn add(&mut self, action: Action, inputs: Vec<ValueId>, specs: &[Spec], place: Option<Place>) -> Tensors {
        let statement = crate::cell::statement();
        let first = self.graph.push(Node { action, inputs, outputs: specs.iter().cloned().collect(), place, statement });
        specs
            .iter()
            .enumerate()
            .map(|(output, spec)| {
                let value = ValueId { output: output as u32, ..first };
                let handle = Tensor::from_trace(spec.clone(), Traced { segment: self.segment, value });
                self.handles.push((value, handle.downgrade()));
                handle
            })
            .collect()
    }

    /// The value of a tensor in this graph; a known tensor is captured.
    fn value_of(&mut self, tensor: &Tensor) -> Result<ValueId> {
        if let Some(traced) = tensor.traced() {
            if traced.segment == self.segment {
                return Ok(traced.value);
            }
            return Err(leaked());
        }
        if let Some((value, _)) = self.captures.get(&tensor.id()) {
            return Ok(*value);
        }
        let array = tensor.array()?.clone();
        let node = Node {
            action: Action::Capture(array),
            inputs: Vec::new(),
            outputs: SmallVec::from_elem(tensor.spec().clone(), 1),
            place: None,
            statement: crate::cell::statement(),
        };
        let value = self.graph.push(node);
        self.captures.insert(tensor.id(), (value, tensor.clone()));
        Ok(value)
    }

    /// Another handle of the same value, of which tapes know nothing: no gradient flows through an assign.
    fn alias(&mut self, tensor: &Tensor) -> Tensor {
        match (tensor.known(), tensor.traced()) {
            (None, Some(traced)) => {
                let handle = Tensor::from_trace(tensor.spec().clone(), traced);
                if traced.segment == self.segment {
                    self.handles.push((traced.value, handle.downgrade()));
                }
                handle
            }
            (Some(array), _) => Tensor::from_array(array.clone()),
            (None, None) => tensor.clone(),
        }
    }

    /// Variables that were assigned, with their new values.
    fn assigned(&mut self) -> Result<Vec<(Variable, Tensor, ValueId)>> {
        let assigned: Vec<(Variable, Tensor)> = self
            .variables
            .values()
            .filter(|state| state.assigned)
            .map(|state| (state.variable.clone(), state.current.clone()))
            .collect();
        assigned.into_iter().map(|(variable, tensor)| Ok((variable, tensor.clone(), self.value_of(&tensor)?))).collect()
    }
}

fn leaked() -> Error {
    Error::new(
        ErrorKind::Stage,
        "this tensor has no value: the trace that was to compute it was abandoned, or failed before it got there",
    )
    .advise("compute it again here, or return it from the staged function that made it")
}

fn no_trace() -> Error {
    Error::new(ErrorKind::Stage, "no trace is being built on this thread")
}

/// Records an op as a node of the current trace.
pub(crate) fn record(op: &Arc<dyn Op>, inputs: &[&Tensor], place: Place) -> Result<Tensors> {
    CURRENT.with_borrow_mut(|current| {
        let trace = current.as_mut().ok_or_else(no_trace)?;
        let specs: SmallVec<[&Spec; 4]> = inputs.iter().map(|input| input.spec()).collect();
        let outputs = op.infer(&specs)?;
        let values = inputs.iter().map(|input| trace.value_of(input)).collect::<Result<_>>()?;
        Ok(trace.add(Action::Apply(op.clone()), values, &outputs, Some(place)))
    })
}

/// A variable's value as the trace sees it: what it assigned last, else what is stored when the graph begins.
pub(crate) fn variable_read(variable: &Variable) -> Tensor {
    CURRENT.with_borrow_mut(|current| {
        let Some(trace) = current else { return variable.stored() };
        if let Some(state) = trace.variables.get(&variable.id()) {
            return state.current.clone();
        }
        let handle = trace
            .add(Action::Read(variable.clone()), Vec::new(), std::slice::from_ref(variable.spec()), None)
            .pop()
            .expect("a source has one result");
        trace.variables.insert(variable.id(), State { variable: variable.clone(), current: handle.clone(), assigned: false });
        handle
    })
}

/// Assigns in the trace; storage changes when the graph has run.
pub(crate) fn variable_assign(variable: &Variable, value: &Tensor) {
    CURRENT.with_borrow_mut(|current| match current {
        Some(trace) => {
            let state = State { variable: variable.clone(), current: trace.alias(value), assigned: true };
            trace.variables.insert(variable.id(), state);
        }
        None => variable.store(value.clone()),
    });
}

/// Makes a traced tensor's value known: in a cell by running the segment, in a staged function not at all.
pub(crate) fn read(tensor: &Tensor) -> Result<()> {
    let trace = CURRENT.with_borrow_mut(|current| {
        let ours = current.as_ref().is_some_and(|trace| tensor.traced().is_some_and(|traced| traced.segment == trace.segment));
        if !ours {
            return Err(leaked());
        }
        if let Some(name) = current.as_ref().and_then(|trace| trace.function.clone()) {
            return Err(Error::new(
                ErrorKind::Stage,
                format!("the value of a traced tensor was asked for inside the staged function `{name}`; it is known only when the graph runs"),
            )
            .advise("keep to tensor ops such as where_() inside it, return the tensor and read it outside, or stage the cell without a name"));
        }
        Ok(current.replace(Trace::new(None)))
    })?;
    match trace {
        Some(trace) => run_segment(trace, Some(crate::cell::statement())),
        None => Err(no_trace()),
    }
}

/// Runs a cell's segment, fills in the handles that are still held, and assigns variables.
fn run_segment(mut trace: Trace, ended_at: Option<u32>) -> Result<()> {
    let held: Vec<(ValueId, Tensor)> =
        trace.handles.iter().filter_map(|(value, handle)| Some((*value, handle.upgrade()?))).collect();
    let assigned = trace.assigned()?;
    trace.graph.outputs = held.iter().map(|(value, _)| *value).chain(assigned.iter().map(|(_, _, value)| *value)).collect();
    if trace.graph.outputs.is_empty() {
        return Ok(());
    }
    let traced_nodes = trace.graph.ops();
    let start = Instant::now();
    let effects = passes::optimise(&mut trace.graph);
    let executable = Executable::new(trace.graph);
    let planned = Instant::now();
    // Handles of intermediate values that only the trace's own table held must not keep buffers from being reused.
    drop((trace.captures, trace.variables));
    let (values, ended) = executable.run_as_far_as_it_goes(&[]);
    let ran = planned.elapsed().as_secs_f64();
    profile::with(|profile| {
        profile.passes += (planned - start).as_secs_f64();
        profile.run += ran;
        profile.segments.push(Segment { ended_at, graph: executable.graph().clone(), traced_nodes, effects });
    });
    // What was computed before a failure is kept; variables are assigned all or none.
    let finished = matches!(ended, Ok(Ok(())));
    let mut values = values.into_iter();
    for ((_, tensor), array) in held.iter().zip(&mut values) {
        array.into_iter().for_each(|array| tensor.resolve(array));
    }
    if finished {
        for ((variable, tensor, _), array) in assigned.into_iter().zip(values) {
            array.into_iter().for_each(|array| tensor.resolve(array));
            variable.store(tensor);
        }
    }
    ended.unwrap_or_else(|interrupt| std::panic::resume_unwind(interrupt))
}

/// Takes the trace off the thread when dropped, so that a panic in traced code leaves none behind.
struct Clear {
    _flag: FlagGuard,
}

impl Clear {
    fn begin(function: Option<String>) -> Self {
        CURRENT.replace(Some(Trace::new(function)));
        Self { _flag: FlagGuard::set(TRACE, true) }
    }
}

impl Drop for Clear {
    fn drop(&mut self) {
        CURRENT.take();
    }
}

/// Runs `f` with its ops traced, in segments; then the last segment, unless `is_wanted` says otherwise of what came of `f`.
///
/// # Errors
/// The error of the last segment; an earlier one is raised where the value was asked for.
pub fn run_cell<T>(f: impl FnOnce() -> T, is_wanted: impl FnOnce(&T) -> bool) -> (T, Result<()>) {
    let clear = Clear::begin(None);
    let result = f();
    let trace = CURRENT.take();
    drop(clear);
    let ran = match trace {
        Some(trace) if is_wanted(&result) => run_segment(trace, None),
        _ => Ok(()),
    };
    (result, ran)
}

/// A traced function: its graph, the tensors that it returns as values of it, and the variables that it assigns.
pub(super) struct TracedFunction {
    pub(super) executable: Executable,
    pub(super) assigned: Vec<Variable>,
    pub(super) traced_nodes: usize,
    pub(super) effects: Vec<passes::Effect>,
}

/// Traces `body` and makes what it traced ready to run.
///
/// # Errors
/// See [`trace_graph`].
pub(super) fn trace_function<R>(
    name: &str,
    arguments: &[Spec],
    body: impl FnOnce(Vec<Tensor>) -> (R, Vec<Tensor>),
) -> Result<(R, TracedFunction)> {
    let (result, mut graph, assigned) = trace_graph(name, arguments, body)?;
    let traced_nodes = graph.ops();
    let effects = passes::optimise(&mut graph);
    Ok((result, TracedFunction { executable: Executable::new(graph), assigned, traced_nodes, effects }))
}

/// Traces `body`, which gets a handle for each argument and gives the tensors to return: the graph as traced, and the variables that it
/// assigns, whose values are its last outputs.
///
/// # Errors
/// If a returned tensor or assigned value belongs to another trace.
pub(crate) fn trace_graph<R>(
    name: &str,
    arguments: &[Spec],
    body: impl FnOnce(Vec<Tensor>) -> (R, Vec<Tensor>),
) -> Result<(R, Graph, Vec<Variable>)> {
    let clear = Clear::begin(Some(name.to_owned()));
    let handles = CURRENT.with_borrow_mut(|current| {
        let trace = current.as_mut().ok_or_else(no_trace)?;
        let sources = arguments.iter().enumerate();
        Ok(sources
            .flat_map(|(number, spec)| trace.add(Action::Argument(number), Vec::new(), std::slice::from_ref(spec), None))
            .collect())
    })?;
    let (result, returned) = body(handles);
    let mut trace = CURRENT.take().ok_or_else(no_trace)?;
    drop(clear);
    let returned = returned.iter().map(|tensor| trace.value_of(tensor)).collect::<Result<Vec<_>>>()?;
    let assigned = trace.assigned()?;
    trace.graph.outputs = returned.into_iter().chain(assigned.iter().map(|(_, _, value)| *value)).collect();
    Ok((result, trace.graph, assigned.into_iter().map(|(variable, ..)| variable).collect()))
}

impl TracedFunction {
    /// Runs it: the returned arrays. Variables are assigned once all is computed.
    pub(super) fn run(&self, arguments: &[Array]) -> Result<Vec<Array>> {
        let mut values = self.executable.run(arguments)?;
        let news = values.split_off(values.len() - self.assigned.len());
        for (variable, array) in self.assigned.iter().zip(news) {
            variable.store(Tensor::from_array(array));
        }
        Ok(values)
    }
}
