//! A graph as a picture: nodes in layers, each below what it uses. A small graph shows every op; a larger one shows a box for each line
//! of source, with the ops that the line asked for.

use super::html::{Align, Table, picture};
use super::svg::{NEUTRAL, ON_COLOUR, PALETTE, Svg};
use super::{Bundle, Show};
use crate::graph::{Action, Graph, Node};
use std::collections::BTreeMap;

/// Larger graphs are folded by line.
const FOLD_FROM: usize = 30;
/// Longest label of a box.
const LABEL: usize = 30;
const BOX_HEIGHT: f64 = 34.0;
const LAYER_GAP: f64 = 34.0;
const BOX_GAP: f64 = 18.0;
const MARGIN: f64 = 8.0;

/// A box of the picture.
#[derive(Debug)]
struct Block {
    label: String,
    note: String,
    colour: &'static str,
    inputs: Vec<usize>,
}

/// A family's colour, so that a product looks unlike a sum wherever it stands.
fn colour(node: &Node) -> &'static str {
    let family = match &node.action {
        Action::Argument(_) | Action::Read(_) => return PALETTE[1],
        Action::Capture(_) => return PALETTE[6],
        Action::Apply(op) => op.info().name,
    };
    match family {
        "matmul" => PALETTE[0],
        "sum" | "max" | "min" | "argmax" | "argmin" => PALETTE[3],
        "softmax" | "log_softmax" | "gather" | "take" | "one_hot" | "add_rows" => PALETTE[5],
        "reshape" | "permute" | "broadcast_to" | "slice" | "unslice" | "concat" => PALETTE[4],
        _ => PALETTE[2],
    }
}

/// A box for each node; captures of single numbers are told in the op's note, not drawn.
fn by_node(graph: &Graph) -> Vec<Block> {
    let small = |node: &Node| matches!(&node.action, Action::Capture(array) if array.shape().elements() == 1);
    let mut numbers = BTreeMap::new();
    let mut blocks = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        if small(node) {
            continue;
        }
        numbers.insert(number as u32, blocks.len());
        let constants: Vec<String> = node
            .inputs
            .iter()
            .filter_map(|input| match &graph.node(*input).action {
                Action::Capture(array) if array.shape().elements() == 1 => Some(crate::tensor::text::text(array)),
                _ => None,
            })
            .collect();
        let label = if constants.is_empty() { node.name() } else { format!("{} {}", node.name(), constants.join(" ")) };
        let note = node.outputs.first().map(ToString::to_string).unwrap_or_default();
        let inputs = node.inputs.iter().filter_map(|input| numbers.get(&input.node).copied()).collect();
        blocks.push(Block { label, note, colour: colour(node), inputs });
    }
    blocks
}

/// A box for each line of source that asked for ops, and one for each source of values that is not a single number.
fn by_line(graph: &Graph) -> Vec<Block> {
    // Ops that an optimizer's own code asked for belong to the line of the cell that called it.
    let of_cell = |node: &Node| node.place.filter(|place| place.file.starts_with("In["));
    let labels: BTreeMap<u32, &'static str> =
        graph.nodes.iter().filter_map(of_cell).map(|place| (place.line, place.file)).collect();
    let key = |number: usize, node: &Node| match (&node.action, node.place) {
        // Lines of statements order the boxes; a variable stands alone, before the lines.
        (Action::Apply(_), Some(place)) if of_cell(node).is_some() => (1, node.statement, place.file, place.line),
        (Action::Apply(_), _) => (1, node.statement, labels.get(&node.statement).copied().unwrap_or("line"), node.statement),
        _ => (0, number as u32, "", 0),
    };
    let drawn = |node: &Node| !matches!(&node.action, Action::Capture(array) if array.shape().elements() == 1);
    let mut keys: Vec<_> =
        graph.nodes.iter().enumerate().filter(|(_, node)| drawn(node)).map(|(number, node)| key(number, node)).collect();
    keys.sort_unstable();
    keys.dedup();
    let block_of = |number: usize| keys.binary_search(&key(number, &graph.nodes[number])).ok();
    let mut blocks: Vec<(BTreeMap<String, usize>, Block)> = keys
        .iter()
        .map(|(_, _, file, line)| {
            let note = if *line > 0 { format!("{file}:{line}") } else { String::new() };
            (BTreeMap::new(), Block { label: String::new(), note, colour: PALETTE[2], inputs: Vec::new() })
        })
        .collect();
    for (number, node) in graph.nodes.iter().enumerate().filter(|(_, node)| drawn(node)) {
        let Some(at) = block_of(number) else { continue };
        let inputs: Vec<usize> =
            node.inputs.iter().filter_map(|input| block_of(input.node as usize)).filter(|&from| from != at).collect();
        let (names, block) = &mut blocks[at];
        *names.entry(node.name()).or_default() += 1;
        block.inputs.extend(inputs);
        if node.op().is_none() {
            block.note = node.outputs.first().map(ToString::to_string).unwrap_or_default();
            block.colour = colour(node);
        } else if node.name() == "matmul" {
            block.colour = colour(node);
        }
    }
    let mut blocks: Vec<Block> = blocks
        .into_iter()
        .map(|(names, block)| {
            let label: Vec<String> =
                names.into_iter().map(|(name, count)| if count > 1 { format!("{count} {name}") } else { name }).collect();
            Block { label: label.join(", "), ..block }
        })
        .collect();
    for (at, block) in blocks.iter_mut().enumerate() {
        block.inputs.sort_unstable();
        block.inputs.dedup();
        // A line in a loop both gives to and takes from an earlier line; the picture shows the way down.
        block.inputs.retain(|&from| from < at);
    }
    blocks
}

/// Each block's layer: one below the deepest of its inputs; sources just above their first use.
fn layers(blocks: &[Block]) -> Vec<usize> {
    let mut layer = vec![0usize; blocks.len()];
    for at in 0..blocks.len() {
        layer[at] = blocks[at].inputs.iter().map(|&from| layer[from] + 1).max().unwrap_or(0);
    }
    for at in 0..blocks.len() {
        if blocks[at].inputs.is_empty() {
            let first_use =
                blocks.iter().enumerate().filter(|(_, block)| block.inputs.contains(&at)).map(|(user, _)| layer[user]).min();
            layer[at] = first_use.map_or(0, |user| user.saturating_sub(1));
        }
    }
    layer
}

/// The blocks of each layer from left to right, each near what it uses.
fn ordered(blocks: &[Block], layer: &[usize]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)];
    for (block, &at) in layer.iter().enumerate() {
        rows[at].push(block);
    }
    let mut place = vec![0.0f64; blocks.len()];
    for _ in 0..4 {
        for row in &mut rows {
            let wish = |block: usize| {
                let inputs = &blocks[block].inputs;
                if inputs.is_empty() {
                    place[block]
                } else {
                    inputs.iter().map(|&from| place[from]).sum::<f64>() / inputs.len() as f64
                }
            };
            row.sort_by(|&a, &b| wish(a).total_cmp(&wish(b)));
            let middle = (row.len() as f64 - 1.0) / 2.0;
            for (at, &block) in row.iter().enumerate() {
                place[block] = at as f64 - middle;
            }
        }
    }
    rows
}

fn cut(label: &str) -> String {
    if label.chars().count() <= LABEL { label.to_owned() } else { label.chars().take(LABEL - 1).chain(['…']).collect() }
}

/// The picture and its width in pixels.
pub(crate) fn svg(graph: &Graph) -> (String, u32) {
    let blocks = if graph.nodes.len() < FOLD_FROM { by_node(graph) } else { by_line(graph) };
    let layer = layers(&blocks);
    let rows = ordered(&blocks, &layer);
    let width_of = |block: &Block| {
        let letters = cut(&block.label).chars().count().max(block.note.chars().count() * 5 / 6);
        (letters as f64 * 7.2 + 20.0).max(56.0)
    };
    let row_width = |row: &[usize]| row.iter().map(|&block| width_of(&blocks[block]) + BOX_GAP).sum::<f64>() - BOX_GAP;
    let width = rows.iter().map(|row| row_width(row)).fold(60.0, f64::max) + 2.0 * MARGIN;
    let height = rows.len() as f64 * (BOX_HEIGHT + LAYER_GAP) - LAYER_GAP + 2.0 * MARGIN;
    let mut middles = vec![(0.0, 0.0); blocks.len()];
    for (at, row) in rows.iter().enumerate() {
        let mut x = (width - row_width(row)) / 2.0;
        for &block in row {
            let half = width_of(&blocks[block]) / 2.0;
            middles[block] = (x + half, MARGIN + at as f64 * (BOX_HEIGHT + LAYER_GAP));
            x += 2.0 * half + BOX_GAP;
        }
    }
    let mut svg = Svg::new(width, height.max(2.0 * MARGIN));
    for (block, &(x, y)) in blocks.iter().zip(&middles) {
        for &from in &block.inputs {
            svg.edge((middles[from].0, middles[from].1 + BOX_HEIGHT), (x, y));
        }
    }
    for (block, &(x, y)) in blocks.iter().zip(&middles) {
        let half = width_of(block) / 2.0;
        svg.rect((x - half, y), (2.0 * half, BOX_HEIGHT), block.colour);
        svg.text((x, y + if block.note.is_empty() { 21.0 } else { 14.0 }), 12.0, ON_COLOUR, &cut(&block.label));
        svg.text((x, y + 27.0), 10.0, ON_COLOUR, &block.note);
    }
    if blocks.is_empty() {
        svg.text((width / 2.0, 12.0), 11.0, NEUTRAL, "empty");
    }
    (svg.finish(), width.ceil() as u32)
}

impl Show for Graph {
    fn show(&self) -> Bundle {
        let (svg, width) = svg(self);
        let alt = format!("dataflow graph of {} nodes", self.nodes.len());
        let mut table = Table::new(&[
            ("", Align::Left),
            ("node", Align::Left),
            ("inputs", Align::Left),
            ("result", Align::Left),
            ("asked for at", Align::Left),
        ]);
        for (number, node) in self.nodes.iter().enumerate() {
            table.row(vec![
                format!("%{number}"),
                node.name(),
                node.inputs.iter().map(|input| format!("%{}", input.node)).collect::<Vec<_>>().join(" "),
                node.outputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                node.place.map(|place| place.to_string()).unwrap_or_default(),
            ]);
        }
        let html = format!(
            "<div>{}{}</div>",
            picture(&svg, &alt, width),
            super::html::details(&format!("{} nodes", self.nodes.len()), &table.html(), false)
        );
        Bundle::text(self.to_string()).html(html).svg(svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    #[test]
    fn a_small_graph_draws_each_op_and_tells_numbers_in_its_label() {
        let f = crate::stage_fn!("f", (x: &Tensor), (x * 2.0).exp());
        let _ = f(&Tensor::from_slice([2], &[1f32, 2.]));
        let (svg, _) = svg(&f.graph());
        for part in [">mul 2.0<", ">exp<", ">argument 0<", ">f32[2]<"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 3);
    }

    #[test]
    fn a_large_graph_is_folded_by_line() {
        let f = crate::stage_fn!("f", (x: &Tensor), {
            let mut y = x.clone();
            for _ in 0..40 {
                y = y * x + x;
            }
            y
        });
        let _ = f(&Tensor::from_slice([2], &[1f32, 2.]));
        let (svg, _) = svg(&f.graph());
        assert!(svg.contains(">40 add, 40 mul<"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2);
    }
}
