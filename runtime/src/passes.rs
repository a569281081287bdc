//! What is done to a graph before it runs: a table of passes, each named, counted, and checked after.
//!
//! Must not know: devices, views.

use crate::graph::Graph;

/// A pass: it changes a graph, keeping what its outputs compute, and says how many nodes it touched.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    run: fn(&mut Graph) -> usize,
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Declares the modules and the table, in the order in which the passes run.
macro_rules! table {
    ($($name:ident)*) => {
        $(pub(crate) mod $name;)*
        /// Every pass, in order.
        pub static PASSES: &[Pass] = &[$(Pass { name: stringify!($name), doc: $name::DOC, run: $name::run },)*];
    };
}

table! { fold cse dce }

/// What one pass did to a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The pass.
    pub name: &'static str,
    /// Nodes that it touched.
    pub changed: usize,
    /// Nodes before and after.
    pub nodes: (usize, usize),
}

/// Runs every pass.
///
/// # Panics
/// In debug builds, if a pass leaves a graph that is not legal: a fault of ours.
pub fn optimise(graph: &mut Graph) -> Vec<Effect> {
    PASSES
        .iter()
        .map(|pass| {
            let before = graph.nodes.len();
            let changed = (pass.run)(graph);
            if cfg!(debug_assertions)
                && let Err(fault) = graph.verify()
            {
                panic!("the pass {} broke the graph: {fault}\n{graph}", pass.name);
            }
            Effect { name: pass.name, changed, nodes: (before, graph.nodes.len()) }
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::op::Spec;
    use crate::tensor::Tensor;

    /// The graph of `body` over two arguments of shape [2], as traced.
    pub(crate) fn traced(body: impl FnOnce(&Tensor, &Tensor) -> Vec<Tensor>) -> Graph {
        let spec = Spec { dtype: crate::dtype::DType::F32, shape: [2].into_iter().collect() };
        let traced = crate::stage::trace_graph("f", &[spec.clone(), spec], |handles| ((), body(&handles[0], &handles[1])));
        traced.expect("it is traced").1
    }

    /// The ops of a graph, in order.
    pub(crate) fn ops(graph: &Graph) -> Vec<&'static str> {
        graph.nodes.iter().filter_map(|node| Some(node.op()?.info().name)).collect()
    }

    #[test]
    fn passes_are_told_by_name_and_by_effect() {
        let mut graph = traced(|x, y| vec![(x + y) * (x + y), x.exp()]);
        let unused = graph.nodes.len();
        let effects = optimise(&mut graph);
        assert_eq!(effects.iter().map(|effect| effect.name).collect::<Vec<_>>(), ["fold", "cse", "dce"]);
        assert_eq!(effects[0].nodes, (unused, unused));
        assert_eq!(effects[2], Effect { name: "dce", changed: 1, nodes: (unused, unused - 1) });
        assert_eq!(ops(&graph), ["add", "mul", "exp"]);
    }
}
