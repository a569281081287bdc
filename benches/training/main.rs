//! The tour's training step, eager and staged, in one run: how long each takes, and that both learn the same.
//!
//! `cargo bench -p footlight --bench training`. A multilayer perceptron learns the handwritten digits of `notebooks/data`; eager and
//! staged steps take turns, so that whatever else the machine does falls on both. The last line is the figure that the target is for.

use std::io::Read;
use std::time::Instant;

use flate2::read::GzDecoder;
use footlight::prelude::*;

/// The most that a staged step may take of an eager one's time.
const TARGET: f64 = 1.0;

/// Each digit in so many is held out.
const HELD_OUT: i64 = 5;

/// Images of 64 pixels, 0 to 1, and their digits.
fn digits() -> (Tensor, Tensor) {
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../notebooks/data/digits.csv.gz"))
        .expect("it is in the repository");
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("it is whole");
    let (mut pixels, mut labels) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut numbers: Vec<f32> = line.split(',').map(|number| number.parse().expect("numbers alone")).collect();
        labels.push(numbers.pop().expect("a label ends the line") as i64);
        pixels.extend(numbers.iter().map(|pixel| pixel / 16.0));
    }
    (Tensor::from_slice([labels.len(), 64], &pixels), Tensor::from_slice([labels.len()], &labels))
}

/// 64 pixels, a hidden layer, 10 scores.
#[derive(Clone)]
struct Model {
    w1: Variable,
    b1: Variable,
    w2: Variable,
    b2: Variable,
}

impl Model {
    fn new(hidden: usize) -> Self {
        let layer = |inputs: usize, outputs: usize| Variable::new(randn([inputs, outputs]) * (2.0 / inputs as f64).sqrt());
        Model { w1: layer(64, hidden), b1: Variable::new(zeros([hidden])), w2: layer(hidden, 10), b2: Variable::new(zeros([10])) }
    }

    fn variables(&self) -> [&Variable; 4] {
        [&self.w1, &self.b1, &self.w2, &self.b2]
    }

    fn scores(&self, x: &Tensor) -> Tensor {
        (x.matmul(self.w1.read()) + self.b1.read()).relu().matmul(self.w2.read()) + self.b2.read()
    }

    fn accuracy(&self, x: &Tensor, y: &Tensor) -> f64 {
        let right = self.scores(x).argmax(1).eq(y).cast(DType::F32).mean(());
        f64::from(right.item::<f32>())
    }
}

/// One step of training; the loss.
fn step(model: &Model, adam: &Adam, x: &Tensor, y: &Tensor) -> Tensor {
    let (loss, gradients) = value_and_grad(|| model.scores(x).cross_entropy(y), &model.variables());
    adam.step(&model.variables(), &gradients);
    loss
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() {
    let (x, y) = digits();
    let count = x.shape()[0] as i64;
    // A step that shares no factor with their number visits all, and mixes the writers.
    let order: Vec<i64> = (0..count).map(|i| i * 1009 % count).collect();
    let (test, train): (Vec<i64>, Vec<i64>) = order.iter().partition(|&&i| i % HELD_OUT == 0);
    let rows = |indices: &[i64]| {
        let indices = Tensor::from_slice([indices.len()], indices);
        (x.take(&indices, 0), y.take(&indices, 0))
    };
    let (test_x, test_y) = rows(&test);
    println!("{:>7}{:>7}{:>14}{:>14}{:>9}{:>12}", "hidden", "batch", "eager us", "staged us", "ratio", "held out");
    let mut ratios = Vec::new();
    for (hidden, batch) in [(32, 32), (128, 64), (256, 256)] {
        seed(7);
        let (eager_model, eager_adam) = (Model::new(hidden), Adam::new(0.003));
        seed(7);
        let (model, adam) = (Model::new(hidden), Adam::new(0.003));
        let staged_model = model.clone();
        let staged = footlight::stage_fn!("step", (x: &Tensor, y: &Tensor), step(&model, &adam, x, y));
        let (mut eager_times, mut staged_times) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            for batch in train.chunks_exact(batch) {
                let (x, y) = rows(batch);
                let started = Instant::now();
                let eager_loss = step(&eager_model, &eager_adam, &x, &y).item::<f32>();
                eager_times.push(started.elapsed().as_secs_f64());
                let started = Instant::now();
                let loss = staged(&x, &y).item::<f32>();
                staged_times.push(started.elapsed().as_secs_f64());
                assert!((eager_loss - loss).abs() <= 1e-3 * (1.0 + loss.abs()), "eager loses {eager_loss} and staged {loss}");
            }
        }
        let (eager, staged) = (median(eager_times), median(staged_times));
        let accuracy = staged_model.accuracy(&test_x, &test_y);
        ratios.push(staged / eager);
        println!(
            "{hidden:>7}{batch:>7}{:>14.0}{:>14.0}{:>9.2}{:>11.1}%",
            eager * 1e6,
            staged * 1e6,
            staged / eager,
            accuracy * 1e2
        );
    }
    let ratio = ratios[1];
    println!("staged over eager: {ratio:.2}, target at most {TARGET}{}", if ratio <= TARGET { "" } else { ": MISSED" });
}
