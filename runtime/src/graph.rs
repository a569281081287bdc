//! Dataflow graphs: nodes are ops, edges are values.

/// A value in a graph: the result `output` of node `node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId {
    /// The node's number in its graph.
    pub node: u32,
    /// Which of its results.
    pub output: u32,
}
