//! What one eager op costs on a small tensor: the way from the method to the numbers and back, since the arithmetic is nothing.
//!
//! `cargo bench -p footlight --bench ops`, or with a part of a name: `-- add`. Each case runs in batches of about a millisecond; the
//! figure is the median batch, in nanoseconds an op, and the least is shown beside it. The last line is the figure that the target is for.

use std::hint::black_box;
use std::time::{Duration, Instant};

use footlight::prelude::*;

/// The most that one eager op on a small tensor may cost, in nanoseconds.
const TARGET: f64 = 500.0;

/// How long each case is measured.
const MEASURED: Duration = Duration::from_millis(300);

/// A name and what is timed.
type Case = (&'static str, Box<dyn Fn() -> Tensor>);

fn case(name: &'static str, inputs: &[&Tensor], run: fn(&[Tensor]) -> Tensor) -> Case {
    let inputs: Vec<Tensor> = inputs.iter().map(|&input| input.clone()).collect();
    (name, Box::new(move || run(&inputs)))
}

fn cases() -> Vec<Case> {
    let a = tensor![1.0, 2.0, 3.0, 4.0];
    let b = tensor![5.0, 6.0, 7.0, 8.0];
    let row = a.reshape([1, 4]);
    let square = full([8, 8], 0.5);
    let wide = full([64, 64], 0.5);
    vec![
        case("add [4] + [4]", &[&a, &b], |x| &x[0] + &x[1]),
        case("add [4] + [1, 4], broadcast", &[&a, &row], |x| &x[0] + &x[1]),
        case("add [4] + a number", &[&a], |x| &x[0] + 1.0),
        case("mul [4] * [4], owned", &[&a, &b], |x| x[0].clone() * x[1].clone()),
        case("exp [4]", &[&a], |x| x[0].exp()),
        case("sum [4]", &[&a], |x| x[0].sum(())),
        case("reshape [4] to [2, 2]", &[&a], |x| x[0].reshape([2, 2])),
        case("matmul [8, 8] x [8, 8]", &[&square, &square], |x| x[0].matmul(&x[1])),
        case("add [64, 64] + [64, 64]", &[&wide, &wide], |x| &x[0] + &x[1]),
    ]
}

/// Nanoseconds a call: the median batch and the least.
fn measure(run: &dyn Fn() -> Tensor) -> (f64, f64) {
    let mut batch = 1u32;
    let time = |batch: u32| {
        let started = Instant::now();
        for _ in 0..batch {
            black_box(run());
        }
        started.elapsed()
    };
    while time(batch) < Duration::from_millis(1) {
        batch *= 2;
    }
    let started = Instant::now();
    let mut each = Vec::new();
    while started.elapsed() < MEASURED {
        each.push(time(batch).as_secs_f64() * 1e9 / f64::from(batch));
    }
    each.sort_by(f64::total_cmp);
    (each[each.len() / 2], each[0])
}

fn main() {
    // Cargo adds options of its own, such as --bench.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut first = None;
    println!("{:<34}{:>12}{:>12}", "ns an op", "median", "least");
    for (name, run) in cases().into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let (median, least) = measure(run.as_ref());
        println!("{name:<34}{median:>12.0}{least:>12.0}");
        first = first.or(Some((name, median)));
    }
    let Some((name, median)) = first else { return println!("no case has {wanted:?} in its name") };
    println!("{name}: {median:.0} ns, target at most {TARGET:.0} ns{}", if median <= TARGET { "" } else { ": MISSED" });
}
