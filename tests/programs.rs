//! Random programs: run op by op, and staged through all passes, they agree to the bit, in values, variables and gradients.
//!
//! A program works on a list of tensors that each step makes longer; a step whose shapes don't fit does nothing, so that every list of
//! steps is a program, and shrinks.

use footlight::prelude::*;
use proptest::prelude::*;

/// One step; the numbers choose among what there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Unary(usize, usize),
    Binary(usize, usize, usize),
    Reduce(usize, usize, usize),
    Matmul(usize, usize),
    Transpose(usize),
    Flatten(usize),
    Slice(usize),
    Concat(usize),
    Random,
    Read(usize),
    Assign(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = 0..64usize;
    let step = prop_oneof![
        4 => (n.clone(), n.clone()).prop_map(|(op, a)| Step::Unary(op, a)),
        5 => (n.clone(), n.clone(), n.clone()).prop_map(|(op, a, b)| Step::Binary(op, a, b)),
        2 => (n.clone(), n.clone(), n.clone()).prop_map(|(op, a, axis)| Step::Reduce(op, a, axis)),
        2 => (n.clone(), n.clone()).prop_map(|(a, b)| Step::Matmul(a, b)),
        1 => n.clone().prop_map(Step::Transpose),
        1 => n.clone().prop_map(Step::Flatten),
        1 => n.clone().prop_map(Step::Slice),
        1 => n.clone().prop_map(Step::Concat),
        1 => Just(Step::Random),
        1 => n.clone().prop_map(Step::Read),
        2 => (n.clone(), n).prop_map(|(variable, a)| Step::Assign(variable, a)),
    ];
    proptest::collection::vec(step, 1..20)
}

/// What the programs start from; each run has variables of its own.
fn start() -> (Vec<Tensor>, [Variable; 2]) {
    let filled = |shape: &[usize], phase: f64| {
        let elements: usize = shape.iter().product();
        linspace(phase, phase + 3.0, elements).sin().cast(DType::F32).reshape(Shape::from(shape))
    };
    let tensors = vec![filled(&[3, 4], 0.0), filled(&[4], 1.0), filled(&[3, 1], 2.0), scalar(0.5)];
    (tensors, [Variable::new(filled(&[3, 4], 4.0)), Variable::new(filled(&[4, 2], 5.0))])
}

fn fit(a: &Tensor, b: &Tensor) -> bool {
    a.shape().iter().rev().zip(b.shape().iter().rev()).all(|(a, b)| a == b || *a == 1 || *b == 1)
}

/// Runs a program: all that it made.
fn run(program: &[Step], tensors: &[Tensor], variables: &[Variable; 2]) -> Vec<Tensor> {
    let mut made = tensors.to_vec();
    for step in program {
        let at = |number: usize| made[number % made.len()].clone();
        let new = match *step {
            Step::Unary(op, a) => Some(match (op % 7, at(a)) {
                (0, a) => a.tanh().exp(),
                (1, a) => a.tanh(),
                (2, a) => a.sigmoid(),
                (3, a) => a.relu(),
                (4, a) => -a,
                (5, a) => a.tanh().square(),
                (_, a) => a.abs(),
            }),
            Step::Binary(op, a, b) => match (op % 5, at(a), at(b)) {
                (_, a, b) if !fit(&a, &b) => None,
                (0, a, b) => Some(a + b),
                (1, a, b) => Some(a - b),
                (2, a, b) => Some((a * b).tanh()),
                (3, a, b) => Some(a / (b.abs() + 1.0)),
                (_, a, b) => Some(a.maximum(b)),
            },
            Step::Reduce(op, a, axis) => {
                let a = at(a);
                let axis = axis % a.shape().rank().max(1);
                (a.shape().rank() > 0).then(|| match op % 4 {
                    0 => a.sum(axis as isize),
                    1 => a.mean_keep(axis as isize),
                    2 => a.max(axis as isize),
                    _ => a.softmax(),
                })
            }
            Step::Matmul(a, b) => {
                let (a, b) = (at(a), at(b));
                let fits = a.shape().rank() == 2 && b.shape().rank() == 2 && a.shape()[1] == b.shape()[0];
                fits.then(|| a.matmul(&b).tanh())
            }
            Step::Transpose(a) => Some(at(a)).filter(|a| a.shape().rank() == 2).map(|a| a.t()),
            Step::Flatten(a) => Some(at(a).reshape([-1])),
            Step::Slice(a) => Some(at(a)).filter(|a| a.shape().rank() > 0 && a.shape()[0] > 1).map(|a| a.slice(0, 1..)),
            Step::Concat(a) => {
                let a = at(a);
                (a.shape().rank() > 0 && a.shape()[0] < 8).then(|| concat(&[&a, &a], 0))
            }
            Step::Random => Some(rand([2])),
            Step::Read(variable) => Some(variables[variable % 2].read()),
            Step::Assign(variable, a) => {
                let (variable, a) = (&variables[variable % 2], at(a));
                if variable.read().shape() == a.shape() {
                    variable.assign(&a);
                }
                None
            }
        };
        made.extend(new);
    }
    made
}

/// Values to the bit; all NaNs are one.
fn bits(tensor: &Tensor) -> (Vec<usize>, Vec<u32>) {
    let bits = tensor.to_vec::<f32>().into_iter().map(|value| if value.is_nan() { u32::MAX } else { value.to_bits() });
    (tensor.shape().to_vec(), bits.collect())
}

/// Runs eagerly and staged, from the same state, and gives both results with the variables' last values.
fn both_ways(f: impl Fn(&[Tensor], &[Variable; 2]) -> Vec<Tensor>) -> [Vec<(Vec<usize>, Vec<u32>)>; 2] {
    [false, true].map(|staged| {
        seed(5);
        let (tensors, variables) = start();
        let made = if staged {
            let (made, ran) = footlight::stage::run_cell(|| f(&tensors, &variables), |_| true);
            ran.expect("the graph runs");
            made
        } else {
            f(&tensors, &variables)
        };
        let left = variables.iter().map(Variable::read);
        made.into_iter().chain(left).map(|tensor| bits(&tensor)).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn staged_programs_agree_with_eager_ones(program in steps()) {
        let [eager, staged] = both_ways(|tensors, variables| run(&program, tensors, variables));
        prop_assert_eq!(eager, staged);
    }

    #[test]
    fn their_gradients_agree_too(program in steps()) {
        let [eager, staged] = both_ways(|tensors, variables| {
            let (loss, mut gradients) = value_and_grad(
                || {
                    let made = run(&program, tensors, variables);
                    made.iter().map(|tensor| tensor.mean(())).reduce(|a, b| a + b).expect("there is a tensor at the start")
                },
                &[&variables[0], &variables[1]],
            );
            gradients.push(loss);
            gradients
        });
        prop_assert_eq!(eager, staged);
    }
}
