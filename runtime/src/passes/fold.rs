//! Constant folding: an op on single numbers that are all captures is computed now.
//!
//! Only single numbers: computing more here would move its time from the run, where the profile shows it, to the trace.

use crate::graph::{Action, Graph};
use crate::storage::Array;

/// For the table.
pub(super) const DOC: &str = "Computes small ops on constants while the graph is built.";

/// The most elements that a folded op may read or make.
const SMALL: usize = 1;

/// Folds; how many ops.
pub(super) fn run(graph: &mut Graph) -> usize {
    let mut folded = 0;
    for number in 0..graph.nodes.len() {
        let node = &graph.nodes[number];
        let Some(op) = node.op() else { continue };
        if node.outputs.len() != 1 || node.outputs[0].shape.elements() > SMALL || node.inputs.is_empty() {
            continue;
        }
        let constants: Option<Vec<Array>> = node
            .inputs
            .iter()
            .map(|&input| match &graph.node(input).action {
                Action::Capture(array) if array.shape().elements() <= SMALL => Some(array.clone()),
                _ => None,
            })
            .collect();
        let Some(mut inputs) = constants else { continue };
        // An op that can't compute (a division by zero) stays, and says so with its line when the graph runs.
        let Ok(mut outputs) = op.cpu(&mut inputs, &node.outputs) else { continue };
        let Some(value) = outputs.pop() else { continue };
        graph.nodes[number].action = Action::Capture(value);
        graph.nodes[number].inputs.clear();
        folded += 1;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tensor;
    use crate::passes::tests::{ops, traced};
    use crate::prelude::scalar;

    #[test]
    fn ops_on_constant_numbers_are_computed() {
        let mut graph = traced(|x, _| vec![x * (scalar(2.0) * 3.0).exp()]);
        assert_eq!(ops(&graph), ["mul", "exp", "mul"]);
        assert_eq!(run(&mut graph), 2);
        assert_eq!(ops(&graph), ["mul"]);
    }

    #[test]
    fn larger_constants_and_what_fails_stay() {
        let mut graph = traced(|x, _| vec![x * Tensor::from_slice([2], &[1f32, 2.0]).exp()]);
        assert_eq!(run(&mut graph), 0);
        assert_eq!(ops(&graph), ["exp", "mul"]);
        // Division by zero is the user's to see, with its line, when the graph runs.
        let mut graph = traced(|_, _| vec![Tensor::from_slice([], &[1i64]) / Tensor::from_slice([], &[0i64])]);
        assert_eq!(run(&mut graph), 0);
        assert_eq!(ops(&graph), ["div"]);
    }
}
