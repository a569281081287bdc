//! Learns to read handwritten digits, as the tour does, in a plain Rust program.
//!
//! `cargo run --release -p footlight --example digits`

use footlight::prelude::*;
use footlight::stage_fn;

/// 64 pixels, a hidden layer, a score for each digit.
#[derive(Clone)]
struct Model {
    hidden: Linear,
    scores: Linear,
}

impl Model {
    fn new() -> Self {
        Model { hidden: Linear::new(64, 64).named("hidden"), scores: Linear::new(64, 10).named("scores") }
    }

    fn forward(&self, x: &Tensor) -> Tensor {
        self.scores.forward(&self.hidden.forward(x).relu())
    }

    fn variables(&self) -> Vec<Variable> {
        [self.hidden.variables(), self.scores.variables()].concat()
    }
}

/// Trains for some epochs, telling `report` the epoch and its mean loss. The share of held-out digits that it then reads right.
pub(crate) fn learn(epochs: usize, report: impl Fn(usize, f32)) -> f64 {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../notebooks/data/digits.csv.gz");
    let table = read_csv(path).expect("the data is in the repository");
    let (pixels, labels) = (table.slice(1, ..64) / 16.0, table.index(1, 64).cast(DType::I64));
    // Every fifth digit is held out.
    let rows = |keep: &dyn Fn(i64) -> bool| {
        let rows = Tensor::from((0..labels.shape()[0] as i64).filter(|&row| keep(row)).collect::<Vec<i64>>());
        (pixels.take(&rows, 0), labels.take(&rows, 0))
    };
    let ((train_x, train_y), (test_x, test_y)) = (rows(&|row| row % 5 != 4), rows(&|row| row % 5 == 4));

    seed(1);
    let (model, adam) = (Model::new(), Adam::new(0.003));
    let learner = model.clone();
    let step = stage_fn!("step", (x: &Tensor, y: &Tensor), {
        adam.minimize(|| learner.forward(x).cross_entropy(y), &learner.variables())
    });
    for epoch in 1..=epochs {
        let losses: Vec<f32> = batches(&train_x, &train_y, 64).map(|(x, y)| step(&x, &y).item()).collect();
        report(epoch, losses.iter().sum::<f32>() / losses.len() as f32);
    }
    model.forward(&test_x).argmax(1).eq(&test_y).cast(DType::F64).mean(()).item()
}

#[allow(dead_code, reason = "the test of the same program calls learn() alone")]
fn main() {
    let accuracy = learn(20, |epoch, loss| println!("epoch {epoch:>2}: loss {loss:.4}"));
    println!("{:.1} % of the held-out digits are read right", 100.0 * accuracy);
}
