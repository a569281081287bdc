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
