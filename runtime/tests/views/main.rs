//! Snapshots of the views: what a reader of a notebook sees, as text and as HTML. Pictures in the HTML are written out as the SVG that they
//! hold; those of pixels by their size. `INSTA_UPDATE=always cargo test -p footlight --test views` writes them anew; read what changed.

mod step;

use base64::Engine as _;
use footlight::prelude::*;
use footlight::profile::{self, Profile};
use footlight::show::{CellProfile, Comparison, Source};

/// A view's forms, one tag a line.
fn written(view: &dyn Show) -> String {
    let bundle = view.show();
    let html = bundle.get("text/html").and_then(|html| html.as_str()).unwrap_or_default();
    let html = pictures(html).replace("><", ">\n<");
    format!("{}\n\n{html}", bundle.plain())
}

/// HTML with its `data:` URIs read.
fn pictures(html: &str) -> String {
    const START: &str = "data:image/";
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(START) {
        let end = at + rest[at..].find('"').expect("a URI ends");
        let (kind, data) = rest[at + START.len()..end].split_once(";base64,").expect("base64");
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).expect("base64");
        out.push_str(&rest[..at]);
        match kind {
            "svg+xml" => out.push_str(&String::from_utf8(bytes).expect("text")),
            _ => out.push_str(&format!("[{kind} of {} bytes]", bytes.len())),
        }
        rest = &rest[end..];
    }
    out + rest
}

/// A profile with times that don't change: as many microseconds as the op's place in it.
fn with_fixed_times(mut profile: Profile) -> Profile {
    for (number, record) in profile.records.iter_mut().enumerate() {
        record.seconds = 1e-6 * (number + 1) as f64;
    }
    profile.run = profile.kernel_seconds();
    profile.passes = 2e-5;
    profile.total = profile.run + 1e-4;
    profile.peak_bytes = 4096;
    profile
}

#[test]
fn tensors() {
    for (name, tensor) in [
        ("scalar", scalar(0.5)),
        ("f32", tensor![1.0, -2.5, 3.25]),
        ("f64", tensor![1e-9, 2.0].cast(DType::F64)),
        ("i64", tensor![[0, 10], [-200, 3]]),
        ("bool", tensor![[true, false], [true, true]]),
        ("not_finite", tensor![1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]),
        ("empty", zeros([0, 3])),
        ("many_axes", arange(0..24).reshape([2, 3, 4])),
        ("large", linspace(-1.0, 1.0, 600).reshape([30, 20])),
    ] {
        insta::assert_snapshot!(format!("tensor_{name}"), written(&tensor));
    }
}

#[test]
fn variables_and_gradients() {
    let w = Variable::new(tensor![[1.0, -2.0], [0.5, 4.0]]).named("w");
    let unused = Variable::new(zeros([2])).named("unused");
    let (_, grads) = value_and_grad(|| w.read().square().sum(()), &[&w, &unused]);
    insta::assert_snapshot!("variable", written(&w));
    insta::assert_snapshot!("gradients", written(&gradients(&[&w, &unused], &grads)));
}

#[test]
fn graphs() {
    let chain = footlight::stage_fn!("chain", (x: &Tensor, w: &Tensor), (x.matmul(w) + 1.0).relu().softmax().sum(0));
    let _ = chain(&ones([5, 4]), &ones([4, 3]));
    insta::assert_snapshot!("graph", written(&chain.graph()));
}

#[test]
fn plots() {
    let curve: Vec<f64> = (0..6).map(|i| f64::from(i * i)).collect();
    insta::assert_snapshot!("plot_line", written(&plot().title("squares").labels("n", "n²").line("n²", &curve)));
    let bars = plot().bars("", &tensor![0.5, 0.3, 0.2]).names(&["cat", "dog", "fox"]);
    insta::assert_snapshot!("plot_bars", written(&bars));
}

#[test]
fn profiles() {
    let source = Source { label: "runtime/tests/views/step.rs", text: include_str!("step.rs") };
    let (x, w) = (ones([4, 3]), Variable::new(ones([3, 2])).named("w"));
    let run = || step::step(&x, &w);
    let (_, eager) = profile::collect(run);
    let ((_, ran), staged) = profile::collect(|| footlight::stage::run_cell(run, |_| true));
    ran.expect("the cell runs");
    let (eager, staged) = (with_fixed_times(eager), with_fixed_times(staged));
    insta::assert_snapshot!("profile_eager", written(&CellProfile { source, profile: &eager }));
    insta::assert_snapshot!("profile_staged", written(&CellProfile { source, profile: &staged }));
    let comparison = Comparison { source, eager: &eager, staged: &staged, compared: 2, difference: 0.0 };
    insta::assert_snapshot!("comparison", written(&comparison));
}
