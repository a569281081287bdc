//! Snapshots of what values show, as text and as HTML, with pictures opened so that a reader of a difference sees what changed.
//!
//! Times, bytes and places are given, not measured. After a wanted change: `INSTA_UPDATE=always cargo test -p footlight --test views`,
//! and read the difference.

use base64::Engine as _;
use footlight::error::Place;
use footlight::graph::Graph;
use footlight::passes::{Effect, PASSES};
use footlight::prelude::*;
use footlight::profile::{Profile, Record, Segment};
use footlight::show::{CellProfile, Comparison, Source};
use footlight::stage_fn;

/// The cell that staged views show; its ops have the lines of [`cell_graph`].
const CELL: &str = "%%stage\nlet h = (x.matmul(&w) + 1.0).max(1);\nlet loss = h.sum(());\nloss";

/// Markup with a line for each row, block and picture.
fn in_lines(markup: &str) -> String {
    let mut out = markup.to_owned();
    for tag in ["<tr>", "<table>", "</table>", "<div", "<details", "<svg", "<rect", "<path", "<text", "<line", "<poly", "<circle"]
    {
        out = out.replace(tag, &format!("\n{tag}"));
    }
    out.trim_start().to_owned()
}

/// A PNG's size and the numbers of its colours: its bytes would tell a reader nothing.
fn png_summary(file: &[u8]) -> String {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let mut colours: Vec<&[u8]> = pixels.chunks_exact(3).collect();
    let (first, last) = (format!("{:?}", colours[0]), format!("{:?}", colours[colours.len() - 1]));
    colours.sort_unstable();
    colours.dedup();
    format!("PNG {}x{}, {} colours, {first} to {last}", info.width, info.height, colours.len())
}

/// Markup with what its `data:` URIs hold in their place.
fn with_pictures(html: &str) -> String {
    let decode = |data: &str| base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    let (mut out, mut rest) = (String::new(), html);
    while let Some((before, after)) = rest.split_once("data:image/") {
        let (kind, after) = after.split_once(";base64,").unwrap();
        let (data, after) = after.split_once('"').unwrap();
        let picture = match kind {
            "png" => png_summary(&decode(data)),
            _ => with_pictures(&String::from_utf8(decode(data)).unwrap()),
        };
        out = format!("{out}{before}[{picture}]\"");
        rest = after;
    }
    out + rest
}

/// All forms of a value.
fn forms(value: &(impl Show + ?Sized)) -> String {
    let forms = value.show().into_map();
    let mut out = String::new();
    for (mime, data) in &forms {
        let data = data.as_str().unwrap();
        let told = match mime.as_str() {
            "text/html" => in_lines(&with_pictures(data)),
            "image/svg+xml" | "image/png" => {
                let base64 = base64::engine::general_purpose::STANDARD;
                let encoded = if mime == "image/png" { data.to_owned() } else { base64.encode(data) };
                assert!(forms["text/html"].as_str().unwrap().contains(&encoded), "the HTML has another picture");
                "as in the HTML".to_owned()
            }
            _ => data.to_owned(),
        };
        out += &format!("== {mime}\n{told}\n");
    }
    out
}

/// A graph of three lines of [`CELL`], from 2 to 4.
fn cell_graph() -> Graph {
    let w = Variable::new(tensor![[1.0, 2.0], [3.0, 4.0]]).named("w");
    let before = line!();
    let f = stage_fn!("f", (x: &Tensor), {
        let h = (x.matmul(&w) + 1.0).max(1);
        h.sum(())
    });
    let _ = f(&tensor![[1.0, 2.0], [3.0, 4.0]]);
    placed(f.graph(), before)
}

/// The graph as if its ops stood in a cell: the line after `before` is the cell's first.
fn placed(mut graph: Graph, before: u32) -> Graph {
    for node in &mut graph.nodes {
        let here = node.place.filter(|place| place.file == file!());
        node.place = here.map(|place| Place { file: "In[3]", line: place.line - before, column: 9 });
    }
    graph
}

fn record(op: &'static str, line: u32, seconds: f64, bytes: u64, flops: u64) -> Record {
    Record { op, place: Some(Place { file: "In[3]", line, column: 9 }), statement: line, seconds, bytes, flops }
}

fn records() -> Vec<Record> {
    vec![
        record("matmul", 2, 4e-3, 3_000_000, 2_000_000_000),
        record("add", 2, 1e-3, 2_000_000, 1_000_000),
        record("max", 2, 5e-4, 1_000_000, 1_000_000),
        record("sum", 3, 2.5e-4, 500_000, 500_000),
    ]
}

fn eager() -> Profile {
    Profile { records: records(), total: 9e-3, run: 5.75e-3, peak_bytes: 6_000_000, ..Profile::default() }
}

fn staged() -> Profile {
    let mut records = records();
    records.remove(1);
    let effects = PASSES.iter().map(|pass| Effect { name: pass.name, changed: 1, nodes: (6, 5) }).collect();
    let segment = Segment { ended_at: None, graph: cell_graph(), traced_nodes: 6, effects };
    Profile { records, segments: vec![segment], total: 6e-3, passes: 2e-4, run: 5e-3, peak_bytes: 4_000_000 }
}

#[test]
fn tensors_of_each_dtype() {
    insta::assert_snapshot!("tensor_f32", forms(&tensor![[1.0, -2.5], [0.0, 4.0]]));
    insta::assert_snapshot!("tensor_f64", forms(&Tensor::from_slice([3], &[0.1f64, 1e-9, 2.0])));
    insta::assert_snapshot!("tensor_i64", forms(&Tensor::from_slice([2, 2], &[0i64, -7, 12, 0])));
    insta::assert_snapshot!("tensor_bool", forms(&Tensor::from_slice([3], &[true, false, true])));
}

#[test]
fn tensors_of_odd_shapes_and_values() {
    insta::assert_snapshot!("tensor_empty", forms(&zeros([0, 3])));
    insta::assert_snapshot!("tensor_scalar", forms(&scalar(2.5)));
    insta::assert_snapshot!("tensor_not_finite", forms(&tensor![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.5]));
    insta::assert_snapshot!("tensor_no_number", forms(&tensor![f32::NAN, f32::NAN]));
    insta::assert_snapshot!("tensor_large_i64", forms(&arange(0..2000).reshape([40, 50])));
    insta::assert_snapshot!("tensor_rank_3", forms(&arange(0..12).reshape([2, 2, 3]).cast(DType::F32)));
}

#[test]
fn variables_and_lists() {
    let w = Variable::new(tensor![3.0, 4.0]).named("w<1>");
    let bias = Variable::new(tensor![0.0]);
    insta::assert_snapshot!("variable", forms(&w));
    insta::assert_snapshot!("gradients", forms(&gradients(&[&w, &bias], &[tensor![0.3, f32::NAN], tensor![0.5]])));
    let list = [arange(0..20), Tensor::from_slice([2], &[true, false]), tensor![0.5, 1.0], zeros([0])];
    insta::assert_snapshot!("list", forms(&list));
}

#[test]
fn optimizers() {
    let w = Variable::new(tensor![3.0, 4.0]).named("w<1>");
    let bias = Variable::new(tensor![0.0]);
    let rate = Variable::new(scalar(0.5)).named("rate");
    let adam = Adam::new(0.001);
    for _ in 0..3 {
        adam.step(&[&w, &bias], &[tensor![1.0, 0.0], tensor![0.5]]);
    }
    insta::assert_snapshot!("adam", forms(&adam));
    assert!(format!("{adam:?}").contains("means: 2 slots"), "{adam:?}");
    let sgd = Sgd::new(&rate).momentum(0.9);
    sgd.step(&[&w], &[tensor![3.0, 4.0]]);
    insta::assert_snapshot!("sgd_momentum", sgd.show().plain());
    insta::assert_snapshot!("sgd", Sgd::new(0.1).show().plain());
}

#[test]
fn graphs() {
    insta::assert_snapshot!("graph_by_node", forms(&cell_graph()));
    insta::assert_snapshot!("graph_empty", forms(&Graph::default()));
    let before = line!();
    let f = stage_fn!("f", (x: &Tensor), {
        let mut y = x.clone();
        for _ in 0..40 {
            y = &y * x;
            y = &y + x;
        }
        y.exp()
    });
    let _ = f(&tensor![1.0, 2.0]);
    let (graph, mut text) = (placed(f.graph(), before), String::new());
    for line in ["a graph", "let mut y = x.clone();", "for _ in 0..40 {", "    y = &y * x;", "    y = &y + x;", "}", "y.exp()"] {
        text += &format!("{line}\n");
    }
    // The table of 82 nodes says nothing that the small graph's doesn't.
    let segment = Segment { ended_at: Some(7), graph, traced_nodes: 82, effects: Vec::new() };
    let profile = Profile { segments: vec![segment], total: 1e-3, run: 5e-4, ..Profile::default() };
    let shown = CellProfile { source: Source { label: "In[3]", text: &text }, profile: &profile, staged: true };
    insta::assert_snapshot!("graph_by_line", forms(&shown));
}

#[test]
fn profiles() {
    let source = Source { label: "In[3]", text: CELL };
    let (eager, staged) = (eager(), staged());
    insta::assert_snapshot!("profile_eager", forms(&CellProfile { source, profile: &eager, staged: false }));
    insta::assert_snapshot!("profile_staged", forms(&CellProfile { source, profile: &staged, staged: true }));
    let nothing = Profile { total: 1e-3, run: -0.0, ..Profile::default() };
    insta::assert_snapshot!("profile_nothing", CellProfile { source, profile: &nothing, staged: true }.show().plain());
    let comparison = Comparison { source, eager: &eager, staged: &staged, compared: 2, difference: 1.5e-7 };
    insta::assert_snapshot!("comparison", forms(&comparison));
    let folded = Comparison { staged: &nothing, difference: 0.0, ..comparison };
    insta::assert_snapshot!("comparison_folded", folded.show().plain());
    let without_ops = Comparison { eager: &nothing, staged: &nothing, compared: 0, ..folded };
    insta::assert_snapshot!("comparison_without_ops", without_ops.show().plain().lines().next().unwrap());
    insta::assert_snapshot!("comparison_not_finite", Comparison { difference: f64::NAN, ..comparison }.show().plain());
}

#[test]
fn pictures() {
    let values = [0.0, 50.0, 25.0, 100.0];
    let shown = plot().title("loss & more").labels("step", "loss").line("train", values.as_slice());
    insta::assert_snapshot!("plot_line", forms(&shown));
    insta::assert_snapshot!("plot_log", forms(&plot().line("", [1.0, 1e-5, 1e-10].as_slice()).log_y()));
    insta::assert_snapshot!(
        "plot_diverged",
        plot().line("loss", [1.0, f64::NAN].as_slice()).line("", [2.5].as_slice()).show().plain()
    );
    insta::assert_snapshot!("plot_bars", forms(&plot().bars("", [1.0, 2.0].as_slice()).names(&["cat", "dog"])));
    let truths = Tensor::from_slice([1, 2], &[true, false]);
    insta::assert_snapshot!("heatmap_i64", forms(&heatmap(&Tensor::from_slice([2, 2], &[5i64, 1, 0, 7]))));
    insta::assert_snapshot!("heatmap_bool", forms(&heatmap(&truths)));
    insta::assert_snapshot!("images_i64", forms(&images(&arange(0..8).reshape([2, 2, 2]))));
}
