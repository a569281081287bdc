//! Our side of the benchmarks against peers: the workloads of `workloads.py`, which holds theirs, in the same order and with the same sizes.
//!
//! `cargo bench -p footlight --bench peers` prints one JSON object, times in seconds (best and median); `peers.py` runs both sides in turn
//! and prints the ratios. `-- --only chain_staged,softmax` runs some of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use footlight::prelude::*;
use footlight::stage_fn;
use serde_json::{Map, Value, json};

/// How long each workload is measured.
const MEASURED: Duration = Duration::from_secs(3);

/// Best and median of repeated runs, in batches of about 20 ms.
fn measure(mut run: impl FnMut() -> Tensor) -> Value {
    let mut once = || {
        let started = Instant::now();
        black_box(run());
        started.elapsed().as_secs_f64()
    };
    once();
    let inner = (0.02 / once().max(1e-7)).max(1.0) as u32;
    let (end, mut times) = (Instant::now() + MEASURED, Vec::new());
    while times.len() < 5 || (Instant::now() < end && times.len() < 60) {
        times.push((0..inner).map(|_| once()).sum::<f64>() / f64::from(inner));
    }
    times.sort_by(f64::total_cmp);
    json!({ "best": times[0], "median": times[times.len() / 2] })
}

fn normal(shape: impl Into<Shape>, scale: f64) -> Variable {
    Variable::new(randn(shape) * scale)
}

/// A 784-256-128-10 perceptron.
#[derive(Clone)]
struct Perceptron(Vec<Variable>);

impl Perceptron {
    fn new() -> Self {
        let layers = [(784, 256), (256, 128), (128, 10)];
        let layer = |&(i, o): &(usize, usize)| [normal([i, o], (i as f64).powf(-0.5)), Variable::new(zeros([o]))];
        Self(layers.iter().flat_map(layer).collect())
    }

    /// One step of SGD; the loss.
    fn step(&self, x: &Tensor, y: &Tensor) -> Tensor {
        let variables: Vec<&Variable> = self.0.iter().collect();
        let loss = || {
            let mut h = x.clone();
            for (layer, pair) in self.0.chunks_exact(2).enumerate() {
                h = h.matmul(&pair[0]) + &pair[1];
                h = if layer < 2 { h.relu() } else { h };
            }
            -(y * h.log_softmax()).sum(-1).mean(())
        };
        descend(loss, &variables, 0.01)
    }
}

/// Takes a step of plain gradient descent; the loss.
fn descend(loss: impl FnOnce() -> Tensor, variables: &[&Variable], rate: f64) -> Tensor {
    let (loss, gradients) = value_and_grad(loss, variables);
    for (variable, gradient) in variables.iter().zip(&gradients) {
        variable.assign_sub(&(gradient * rate));
    }
    loss
}

/// The small-op model: ten leapfrog steps on a correlated Gaussian in two dimensions, each with two nets of three heads, as in the L2HMC
/// experiment of the TensorFlow Eager paper.
#[derive(Clone)]
struct Leapfrog {
    nets: [Vec<Variable>; 2],
    precision: Tensor,
}

const EPS: f64 = 0.1;

impl Leapfrog {
    fn new() -> Self {
        let net = || {
            let mut net = vec![
                normal([2, 10], 0.3),
                normal([2, 10], 0.3),
                Variable::new(zeros([10])),
                normal([10, 10], 0.3),
                Variable::new(zeros([10])),
            ];
            net.extend((0..3).flat_map(|_| [normal([10, 2], 0.1), Variable::new(zeros([2]))]));
            net
        };
        // The inverse of [[50.05, -49.95], [-49.95, 50.05]].
        let precision = tensor![[5.005, 4.995], [4.995, 5.005]];
        Self { nets: [net(), net()], precision }
    }

    fn energy_grad(&self, z: &Tensor) -> Tensor {
        z.matmul(&self.precision)
    }

    fn loss(&self, x0: &Tensor, v0: &Tensor) -> Tensor {
        let net = |q: &[Variable], a: &Tensor, b: &Tensor| {
            let h = (a.matmul(&q[0]) + b.matmul(&q[1]) + &q[2]).relu();
            let h = (h.matmul(&q[3]) + &q[4]).relu();
            [(h.matmul(&q[5]) + &q[6]).tanh(), (h.matmul(&q[7]) + &q[8]).tanh(), h.matmul(&q[9]) + &q[10]]
        };
        let [velocity, position] = &self.nets;
        let kick = |v: &Tensor, x: &Tensor, s: &Tensor, q: &Tensor, t: &Tensor| {
            v * (s * (0.5 * EPS)).exp() - (self.energy_grad(x) * (q * EPS).exp() + t) * (0.5 * EPS)
        };
        let (mut x, mut v, mut logdet) = (x0.clone(), v0.clone(), scalar(0.0));
        for _ in 0..10 {
            let [s, q, t] = net(velocity, &x, &self.energy_grad(&x));
            v = kick(&v, &x, &s, &q, &t);
            let [s2, q2, t2] = net(position, &v, &x);
            x = &x * (&s2 * EPS).exp() + (&v * (&q2 * EPS).exp() + &t2) * EPS;
            let [s3, q3, t3] = net(velocity, &x, &self.energy_grad(&x));
            v = kick(&v, &x, &s3, &q3, &t3);
            logdet = logdet + (s * (0.5 * EPS) + s2 * EPS + s3 * (0.5 * EPS)).sum(-1);
        }
        let h = (x.matmul(&self.precision) * &x).sum(-1) * 0.5 + (&v * &v).sum(-1) * 0.5;
        let d = (&x - x0).square().sum(-1);
        (h - logdet + (d + 0.1).pow(-1.0)).mean(())
    }

    fn step(&self, x: &Tensor, v: &Tensor) -> Tensor {
        let variables: Vec<&Variable> = self.nets.iter().flatten().collect();
        descend(|| self.loss(x, v), &variables, 1e-3)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only = arguments.iter().position(|argument| argument == "--only").and_then(|at| arguments.get(at + 1));
    let wanted = |name: &str| only.is_none_or(|only| only.split(',').any(|one| one == name));
    let mut out = Map::new();
    out.insert("peer".to_owned(), json!("footlight"));
    let mut put = |name: &str, run: &mut dyn FnMut() -> Value| {
        if wanted(name) {
            out.insert(name.to_owned(), run());
        }
    };
    seed(0);
    let one = ones([1]);
    put("add1", &mut || measure(|| &one + &one));
    let a = randn([64, 64]);
    put("matmul64", &mut || measure(|| a.matmul(&a)));
    let b = randn([1024, 1024]);
    put("matmul1024", &mut || measure(|| b.matmul(&b)));
    let chain = |x: &Tensor| (x * 1.5 + 0.1).tanh() * 2.0 - 1.0;
    let staged_chain = stage_fn!("chain", (x: &Tensor), chain(x));
    put("chain_eager", &mut || {
        let x = randn([10_000_000]);
        measure(|| chain(&x))
    });
    put("chain_staged", &mut || {
        let x = randn([10_000_000]);
        measure(|| staged_chain(&x))
    });
    let softmax = stage_fn!("softmax", (x: &Tensor), x.softmax());
    put("softmax", &mut || {
        let x = randn([4096, 1000]);
        measure(|| softmax(&x))
    });
    let (x, y) = (randn([64, 784]), (rand([64]) * 10.0).cast(DType::I64).one_hot(10).cast(DType::F32));
    put("mlp_eager", &mut || {
        let mlp = Perceptron::new();
        measure(|| mlp.step(&x, &y))
    });
    put("mlp_staged", &mut || {
        let mlp = Perceptron::new();
        let step = stage_fn!("step", (x: &Tensor, y: &Tensor), mlp.step(x, y));
        measure(|| step(&x, &y))
    });
    let (x, v) = (randn([10, 2]), randn([10, 2]));
    put("hmc_eager", &mut || {
        let model = Leapfrog::new();
        measure(|| model.step(&x, &v))
    });
    put("hmc_first", &mut || {
        let model = Leapfrog::new();
        let step = stage_fn!("step", (x: &Tensor, v: &Tensor), model.step(x, v));
        let started = Instant::now();
        let first = step(&x, &v);
        black_box(first);
        json!(started.elapsed().as_secs_f64())
    });
    put("hmc_staged", &mut || {
        let model = Leapfrog::new();
        let step = stage_fn!("step", (x: &Tensor, v: &Tensor), model.step(x, v));
        measure(|| step(&x, &v))
    });
    put("call", &mut || {
        let nothing = stage_fn!("nothing", (x: &Tensor), x.clone());
        measure(|| nothing(&one))
    });
    println!("{}", Value::Object(out));
}
