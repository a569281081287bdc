//! Dead code: what no output depends on is dropped. Arguments stay, since they are counted.

use crate::graph::{Action, Graph};

/// For the table.
pub(super) const DOC: &str = "Drops what no output depends on.";

/// Drops; how many nodes.
pub(super) fn run(graph: &mut Graph) -> usize {
    let mut keep: Vec<bool> = graph.nodes.iter().map(|node| matches!(node.action, Action::Argument(_))).collect();
    for output in &graph.outputs {
        keep[output.node as usize] = true;
    }
    for number in (0..graph.nodes.len()).rev() {
        if keep[number] {
            for input in &graph.nodes[number].inputs {
                keep[input.node as usize] = true;
            }
        }
    }
    let dropped = keep.iter().filter(|&&keep| !keep).count();
    graph.rebuild(&keep, |value| value);
    dropped
}
