//! A graph as a picture that reads as the program does, from top to bottom: each line of source is a frame with its text, and in it stand
//! the ops that it asked for. A graph too large for that shows a box for each line, with counts of its ops.

use super::cut::bounded;
use super::graph_layout::{Placed, place};
use super::html::{Align, Table, details, picture};
use super::staged_source::Source;
use super::svg::{NEUTRAL, ON_COLOUR, PALETTE, Svg};
use super::{Bundle, Show};
use crate::graph::{Action, Graph, Node};
use std::collections::BTreeMap;

/// Graphs with more boxes, or with more frames, are folded by line.
const FOLD_FROM: (usize, usize) = (64, 24);
/// Longest label of a box.
const LABEL: usize = 36;
/// Rows of the table of nodes.
const MOST_NODES: usize = 500;
const BOX_HEIGHT: f64 = 34.0;
const LAYER_GAP: f64 = 24.0;
/// Above the boxes of a frame: its text. Below them: some room.
const FRAME_TOP: f64 = 34.0;
const FRAME_BOTTOM: f64 = 10.0;
const FRAME_GAP: f64 = 16.0;
const MARGIN: f64 = 14.0;
/// Width of a letter of a frame's text.
const LETTER: f64 = 6.7;

/// A box of the picture.
#[derive(Debug)]
struct Block {
    label: String,
    note: String,
    colour: &'static str,
    inputs: Vec<usize>,
    /// What is written beside the edge that leaves it.
    leaving: String,
    /// Its layer in its frame, and the frame.
    layer: usize,
    frame: usize,
}

/// The boxes, and the text of each frame; without text there is no frame.
#[derive(Debug, Default)]
struct Drawing {
    blocks: Vec<Block>,
    frames: Vec<String>,
}

/// An op's colour tells its family, so that a product looks unlike a sum wherever it stands.
pub(super) fn family(op: &str) -> &'static str {
    match op {
        "matmul" => PALETTE[0],
        "sum" | "max" | "min" | "argmax" | "argmin" => PALETTE[3],
        "softmax" | "log_softmax" | "gather" | "take" | "one_hot" | "add_rows" => PALETTE[5],
        "reshape" | "permute" | "broadcast_to" | "slice" | "unslice" | "concat" => PALETTE[4],
        _ => PALETTE[2],
    }
}

fn colour(node: &Node) -> &'static str {
    match &node.action {
        Action::Argument(_) | Action::Read(_) => PALETTE[1],
        Action::Capture(_) => PALETTE[6],
        Action::Apply(op) => family(op.info().name),
    }
}

/// A capture of one number is told in the labels of its users, not drawn.
fn told(node: &Node) -> bool {
    matches!(&node.action, Action::Capture(array) if array.shape().elements() == 1)
}

fn note(node: &Node) -> String {
    node.outputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The line of source at a place: `3  let h = x.matmul(&w);` for the cell's own, else where it stands.
fn line_of(place: Option<(&str, u32)>, source: Option<&Source<'_>>) -> String {
    match (place, source) {
        (Some((file, line)), Some(source)) if file == source.label || file == "line" => {
            let text = source.text.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
            format!("{line}  {}", text.trim())
        }
        (Some(("line", line)), None) => format!("line {line}"),
        (Some((file, line)), _) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        (None, _) => String::new(),
    }
}

/// The file and line that asked for a node. In a notebook what lies outside of cells, such as an optimizer's code, counts as asked for by
/// the cell's own statement, whose file is called "line" here.
fn key(node: &Node) -> Option<(&'static str, u32)> {
    match node.place {
        Some(place) if node.statement == 0 || place.file.starts_with("In[") => Some((place.file, place.line)),
        _ => (node.statement > 0).then_some(("line", node.statement)),
    }
}

/// A box for each node, in frames of neighbours that the same line asked for.
fn by_node(graph: &Graph, source: Option<&Source<'_>>) -> Drawing {
    let mut drawing = Drawing::default();
    let mut numbers = BTreeMap::new();
    let mut current = None;
    for (number, node) in graph.nodes.iter().enumerate().filter(|(_, node)| !told(node)) {
        numbers.insert(number as u32, drawing.blocks.len());
        let constants: Vec<String> = node
            .inputs
            .iter()
            .filter_map(|input| match &graph.node(*input).action {
                Action::Capture(array) if array.shape().elements() == 1 => Some(crate::tensor::text::text(array)),
                _ => None,
            })
            .collect();
        let label = if constants.is_empty() { node.name() } else { format!("{} {}", node.name(), constants.join(" ")) };
        let inputs: Vec<usize> = node.inputs.iter().filter_map(|input| numbers.get(&input.node).copied()).collect();
        if node.op().is_some() && current != Some(key(node)) {
            current = Some(key(node));
            drawing.frames.push(line_of(key(node), source));
        }
        let frame = drawing.frames.len().saturating_sub(1);
        drawing.blocks.push(Block {
            label,
            note: note(node),
            colour: colour(node),
            inputs,
            leaving: String::new(),
            layer: 0,
            frame,
        });
    }
    let is_source: Vec<bool> = graph.nodes.iter().filter(|node| !told(node)).map(|node| node.op().is_none()).collect();
    let blocks = &mut drawing.blocks;
    // A source stands in the frame of its first use.
    let mut first_use: Vec<Option<usize>> = vec![None; blocks.len()];
    for (user, block) in blocks.iter().enumerate() {
        for &from in &block.inputs {
            first_use[from].get_or_insert(user);
        }
    }
    for at in 0..blocks.len() {
        if is_source[at] {
            blocks[at].frame = first_use[at].map_or(blocks[at].frame, |user| blocks[user].frame);
        }
    }
    for at in 0..blocks.len() {
        let frame = blocks[at].frame;
        let above = blocks[at].inputs.iter().filter(|&&from| blocks[from].frame == frame).map(|&from| blocks[from].layer + 1);
        blocks[at].layer = above.max().unwrap_or(0);
    }
    // And close above it.
    for at in 0..blocks.len() {
        if is_source[at]
            && let Some(user) = first_use[at]
        {
            blocks[at].layer = blocks[user].layer.saturating_sub(1);
        }
    }
    drawing
}

/// A box for each line of source that asked for ops, and one for each source of values that is not a single number.
fn by_line(graph: &Graph, source: Option<&Source<'_>>) -> Drawing {
    // Lines of statements order the boxes; a variable stands alone, before the lines.
    let key = |number: usize, node: &Node| match (node.op(), key(node)) {
        (Some(_), Some((file, line))) => (1, node.statement, file, line),
        (Some(_), None) => (1, node.statement, "", 0),
        (None, _) => (0, number as u32, "", 0),
    };
    let drawn = || graph.nodes.iter().enumerate().filter(|(_, node)| !told(node));
    let mut keys: Vec<_> = drawn().map(|(number, node)| key(number, node)).collect();
    keys.sort_unstable();
    keys.dedup();
    let block_of = |number: usize| keys.binary_search(&key(number, &graph.nodes[number])).ok();
    let new = |colour| Block {
        label: String::new(),
        note: String::new(),
        colour,
        inputs: Vec::new(),
        leaving: String::new(),
        layer: 0,
        frame: 0,
    };
    let mut blocks: Vec<(BTreeMap<String, usize>, Block)> = keys.iter().map(|_| (BTreeMap::new(), new(PALETTE[2]))).collect();
    for (number, node) in drawn() {
        let Some(at) = block_of(number) else { continue };
        for input in &node.inputs {
            if let Some(from) = block_of(input.node as usize).filter(|&from| from < at) {
                // A line in a loop both gives to and takes from an earlier line; the picture shows the way down.
                blocks[at].1.inputs.push(from);
                if node.op().is_some() && graph.node(*input).op().is_some() {
                    blocks[from].1.leaving = graph.spec(*input).to_string();
                }
            }
        }
        let (names, block) = &mut blocks[at];
        *names.entry(node.name()).or_default() += 1;
        if node.op().is_none() {
            block.note = note(node);
            block.colour = colour(node);
        } else if node.name() == "matmul" {
            block.colour = colour(node);
        }
    }
    let blocks = blocks.into_iter().zip(&keys).map(|((names, mut block), &(_, _, file, line))| {
        block.inputs.sort_unstable();
        block.inputs.dedup();
        let names: Vec<String> =
            names.into_iter().map(|(name, count)| if count > 1 { format!("{count} {name}") } else { name }).collect();
        let ops = names.join(", ");
        if line > 0 {
            Block { label: line_of(Some((file, line)), source), note: ops, ..block }
        } else {
            Block { label: ops, ..block }
        }
    });
    let mut blocks: Vec<Block> = blocks.collect();
    for at in 0..blocks.len() {
        blocks[at].layer = blocks[at].inputs.iter().map(|&from| blocks[from].layer + 1).max().unwrap_or(0);
    }
    for at in 0..blocks.len() {
        if blocks[at].inputs.is_empty() {
            let first = blocks.iter().filter(|block| block.inputs.contains(&at)).map(|block| block.layer).min();
            blocks[at].layer = first.map_or(0, |user| user.saturating_sub(1));
        }
    }
    Drawing { blocks, frames: vec![String::new()] }
}

fn cut(label: &str, most: usize) -> String {
    if label.chars().count() <= most {
        label.to_owned()
    } else {
        label.chars().take(most.saturating_sub(1)).chain(['…']).collect()
    }
}

impl Drawing {
    fn of(graph: &Graph, source: Option<&Source<'_>>) -> Self {
        let drawn = graph.nodes.iter().filter(|node| !told(node)).count();
        if drawn <= FOLD_FROM.0 {
            let drawing = by_node(graph, source);
            if drawing.frames.len() <= FOLD_FROM.1 {
                return drawing;
            }
        }
        by_line(graph, source)
    }

    /// The first layer of each frame, counted over all frames, and one past the last.
    fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        for frame in 0..self.frames.len() {
            let layers = self.blocks.iter().filter(|block| block.frame == frame).map(|block| block.layer + 1).max().unwrap_or(0);
            starts.push(starts[frame] + layers);
        }
        starts
    }

    /// The top of each layer and of each frame, and the height of all.
    fn heights(&self, starts: &[usize]) -> (Vec<f64>, Vec<(f64, f64)>, f64) {
        let (mut tops, mut frames, mut y) = (Vec::new(), Vec::new(), 2.0);
        for (frame, text) in self.frames.iter().enumerate() {
            let framed = !text.is_empty();
            let top = y;
            y += if framed { FRAME_TOP } else { 0.0 };
            for _ in starts[frame]..starts[frame + 1] {
                tops.push(y);
                y += BOX_HEIGHT + LAYER_GAP;
            }
            y += if framed { FRAME_BOTTOM } else { 0.0 } - if starts[frame + 1] > starts[frame] { LAYER_GAP } else { 0.0 };
            frames.push((top, y - top));
            y += FRAME_GAP;
        }
        (tops, frames, y - FRAME_GAP + 2.0)
    }

    fn svg(&self, alt: &str) -> (String, u32) {
        let width_of = |block: &Block| {
            let label = cut(&block.label, LABEL).chars().count() as f64 * 7.0;
            let note = cut(&block.note, LABEL).chars().count() as f64 * 5.9;
            (label.max(note) + 18.0).max(56.0)
        };
        let starts = self.starts();
        let layers: Vec<usize> = self.blocks.iter().map(|block| starts[block.frame] + block.layer).collect();
        let widths: Vec<f64> = self.blocks.iter().map(width_of).collect();
        let edges: Vec<(usize, usize)> =
            self.blocks.iter().enumerate().flat_map(|(to, block)| block.inputs.iter().map(move |&from| (from, to))).collect();
        let Placed { middles, ways, width } = place(&widths, &layers, &edges);
        let framed = self.frames.iter().any(|text| !text.is_empty());
        let wanted = self.frames.iter().map(|text| text.chars().count().min(72) as f64 * LETTER + 30.0).fold(0.0, f64::max);
        let full = (width + 2.0 * MARGIN).max(if framed { wanted.max(160.0) } else { 60.0 });
        let left = (full - width) / 2.0;
        let (tops, frames, height) = self.heights(&starts);
        let mut svg = Svg::new(full, height.max(24.0), alt);
        for (_, &(top, high)) in self.frames.iter().zip(&frames).filter(|(text, _)| !text.is_empty()) {
            svg.frame((1.0, top), (full - 2.0, high));
        }
        for (&(from, _), way) in edges.iter().zip(&ways) {
            let first = layers[from];
            let mut points = Vec::with_capacity(2 * way.len());
            for (at, x) in way.iter().enumerate() {
                let top = tops[first + at];
                if at > 0 {
                    points.push((left + x, top));
                }
                if at + 1 < way.len() {
                    points.push((left + x, top + BOX_HEIGHT));
                }
            }
            svg.edge(&points);
        }
        for (text, &(top, _)) in self.frames.iter().zip(&frames).filter(|(text, _)| !text.is_empty()) {
            let text = cut(text, ((full - 30.0) / LETTER) as usize);
            svg.plate((6.0, top + 5.0), text.chars().count() as f64 * LETTER + 14.0, &text);
        }
        for ((block, &middle), (&layer, &wide)) in self.blocks.iter().zip(&middles).zip(layers.iter().zip(&widths)) {
            let (x, y) = (left + middle, tops[layer]);
            svg.rect((x - wide / 2.0, y), (wide, BOX_HEIGHT), block.colour);
            svg.text((x, y + if block.note.is_empty() { 21.0 } else { 14.5 }), 12.0, ON_COLOUR, &cut(&block.label, LABEL));
            svg.text((x, y + 27.5), 10.0, ON_COLOUR, &cut(&block.note, LABEL));
            svg.text_start((x + 5.0, y + BOX_HEIGHT + 12.0), 10.0, NEUTRAL, &block.leaving);
        }
        if self.blocks.is_empty() {
            svg.text((full / 2.0, 16.0), 11.0, NEUTRAL, "empty");
        }
        (svg.finish(), full.ceil() as u32)
    }
}

/// The picture and its width in pixels; with the cell's source, frames show its lines.
pub(crate) fn svg(graph: &Graph, source: Option<&Source<'_>>, alt: &str) -> (String, u32) {
    Drawing::of(graph, source).svg(alt)
}

impl Show for Graph {
    fn show(&self) -> Bundle {
        let alt = format!("dataflow graph of {} nodes, {} of them ops", self.nodes.len(), self.ops());
        let (svg, width) = svg(self, None, &alt);
        let mut table = Table::new(&[
            ("", Align::Head),
            ("node", Align::Left),
            ("inputs", Align::Left),
            ("result", Align::Left),
            ("asked for at", Align::Left),
        ]);
        for (number, node) in self.nodes.iter().take(MOST_NODES).enumerate() {
            table.row(vec![
                format!("%{number}"),
                node.name(),
                node.inputs.iter().map(|input| format!("%{}", input.node)).collect::<Vec<_>>().join(" "),
                note(node),
                node.place.map(|place| place.to_string()).unwrap_or_default(),
            ]);
        }
        let count = self.nodes.len();
        let nodes =
            if count > MOST_NODES { format!("the first {MOST_NODES} of {count} nodes") } else { format!("{count} nodes") };
        let html = format!("<div>{}{}</div>", picture(&svg, &alt, width), details(&nodes, &table.html(), false));
        Bundle::text(bounded(format_args!("{self}"), 16 << 10)).html(html).svg(svg)
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
        let (svg, _) = svg(&f.graph(), None, "");
        for part in [">mul 2.0<", ">exp<", ">argument 0<", ">f32[2]<", ">graph.rs:"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert_eq!(svg.matches("height=\"34.0\"").count(), 3);
    }

    #[test]
    fn a_line_of_source_is_a_frame_with_its_text() {
        let f = crate::stage_fn!("f", (x: &Tensor), {
            let y = x * 2.0;
            y.exp()
        });
        let _ = f(&Tensor::from_slice([2], &[1f32, 2.]));
        let graph = f.graph();
        let file = graph.nodes.last().unwrap().place.unwrap().file;
        let line = graph.nodes.last().unwrap().place.unwrap().line as usize;
        let text = "\n".repeat(line - 2) + "  let y = x * 2.0;\n  y.exp()";
        let (svg, _) = svg(&graph, Some(&Source { label: file, text: &text }), "");
        assert!(
            svg.contains(&format!(">{}  let y = x * 2.0;<", line - 1)) && svg.contains(&format!(">{line}  y.exp()<")),
            "{svg}"
        );
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
        let (svg, _) = svg(&f.graph(), None, "");
        assert!(svg.contains(">40 add, 40 mul<"), "{svg}");
        assert_eq!(svg.matches("height=\"34.0\"").count(), 2);
    }

    #[test]
    fn a_graph_of_many_nodes_is_cut_and_says_so() {
        let f = crate::stage_fn!("f", (x: &Tensor), {
            let mut y = x.clone();
            for _ in 0..1000 {
                y = y.exp();
            }
            y
        });
        let _ = f(&Tensor::from_slice([2], &[1f32, 2.]));
        let shown = f.graph().show();
        let html = shown.get("text/html").and_then(serde_json::Value::as_str).unwrap();
        assert!(html.contains("the first 500 of 1001 nodes") && html.len() < 300_000, "{}", html.len());
        assert!(shown.plain().contains("more of this text are not shown"), "{}", shown.plain().len());
    }

    #[test]
    fn an_empty_graph_says_so() {
        assert!(svg(&Graph::default(), None, "").0.contains(">empty<"));
    }
}
