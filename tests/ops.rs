//! Over the table of ops: every sample against NumPy's golden value, its gradient against finite differences, and eager against staged.
//! An op that is added joins by itself.

use footlight::op::{OpInfo, Sample};
use footlight::ops::OPS;
use footlight::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

/// Every sample, with a name that says which.
fn samples() -> impl Iterator<Item = (String, &'static OpInfo, &'static Sample)> {
    OPS.iter().flat_map(|&op| op.samples.iter().map(move |sample| (format!("{}/{}", op.name, sample.name), op, sample)))
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    tensor.cast(DType::F64).to_vec()
}

/// Fails unless each pair is as near as single precision allows.
fn assert_near(name: &str, got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{name}");
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        let near = (got - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(near || got == expected || (got.is_nan() && expected.is_nan()), "{name}: element {at} is {got}, not {expected}");
    }
}

#[test]
fn the_table_is_in_order() {
    let mut names = BTreeSet::new();
    for op in OPS {
        assert!(names.insert(op.name), "two ops are called {}", op.name);
        assert!(op.doc.ends_with('.') && op.doc.len() > 10, "{}: its doc is a sentence", op.name);
        assert!(!op.samples.is_empty(), "{} has no sample", op.name);
    }
    let mut names = BTreeSet::new();
    for (name, ..) in samples() {
        assert!(names.insert(name.clone()), "two samples are called {name}");
    }
}

#[test]
fn values_are_numpys() {
    let golden: Value = serde_json::from_str(include_str!("golden/ops.json")).expect("make.py writes JSON");
    for (name, _, sample) in samples() {
        let expected =
            golden.get(&name).unwrap_or_else(|| panic!("{name} has no golden value: run tests/golden/make.py as it says"));
        assert_eq!(expected["numpy"], sample.numpy, "{name} has changed: run tests/golden/make.py");
        let got = (sample.apply)(&(sample.inputs)());
        assert_eq!(got.dtype().name(), expected["dtype"], "{name}: dtype");
        let shape: Vec<usize> = serde_json::from_value(expected["shape"].clone()).expect("a shape");
        assert_eq!(got.shape().to_vec(), shape, "{name}: shape");
        let values: Vec<f64> = serde_json::from_value(expected["values"].clone()).expect("numbers");
        assert_near(&name, &numbers(&got), &values, 2e-6);
    }
}

/// The inputs in double precision, where finite differences are sharp.
fn doubles(sample: &Sample) -> Vec<Tensor> {
    (sample.inputs)().iter().map(|x| if x.dtype().is_float() { x.cast(DType::F64) } else { x.clone() }).collect()
}

/// A scalar of a sample's result that weighs each element differently, so that no error cancels.
fn weighed(y: &Tensor) -> Tensor {
    let weights: Vec<f64> = (0..y.shape().elements()).map(|i| ((i * 37 + 11) % 17) as f64 / 8.0 - 0.9).collect();
    (y * Tensor::from_slice(y.shape(), &weights)).sum(())
}

/// Central differences of `f` at `inputs[which]`.
fn differences(f: &dyn Fn(&[Tensor]) -> Tensor, inputs: &[Tensor], which: usize) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let values = inputs[which].to_vec::<f64>();
    (0..values.len())
        .map(|at| {
            let shifted = |by: f64| {
                let mut values = values.clone();
                values[at] += by;
                let mut inputs = inputs.to_vec();
                inputs[which] = Tensor::from_slice(inputs[which].shape(), &values);
                f(&inputs).item::<f64>()
            };
            (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP)
        })
        .collect()
}

/// Samples that gradients flow through: an op of floats may be one of integers too.
fn differentiable() -> impl Iterator<Item = (String, &'static OpInfo, &'static Sample)> {
    samples().filter(|(_, op, sample)| op.differentiable && (sample.inputs)().iter().any(|input| input.dtype().is_float()))
}

/// The gradients of `f` for each float input.
fn gradients(f: &dyn Fn(&[Tensor]) -> Tensor, inputs: &[Tensor]) -> Vec<(usize, Tensor)> {
    let floats: Vec<usize> = (0..inputs.len()).filter(|&at| inputs[at].dtype().is_float()).collect();
    let tape = GradientTape::new();
    for &at in &floats {
        tape.watch(&inputs[at]);
    }
    let y = f(inputs);
    let sources: Vec<&Tensor> = floats.iter().map(|&at| &inputs[at]).collect();
    floats.iter().copied().zip(tape.gradient(&y, &sources)).collect()
}

#[test]
fn gradients_are_finite_differences() {
    for (name, op, sample) in differentiable() {
        let f = |x: &[Tensor]| weighed(&(sample.apply)(x));
        let inputs = doubles(sample);
        for (which, gradient) in gradients(&f, &inputs) {
            assert_eq!(gradient.spec(), inputs[which].spec(), "{name}: the gradient of input {which} of {}", op.name);
            assert_near(&format!("{name}, input {which}"), &numbers(&gradient), &differences(&f, &inputs, which), 1e-6);
        }
    }
}

#[test]
fn second_gradients_are_finite_differences_of_first_ones() {
    for (name, _, sample) in differentiable() {
        let inputs = doubles(sample);
        let first = |x: &[Tensor]| {
            let of_x = gradients(&|x| weighed(&(sample.apply)(x)), x);
            of_x.iter().map(|(_, g)| weighed(g)).reduce(|a, b| a + b).expect("a float input")
        };
        for (which, gradient) in gradients(&first, &inputs) {
            assert_near(&format!("{name}, input {which}"), &numbers(&gradient), &differences(&first, &inputs, which), 2e-5);
        }
    }
}

/// A sample's result through a staged function.
fn staged(sample: &'static Sample, inputs: &[Tensor]) -> Tensor {
    let apply = sample.apply;
    match inputs {
        [a] => footlight::stage_fn!("sample", (a: &Tensor), apply(std::slice::from_ref(a)))(a),
        [a, b] => footlight::stage_fn!("sample", (a: &Tensor, b: &Tensor), apply(&[a.clone(), b.clone()]))(a, b),
        [a, b, c] => {
            let f =
                footlight::stage_fn!("sample", (a: &Tensor, b: &Tensor, c: &Tensor), apply(&[a.clone(), b.clone(), c.clone()]));
            f(a, b, c)
        }
        other => panic!("a sample with {} inputs: add its arity here", other.len()),
    }
}

#[test]
fn staged_is_eager_to_the_bit() {
    for (name, _, sample) in samples() {
        let inputs = (sample.inputs)();
        let (eager, staged) = ((sample.apply)(&inputs), staged(sample, &inputs));
        assert_eq!(eager.spec(), staged.spec(), "{name}");
        assert_near(&name, &numbers(&staged), &numbers(&eager), 0.0);
        for (at, input) in (sample.inputs)().iter().enumerate() {
            assert_near(&format!("{name}: input {at} was written to"), &numbers(&inputs[at]), &numbers(input), 0.0);
        }
    }
}

#[test]
fn staged_gradients_are_eager_ones() {
    for (name, _, sample) in differentiable().filter(|(_, _, sample)| (sample.inputs)().len() == 1) {
        let apply = sample.apply;
        let gradient = move |x: &Tensor| grad(|x| weighed(&apply(std::slice::from_ref(x))), x);
        let input = doubles(sample).remove(0);
        let staged = footlight::stage_fn!("gradient", (x: &Tensor), gradient(x));
        assert_near(&name, &numbers(&staged(&input)), &numbers(&gradient(&input)), 1e-12);
    }
}
