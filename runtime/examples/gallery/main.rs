//! Writes a page with every view on white and on dark, to be looked at: `cargo run -p footlight --example gallery > gallery.html`.
//!
//! The rich form stands beside the text, as a viewer without HTML shows it.

use footlight::prelude::*;

/// JupyterLab's own rules for tables and text in outputs, light and dark.
const STYLE: &str = "<style>body{margin:0;display:grid;grid-template-columns:1fr 1fr;font:13px sans-serif}
section{padding:16px 24px;overflow:auto} h2{font-size:14px;margin:28px 0 8px;opacity:.7} pre{font-size:12px;opacity:.8}
.dark{background:#111;color:#fff} .light{background:#fff;color:#000}
table{border-collapse:collapse;font-size:12px;margin:4px 0} td,th{padding:6px;text-align:right;white-space:nowrap}
.light tr:nth-child(even){background:#f5f5f5} .dark tr:nth-child(even){background:#212121} thead{border-bottom:1px solid #9e9e9e}</style>";

fn main() {
    seed(3);
    let weights = randn([16, 8, 8]);
    let step = footlight::stage_fn!("step", (x: &Tensor, w: &Tensor), (x.matmul(w) + 1.0).relu().softmax().sum(0));
    let _ = step(&randn([5, 4]), &randn([4, 3]));
    let curve: Vec<f64> = (0..200).map(|i| 2.0 * (-f64::from(i) / 60.0).exp() + 0.05 * f64::from(i).sin()).collect();
    let w = Variable::new(randn([3, 4])).named("w");
    let (_, gradients) = value_and_grad(|| (w.read() * 2.0).exp().sum(()), &[&w]);
    let views: Vec<(&str, Box<dyn Show>)> = vec![
        ("a vector", Box::new(tensor![1.0, -2.5, 3.25])),
        ("a scalar", Box::new(scalar(0.5))),
        ("a matrix of integers", Box::new(arange(0..12).reshape([3, 4]))),
        ("booleans", Box::new(tensor![[true, false], [false, true]])),
        ("a large matrix", Box::new(randn([100, 60]))),
        ("NaN and infinities", Box::new(tensor![1.0, f32::NAN, f32::INFINITY, 0.0])),
        ("no elements", Box::new(zeros([0, 3]))),
        ("many axes", Box::new(randn([2, 3, 4]))),
        ("a variable", Box::new(w)),
        ("gradients", Box::new(gradients)),
        ("pictures", Box::new(images(&weights))),
        (
            "a plot",
            Box::new(
                plot()
                    .title("loss")
                    .labels("step", "loss")
                    .line("train", &curve)
                    .line("held out", &curve.iter().map(|y| y + 0.2).collect::<Vec<_>>()),
            ),
        ),
        ("a graph", Box::new(step.graph())),
    ];
    println!("<!doctype html><meta charset=utf-8>{STYLE}");
    for theme in ["light", "dark"] {
        println!("<section class={theme}>");
        for (name, view) in &views {
            let bundle = view.show();
            let rich = match (bundle.get("text/html"), bundle.get("image/svg+xml")) {
                (Some(html), _) => html.as_str().unwrap_or_default().to_owned(),
                (None, Some(svg)) => svg.as_str().unwrap_or_default().to_owned(),
                (None, None) => "no rich form".to_owned(),
            };
            let plain = bundle.plain().replace('&', "&amp;").replace('<', "&lt;");
            println!("<h2>{name}</h2>{rich}<pre>{plain}</pre>");
        }
        println!("</section>");
    }
}
