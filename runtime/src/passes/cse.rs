//! Common subexpressions: the same op on the same inputs, and small captures with the same bits, are computed once.

use crate::dtype::with_dtype;
use crate::graph::{Action, Graph, Node, ValueId};
use std::collections::HashMap;

/// For the table.
pub(super) const DOC: &str = "Computes the same op on the same inputs once.";

/// The most elements that captures are compared by.
const SMALL: usize = 64;

/// Merges; how many nodes were found to repeat an earlier one. They are left for `dce`.
pub(super) fn run(graph: &mut Graph) -> usize {
    let mut first: HashMap<String, u32> = HashMap::new();
    let mut same: Vec<u32> = (0..graph.nodes.len() as u32).collect();
    let mut merged = 0;
    for number in 0..graph.nodes.len() {
        let moved = |value: &ValueId| ValueId { node: same[value.node as usize], output: value.output };
        graph.nodes[number].inputs = graph.nodes[number].inputs.iter().map(moved).collect();
        let Some(key) = key(&graph.nodes[number]) else { continue };
        let earlier = *first.entry(key).or_insert(number as u32);
        if earlier != number as u32 {
            same[number] = earlier;
            merged += 1;
        }
    }
    for output in &mut graph.outputs {
        output.node = same[output.node as usize];
    }
    merged
}

/// What two nodes that compute the same have in common.
fn key(node: &Node) -> Option<String> {
    match &node.action {
        Action::Argument(_) => None,
        Action::Read(variable) => Some(format!("read {}", variable.id())),
        Action::Capture(array) if array.shape().elements() <= SMALL => {
            // Bits, not values: 0 and -0 differ, and NaN equals itself.
            let bits: Vec<u64> = with_dtype!(array.dtype(), T => array.to_vec::<T>().into_iter().map(bits).collect());
            Some(format!("capture {:?} {bits:?}", node.outputs))
        }
        Action::Capture(_) => None,
        Action::Apply(op) => Some(format!("{} {op:?} {:?}", op.info().name, node.inputs)),
    }
}

fn bits<T: crate::dtype::Element>(value: T) -> u64 {
    // Exact for every dtype: bool and f32 fit in f64, and i64 keeps its own bits.
    if T::DTYPE == crate::dtype::DType::I64 { value.to_i64() as u64 } else { value.to_f64().to_bits() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{ops, traced};
    use crate::tensor::Tensor;
    use crate::variable::Variable;

    /// Merges, and drops what is left over.
    fn merged(graph: &mut Graph) -> usize {
        let merged = run(graph);
        crate::passes::dce::run(graph);
        merged
    }

    #[test]
    fn the_same_op_on_the_same_inputs_is_one() {
        let mut graph = traced(|x, y| vec![(x + y).exp() * (x + y).exp()]);
        assert_eq!(ops(&graph), ["add", "exp", "add", "exp", "mul"]);
        assert_eq!(merged(&mut graph), 2);
        assert_eq!(ops(&graph), ["add", "exp", "mul"]);
    }

    #[test]
    fn other_inputs_attributes_and_constants_are_not_the_same() {
        let mut graph = traced(|x, y| vec![x - y, y - x, x.sum(()), x.sum_keep(()), x + 0.0, x + -0.0]);
        let before = ops(&graph);
        assert_eq!(merged(&mut graph), 0);
        assert_eq!(ops(&graph), before);
    }

    #[test]
    fn a_variable_read_before_and_after_it_is_assigned_is_two_values() {
        let w = Variable::new(Tensor::from_slice([2], &[1f32, 2.0]));
        let mut graph = traced(|x, _| {
            let before = w.read().exp();
            w.assign(&(w.read() + x));
            vec![before, w.read().exp()]
        });
        merged(&mut graph);
        assert_eq!(ops(&graph), ["exp", "add", "exp"]);
    }

    #[test]
    fn two_draws_of_random_numbers_are_two() {
        let mut graph = traced(|_, _| vec![crate::prelude::rand([2]), crate::prelude::rand([2])]);
        let draws = |graph: &Graph| ops(graph).iter().filter(|name| **name == "uniform").count();
        assert_eq!(draws(&graph), 2, "{graph}");
        merged(&mut graph);
        assert_eq!(draws(&graph), 2, "{graph}");
    }
}
