//! Writes a page with every view on white and on dark, to be looked at: `cargo run -p footlight --example gallery > gallery.html`.
//!
//! With `plain` as its argument it leaves out every style, as a viewer that strips them does; the text form stands below each view.

use footlight::prelude::*;
use footlight::profile;
use footlight::show::{CellProfile, Comparison, Source};

/// The cell whose profile is shown: a training step of a small classifier.
mod step;
use step::step;

/// JupyterLab's own rules for tables and text in outputs, light and dark.
const STYLE: &str = "<style>body{margin:0;display:grid;grid-template-columns:1fr 1fr;font:13px sans-serif}
section{padding:16px 24px;overflow:auto} h2{font-size:14px;margin:28px 0 8px;opacity:.7} pre{font-size:12px;opacity:.8}
.dark{background:#111;color:#fff} .light{background:#fff;color:#000} code{font-size:12px}
table{border-collapse:collapse;font-size:12px;margin:0 0 8px} td,th{padding:6px;text-align:right;white-space:nowrap}
.light tbody tr:nth-child(odd){background:#f5f5f5} .dark tbody tr:nth-child(odd){background:#212121} thead{border-bottom:1px solid #9e9e9e}</style>";

/// The views, with their names.
fn views() -> Vec<(&'static str, Box<dyn Show>)> {
    seed(3);
    let waves = linspace(0.0, 8.0, 40).sin().reshape([40, 1]) * linspace(0.0, 12.0, 60).cos().reshape([1, 60]);
    let ridge =
        (linspace(-1.0, 1.0, 200).square().reshape([1, 200]) + linspace(-2.0, 2.0, 120).square().reshape([120, 1])).sqrt();
    let counts = tensor![[48, 1, 0, 1], [2, 44, 3, 1], [0, 4, 45, 1], [1, 0, 2, 47]];
    let curve: Vec<f64> = (0..200).map(|i| 2.0 * (-f64::from(i) / 60.0).exp() + 0.05 * f64::from(i).sin()).collect();
    let held_out: Vec<f64> = curve.iter().map(|y| y + 0.2).collect();
    let x = randn([300]);
    let y = &x * 0.7 + randn([300]) * 0.4;
    let w = Variable::new(randn([64, 10])).named("w");
    let b = Variable::new(zeros([10])).named("b");
    let (_, grads) = value_and_grad(|| (randn([32, 64]).matmul(&w) + &b).softmax().square().mean(()), &[&w, &b]);
    let chain = footlight::stage_fn!("chain", (x: &Tensor, w: &Tensor), (x.matmul(w) + 1.0).relu().softmax().sum(0));
    let _ = chain(&randn([5, 4]), &randn([4, 3]));
    vec![
        ("a scalar", Box::new(scalar(0.5))),
        ("a vector", Box::new(tensor![1.0, -2.5, 3.25])),
        ("a matrix of integers", Box::new(arange(0..12).reshape([3, 4]))),
        ("booleans", Box::new(tensor![[true, false], [true, true]])),
        ("NaN and infinities", Box::new(tensor![1.0, f32::NAN, f32::INFINITY, 0.0])),
        ("no elements", Box::new(zeros([0, 3]))),
        ("many axes", Box::new(randn([2, 3, 4]))),
        ("a large matrix", Box::new(waves.clone())),
        ("a variable", Box::new(w.clone())),
        ("gradients", Box::new(gradients(&[&w, &b], &grads))),
        ("a list of tensors", Box::new(grads)),
        ("pictures", Box::new(images(&randn([16, 8, 8])))),
        ("a heat map", Box::new(heatmap(&waves).title("waves"))),
        ("a heat map of one sign", Box::new(heatmap(&ridge).labels("row", "column"))),
        (
            "a confusion matrix",
            Box::new(
                heatmap(&counts).labels("truth", "guess").names(&["cat", "dog", "fox", "hen"], &["cat", "dog", "fox", "hen"]),
            ),
        ),
        ("a plot", Box::new(plot().title("loss").labels("step", "loss").line("train", &curve).line("held out", &held_out))),
        (
            "points",
            Box::new(plot().labels("x", "y").scatter("samples", &x, &y).curve("0.7 x", &tensor![-3.0, 3.0], &tensor![-2.1, 2.1])),
        ),
        (
            "bars",
            Box::new(plot().labels("", "share").bars("", &tensor![0.5, 0.3, 0.15, 0.05]).names(&["cat", "dog", "fox", "hen"])),
        ),
        ("a histogram", Box::new(plot().labels("x", "count").histogram("x", &x, 24).histogram("y", &y, 24))),
        ("a logarithmic axis", Box::new(plot().title("loss").line("loss", &linspace(5.0, -9.0, 100).exp()).log_y())),
        ("a graph", Box::new(chain.graph())),
    ]
}

/// A cell that ran staged, and beside it eager.
fn profiles() -> [(&'static str, Bundle); 3] {
    let source = Source { label: "runtime/examples/gallery/step.rs", text: include_str!("step.rs") };
    let [w1, w2] = [[784, 128], [128, 10]].map(|shape| Variable::new(randn(shape) * 0.05));
    let [b1, b2] = [128, 10].map(|size| Variable::new(zeros([size])));
    let (w1, b1, w2, b2) = (w1.named("w1"), b1.named("b1"), w2.named("w2"), b2.named("b2"));
    let (x, labels) = (randn([256, 784]), randn([256, 10]).softmax());
    let run = || step(&x, &labels, &w1, &b1, &w2, &b2);
    run();
    let (_, eager) = profile::collect(run);
    let ((_, ran), staged) = profile::collect(|| footlight::stage::run_cell(run, |_| true));
    ran.expect("the cell runs");
    let comparison = Comparison { source, eager: &eager, staged: &staged, compared: 5, difference: 0.0 };
    [
        ("eager beside staged", comparison.show()),
        ("a staged cell", CellProfile { source, profile: &staged, staged: true }.show()),
        ("a profiled cell", CellProfile { source, profile: &eager, staged: false }.show()),
    ]
}

fn main() {
    let plain = std::env::args().nth(1).as_deref() == Some("plain");
    let mut shown: Vec<(&str, Bundle)> = views().into_iter().map(|(name, view)| (name, view.show())).collect();
    shown.extend(profiles());
    println!("<!doctype html><meta charset=utf-8>{}", if plain { "" } else { STYLE });
    for theme in if plain { &["plain"][..] } else { &["light", "dark"] } {
        println!("<section class={theme}>");
        for (name, bundle) in &shown {
            let html = bundle.get("text/html").and_then(|html| html.as_str()).unwrap_or("no HTML");
            let html = if plain { html.replace(" style=", " data-style=") } else { html.replace("<details>", "<details open>") };
            let text = bundle.plain().replace('&', "&amp;").replace('<', "&lt;");
            println!("<h2>{name}</h2>{html}<pre>{text}</pre>");
        }
        println!("</section>");
    }
}
