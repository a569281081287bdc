//! Optimizers, step by step: against optax's numbers, eager and staged.

use footlight::Variable;
use footlight::prelude::*;
use footlight::stage_fn;
use serde_json::Value;

/// The optimizers of `golden/make_optim.py` by their names there, and of the kind that can be kept in a list.
enum Rule {
    Sgd(Sgd),
    Adam(Adam),
}

fn rule(name: &str) -> Rule {
    match name {
        "sgd" => Rule::Sgd(Sgd::new(0.1)),
        "sgd with momentum" => Rule::Sgd(Sgd::new(0.1).momentum(0.9)),
        "adam" => Rule::Adam(Adam::new(0.01)),
        "adam with its own betas and epsilon" => Rule::Adam(Adam::new(0.05).betas(0.8, 0.99).epsilon(1e-3)),
        other => panic!("make_optim.py has an optimizer `{other}`: add it here"),
    }
}

impl Rule {
    fn step(&self, variable: &Variable, gradient: &Tensor) {
        match self {
            Rule::Sgd(sgd) => sgd.step(&[variable], std::slice::from_ref(gradient)),
            Rule::Adam(adam) => adam.step(&[variable], std::slice::from_ref(gradient)),
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).expect("make_optim.py writes numbers")
}

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/optim.json")).expect("make_optim.py writes JSON")
}

/// The largest difference to optax over all steps, of a variable of `dtype` that `step` changes.
fn difference(golden: &Value, name: &str, dtype: DType, step: impl Fn(&Variable, &Tensor)) -> f64 {
    let tensor = |value: &Value| Tensor::from_slice([3], &numbers(value)).cast(dtype);
    let w = Variable::new(tensor(&golden["start"]));
    let gradients = golden["gradients"].as_array().expect("a list");
    let expected = golden["steps"][name].as_array().expect("a list");
    assert_eq!(gradients.len(), expected.len());
    let mut largest = 0f64;
    for (gradient, expected) in gradients.iter().zip(expected) {
        step(&w, &tensor(gradient));
        let got = w.read().cast(DType::F64).to_vec::<f64>();
        largest = got.iter().zip(numbers(expected)).fold(largest, |largest, (got, expected)| largest.max((got - expected).abs()));
    }
    largest
}

#[test]
fn steps_are_optaxs() {
    let golden = golden();
    let names = golden["steps"].as_object().expect("an object");
    assert!(names.len() >= 4);
    for name in names.keys() {
        for (dtype, tolerance) in [(DType::F64, 1e-14), (DType::F32, 2e-6)] {
            let rule = rule(name);
            let eager = difference(&golden, name, dtype, |w, gradient| rule.step(w, gradient));
            assert!(eager <= tolerance, "{name}, {dtype}: off by {eager:e}");
        }
    }
}

#[test]
fn staged_steps_are_optaxs_too() {
    let golden = golden();
    for name in golden["steps"].as_object().expect("an object").keys() {
        let w = Variable::new(Tensor::from_slice([3], &numbers(&golden["start"])));
        let (rule, variable) = (rule(name), w.clone());
        let step = stage_fn!("step", (gradient: &Tensor), rule.step(&variable, gradient));
        let gradients = golden["gradients"].as_array().expect("a list");
        for (gradient, expected) in gradients.iter().zip(golden["steps"][name].as_array().expect("a list")) {
            step(&Tensor::from_slice([3], &numbers(gradient)));
            for (got, expected) in w.read().to_vec::<f64>().iter().zip(numbers(expected)) {
                assert!((got - expected).abs() <= 1e-14, "{name}: {got} is not {expected}");
            }
        }
        assert_eq!(step.traces(), 1, "{name}: what an optimizer remembers is in variables, so one trace serves all steps");
    }
}

#[test]
fn a_learning_rate_in_a_variable_changes_a_staged_step() {
    let (w, rate) = (Variable::new(tensor![0.0]), Variable::new(scalar(1.0)));
    let (sgd, variable) = (Sgd::new(&rate), w.clone());
    let step = stage_fn!("step", (), sgd.minimize(|| &variable * 1.0, &[&variable]));
    let _ = step();
    rate.assign(&scalar(0.25));
    let _ = step();
    assert_eq!((w.read().item::<f32>(), step.traces()), (-1.25, 1));
}
