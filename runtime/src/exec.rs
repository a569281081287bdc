//! Runs a graph: nodes in order, each value freed after its last use.
//!
//! The plan says which use of a value is its last. There the value is moved into the op, which then finds that nobody else sees the
//! buffer and may write its result in place; so buffers are reused without an arena.

use crate::context;
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Action, Graph, ValueId};
use crate::op::{Arrays, Spec};
use crate::profile::{self, Record};
use crate::storage::Array;
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// A graph with its plan.
#[derive(Debug)]
pub struct Executable {
    graph: Graph,
    /// For each node and each of its inputs, whether that is the value's last use.
    last: Vec<SmallVec<[bool; 4]>>,
    /// For each node, the results that nothing uses.
    unused: Vec<SmallVec<[bool; 1]>>,
}

impl Executable {
    /// Plans a graph.
    #[must_use]
    pub fn new(graph: Graph) -> Self {
        let mut seen: std::collections::HashSet<ValueId> = graph.outputs.iter().copied().collect();
        let mut last: Vec<SmallVec<[bool; 4]>> = vec![SmallVec::new(); graph.nodes.len()];
        for (number, node) in graph.nodes.iter().enumerate().rev() {
            // From the right, so that an op that uses a value twice takes it at its last input.
            let mut flags: SmallVec<[bool; 4]> = node.inputs.iter().rev().map(|&input| seen.insert(input)).collect();
            flags.reverse();
            last[number] = flags;
        }
        let unused = graph
            .nodes
            .iter()
            .enumerate()
            .map(|(node, of)| {
                (0..of.outputs.len())
                    .map(|output| !seen.contains(&ValueId { node: node as u32, output: output as u32 }))
                    .collect()
            })
            .collect();
        Self { graph, last, unused }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Runs it: the values of its outputs. Variables are only read.
    ///
    /// # Errors
    /// An op's error, with its place in the user's source.
    ///
    /// # Panics
    /// With [`context::Interrupted`] if the user interrupts.
    pub fn run(&self, arguments: &[Array]) -> Result<Vec<Array>> {
        let (outputs, ended) = self.run_as_far_as_it_goes(arguments);
        match ended {
            Ok(ran) => ran.map(|()| outputs.into_iter().flatten().collect()),
            Err(interrupt) => std::panic::resume_unwind(interrupt),
        }
    }

    /// Runs it until it ends, an op fails or the user interrupts: the outputs that were computed, and how it ended. A cell keeps what
    /// it has then, as it would op by op.
    pub(crate) fn run_as_far_as_it_goes(&self, arguments: &[Array]) -> (Vec<Option<Array>>, std::thread::Result<Result<()>>) {
        let mut values = Vec::with_capacity(self.graph.nodes.len());
        let ended = catch_unwind(AssertUnwindSafe(|| self.run_nodes(arguments, &mut values)));
        // An output is never moved into an op, so a node that has run has its outputs still.
        let output = |id: &ValueId| values.get(id.node as usize).map(|outputs: &Arrays| outputs[id.output as usize].clone());
        (self.graph.outputs.iter().map(output).collect(), ended)
    }

    fn run_nodes(&self, arguments: &[Array], values: &mut Vec<Arrays>) -> Result<()> {
        let timed = profile::is_on();
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let outputs: Arrays = match &node.action {
                Action::Argument(argument) => SmallVec::from_elem(arguments[*argument].clone(), 1),
                Action::Capture(array) => SmallVec::from_elem(array.clone(), 1),
                Action::Read(variable) => SmallVec::from_elem(variable.stored().array()?.clone(), 1),
                Action::Apply(op) => {
                    context::poll();
                    let mut inputs: SmallVec<[Array; 4]> = SmallVec::with_capacity(node.inputs.len());
                    for (input, &last) in node.inputs.iter().zip(&self.last[number]) {
                        let slot = &mut values[input.node as usize][input.output as usize];
                        inputs.push(if last { std::mem::replace(slot, Array::empty()) } else { slot.clone() });
                    }
                    let start = timed.then(Instant::now);
                    let outputs = op.cpu(&mut inputs, &node.outputs).map_err(|error| match node.place {
                        Some(place) => error.at(place),
                        None => error,
                    })?;
                    if let Some(start) = start {
                        let seconds = start.elapsed().as_secs_f64();
                        let specs: Vec<&Spec> = node.inputs.iter().map(|&input| self.graph.spec(input)).collect();
                        profile::add(Record::of(op.as_ref(), &specs, &node.outputs, node.place, node.statement, seconds));
                    }
                    outputs
                }
            };
            if outputs.len() != node.outputs.len() {
                return Err(Error::new(
                    ErrorKind::Stage,
                    format!("{} gave {} results, not {}", node.name(), outputs.len(), node.outputs.len()),
                ));
            }
            let outputs = outputs
                .into_iter()
                .zip(&self.unused[number])
                .map(|(output, &unused)| if unused { Array::empty() } else { output })
                .collect();
            values.push(outputs);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::tensor::Tensor;

    #[test]
    fn a_chain_of_ops_hands_one_buffer_on() {
        let spec = Spec::new(DType::F32, [1000usize]);
        let chain = |handles: Vec<Tensor>| {
            let last = (0..5).fold(handles[0].clone(), |x, _| (x.tanh() + 1.0) * 0.5);
            ((), vec![last])
        };
        let (_, graph, _) = crate::stage::trace_graph("chain", std::slice::from_ref(&spec), chain).expect("it is traced");
        let executable = Executable::new(graph);
        let argument = crate::prelude::ones([1000]).array().expect("it is known").clone();
        let mut values = Vec::new();
        executable.run_nodes(&[argument], &mut values).expect("it runs");
        // Every value of the chain but the last has gone into the op that used it.
        let chained = |number: &usize| executable.graph.nodes[*number].op().is_some();
        let ops: Vec<usize> = (0..values.len()).filter(chained).collect();
        let (last, before) = ops.split_last().expect("there are ops");
        assert!(before.iter().all(|&number| values[number][0].shape().elements() == 0), "{values:?}");
        assert_eq!(values[*last][0].shape().elements(), 1000);
    }
}
