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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{ops, traced};
    use crate::tensor::Tensor;
    use crate::variable::Variable;

    #[test]
    fn what_nobody_asks_for_goes_and_arguments_stay() {
        let mut graph = traced(|x, _| {
            let _unused = x.exp().sum(());
            vec![x + 1.0]
        });
        assert_eq!(run(&mut graph), 2);
        assert_eq!(ops(&graph), ["add"]);
        assert_eq!(graph.nodes.iter().filter(|node| matches!(node.action, Action::Argument(_))).count(), 2);
    }

    #[test]
    fn an_assigned_variable_is_an_output() {
        let w = Variable::new(Tensor::from_slice([2], &[1f32, 2.0]));
        let mut graph = traced(|x, _| {
            w.assign(&x.exp());
            vec![]
        });
        assert_eq!(run(&mut graph), 0);
        assert_eq!(ops(&graph), ["exp"]);
    }
}
