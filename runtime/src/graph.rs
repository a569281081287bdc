//! Dataflow graphs: nodes are ops or sources, edges are values. Nodes stand in the program's order, so every input comes before its use.
//!
//! Every op is a pure function: variables and random state are read at a source and assigned from an output, so passes are free to move,
//! merge and drop nodes.
//!
//! Must not know: devices, views.

use crate::error::Place;
use crate::op::{Op, Specs};
use crate::storage::Array;
use crate::variable::Variable;
use std::fmt;
use std::sync::Arc;

/// A value in a graph: the result `output` of node `node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId {
    /// The node's number in its graph.
    pub node: u32,
    /// Which of its results.
    pub output: u32,
}

/// What a node does.
#[derive(Clone)]
pub enum Action {
    /// The argument of this number of a staged function.
    Argument(usize),
    /// A tensor that was known when the graph was traced, taken by value.
    Capture(Array),
    /// The value that a variable has when the graph begins.
    Read(Variable),
    /// An op on the node's inputs.
    Apply(Arc<dyn Op>),
}

/// A node.
#[derive(Clone)]
pub struct Node {
    /// What it does.
    pub action: Action,
    /// Its inputs, in the op's order.
    pub inputs: Vec<ValueId>,
    /// The specs of its results.
    pub outputs: Specs,
    /// Where the user asked for it.
    pub place: Option<Place>,
    /// The line of the cell's statement that asked for it; 0 outside cells.
    pub statement: u32,
}

impl Node {
    /// The op's name, or what kind of source it is.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.action {
            Action::Argument(number) => format!("argument {number}"),
            Action::Capture(_) => "capture".to_owned(),
            Action::Read(variable) => variable.name().unwrap_or_else(|| "variable".to_owned()),
            Action::Apply(op) => op.info().name.to_owned(),
        }
    }

    /// The op, unless it is a source.
    #[must_use]
    pub fn op(&self) -> Option<&Arc<dyn Op>> {
        match &self.action {
            Action::Apply(op) => Some(op),
            _ => None,
        }
    }
}

/// A dataflow graph.
#[derive(Clone, Default)]
pub struct Graph {
    /// Nodes, each after the ones it uses.
    pub nodes: Vec<Node>,
    /// The values that the graph is run for.
    pub outputs: Vec<ValueId>,
}

impl Graph {
    /// Adds a node; its first result.
    pub(crate) fn push(&mut self, node: Node) -> ValueId {
        self.nodes.push(node);
        ValueId { node: self.nodes.len() as u32 - 1, output: 0 }
    }

    /// A value's node.
    #[must_use]
    pub fn node(&self, value: ValueId) -> &Node {
        &self.nodes[value.node as usize]
    }

    /// A value's spec.
    #[must_use]
    pub fn spec(&self, value: ValueId) -> &crate::op::Spec {
        &self.node(value).outputs[value.output as usize]
    }

    /// How many nodes are ops.
    #[must_use]
    pub fn ops(&self) -> usize {
        self.nodes.iter().filter(|node| node.op().is_some()).count()
    }

    /// Keeps the nodes that `keep` says, in their order; `moved` sends each value that is used to the one to use in its place.
    pub(crate) fn rebuild(&mut self, keep: &[bool], moved: impl Fn(ValueId) -> ValueId) {
        let mut numbers = vec![0u32; self.nodes.len()];
        let mut next = 0;
        for (node, &keep) in keep.iter().enumerate() {
            numbers[node] = next;
            next += u32::from(keep);
        }
        let renumber = |value: ValueId| {
            let value = moved(value);
            debug_assert!(keep[value.node as usize], "a value of a dropped node is used");
            ValueId { node: numbers[value.node as usize], output: value.output }
        };
        let nodes = std::mem::take(&mut self.nodes);
        self.nodes = nodes
            .into_iter()
            .zip(keep)
            .filter(|&(_, &keep)| keep)
            .map(|(node, _)| Node { inputs: node.inputs.iter().map(|&input| renumber(input)).collect(), ..node })
            .collect();
        for output in &mut self.outputs {
            *output = renumber(*output);
        }
    }

    /// Checks what every pass must keep: inputs come before their use, and specs are those that the op's rule gives.
    ///
    /// # Errors
    /// A sentence that names the node.
    pub fn verify(&self) -> Result<(), String> {
        let exists = |value: &ValueId, before: usize| {
            (value.node as usize) < before && (value.output as usize) < self.node(*value).outputs.len()
        };
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(input) = node.inputs.iter().find(|input| !exists(input, number)) {
                return Err(format!("node {number} ({}) uses {input:?}, which does not come before it", node.name()));
            }
            if let Some(op) = node.op() {
                let specs: Vec<_> = node.inputs.iter().map(|&input| self.spec(input)).collect();
                match op.infer(&specs) {
                    Ok(outputs) if outputs == node.outputs => {}
                    other => {
                        return Err(format!(
                            "node {number} ({}) has {:?}, and its rule gives {other:?}",
                            node.name(),
                            node.outputs
                        ));
                    }
                }
            }
        }
        match self.outputs.iter().find(|output| !exists(output, self.nodes.len())) {
            Some(output) => Err(format!("the output {output:?} does not exist")),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Graph {
    /// One node a line: `%3 = matmul(%0, %2) : f32[64, 10]  In[4]:2:9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |value: &ValueId| {
            if value.output == 0 { format!("%{}", value.node) } else { format!("%{}.{}", value.node, value.output) }
        };
        for (number, node) in self.nodes.iter().enumerate() {
            let inputs: Vec<String> = node.inputs.iter().map(name).collect();
            let specs: Vec<String> = node.outputs.iter().map(ToString::to_string).collect();
            write!(f, "%{number} = {}({}) : {}", node.name(), inputs.join(", "), specs.join(", "))?;
            match node.place {
                Some(place) => writeln!(f, "  {place}")?,
                None => writeln!(f)?,
            }
        }
        let outputs: Vec<String> = self.outputs.iter().map(name).collect();
        write!(f, "outputs {}", outputs.join(", "))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
