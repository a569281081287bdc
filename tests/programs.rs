//! Random programs: run op by op, as staged cells and as staged functions, they agree to the bit, in values, variables and gradients.
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
    Cast(usize, usize),
    Compare(usize, usize, usize),
    Where(usize, usize, usize),
    Take(usize, usize),
    Gather(usize, usize),
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
        1 => (n.clone(), n.clone()).prop_map(|(dtype, a)| Step::Cast(dtype, a)),
        1 => (n.clone(), n.clone(), n.clone()).prop_map(|(op, a, b)| Step::Compare(op, a, b)),
        2 => (n.clone(), n.clone(), n.clone()).prop_map(|(mask, a, b)| Step::Where(mask, a, b)),
        1 => (n.clone(), n.clone()).prop_map(|(a, indices)| Step::Take(a, indices)),
        1 => (n.clone(), n.clone()).prop_map(|(a, indices)| Step::Gather(a, indices)),
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

/// Whole numbers in the place of truths, which have no arithmetic.
fn number(tensor: Tensor) -> Tensor {
    if tensor.dtype() == DType::Bool { tensor.cast(DType::I64) } else { tensor }
}

/// Indices of an axis of this size, made of a tensor's values.
fn indices(tensor: &Tensor, size: usize) -> Tensor {
    (number(tensor.clone()).sin().square() * (size as f64 - 0.5)).cast(DType::I64)
}

/// Runs a program: all that it made.
fn run(program: &[Step], tensors: &[Tensor], variables: &[Variable; 2]) -> Vec<Tensor> {
    let mut made = tensors.to_vec();
    for step in program {
        let at = |number: usize| made[number % made.len()].clone();
        let new = match *step {
            Step::Unary(op, a) => Some(match (op % 7, number(at(a))) {
                (0, a) => a.tanh().exp(),
                (1, a) => a.tanh(),
                (2, a) => a.sigmoid(),
                (3, a) => a.relu(),
                (4, a) => -a,
                (5, a) => a.tanh().square(),
                (_, a) => a.abs(),
            }),
            Step::Binary(op, a, b) => match (op % 5, number(at(a)), number(at(b))) {
                (_, a, b) if !fit(&a, &b) => None,
                (0, a, b) => Some(a + b),
                (1, a, b) => Some(a - b),
                (2, a, b) => Some((a * b).tanh()),
                (3, a, b) => Some(a / (b.abs() + 1.0)),
                (_, a, b) => Some(a.maximum(b)),
            },
            Step::Reduce(op, a, axis) => {
                let a = number(at(a));
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
                let fits = a.dtype().is_float()
                    && a.dtype() == b.dtype()
                    && a.shape().rank() == 2
                    && b.shape().rank() == 2
                    && a.shape()[1] == b.shape()[0];
                fits.then(|| a.matmul(&b).tanh())
            }
            Step::Transpose(a) => Some(at(a)).filter(|a| a.shape().rank() == 2).map(|a| a.t()),
            Step::Flatten(a) => Some(at(a).reshape([-1])),
            Step::Slice(a) => Some(at(a)).filter(|a| a.shape().rank() > 0 && a.shape()[0] > 1).map(|a| a.slice(0, 1..)),
            Step::Concat(a) => {
                let a = at(a);
                (a.shape().rank() > 0 && a.shape()[0] < 8).then(|| concat(&[&a, &a], 0))
            }
            Step::Cast(dtype, a) => Some(at(a).cast([DType::I64, DType::F64, DType::F32, DType::Bool][dtype % 4])),
            Step::Compare(op, a, b) => match (op % 3, at(a), at(b)) {
                (_, a, b) if !fit(&a, &b) => None,
                (0, a, b) => Some(a.lt(b)),
                (1, a, b) => Some(a.ge(b)),
                (_, a, b) => Some(a.ne(b)),
            },
            Step::Where(mask, a, b) => {
                let (mask, a, b) = (at(mask), at(a), at(b));
                let fits = fit(&a, &b) && fit(&mask, &a) && fit(&mask, &b);
                fits.then(|| mask.cast(DType::Bool).where_(&a, &b))
            }
            Step::Take(a, from) => {
                let (a, from) = (at(a), at(from));
                (a.rank() > 0 && a.shape().elements() < 64).then(|| a.take(&indices(&from, a.shape()[0]), 0))
            }
            Step::Gather(a, from) => {
                let (a, from) = (at(a), at(from));
                let fits = a.rank() > 0 && a.shape()[..a.rank() - 1] == from.shape()[..];
                fits.then(|| a.gather(&indices(&from, a.shape()[a.rank() - 1])))
            }
            Step::Random => Some(rand([2])),
            Step::Read(variable) => Some(variables[variable % 2].read()),
            Step::Assign(variable, a) => {
                let (variable, a) = (&variables[variable % 2], at(a));
                if variable.read().shape() == a.shape() && a.dtype() == DType::F32 {
                    variable.assign(&a);
                }
                None
            }
        };
        made.extend(new);
    }
    made
}

/// A tensor's dtype, its shape, and its values to the bit, where all NaNs are one. Values that f64 can't hold are not made here.
type Bits = (DType, Vec<usize>, Vec<u64>);

fn bits(tensor: &Tensor) -> Bits {
    let bits = |value: f64| if value.is_nan() { u64::MAX } else { value.to_bits() };
    (tensor.dtype(), tensor.shape().to_vec(), tensor.cast(DType::F64).to_vec::<f64>().into_iter().map(bits).collect())
}

/// Runs a program twice eagerly, twice as a staged cell, and in two calls of one staged function, each from the same state: what the runs
/// made, and the variables' last values.
fn each_way(f: impl Fn(&[Tensor], &[Variable; 2]) -> Vec<Tensor> + Clone + 'static) -> [Vec<Bits>; 3] {
    let twice = |run: &mut dyn FnMut(&[Tensor]) -> Vec<Tensor>, tensors: &[Tensor], variables: &[Variable; 2]| {
        let made: Vec<Tensor> = (0..2).flat_map(|_| run(tensors)).collect();
        made.into_iter().chain(variables.iter().map(Variable::read)).map(|tensor| bits(&tensor)).collect()
    };
    let begin = || {
        seed(5);
        start()
    };
    let eager = {
        let (tensors, variables) = begin();
        twice(&mut |tensors| f(tensors, &variables), &tensors, &variables)
    };
    let cell = {
        let (tensors, variables) = begin();
        let mut run = |tensors: &[Tensor]| {
            let (made, ran) = footlight::stage::run_cell(|| f(tensors, &variables), |_| true);
            ran.expect("the graph runs");
            made
        };
        twice(&mut run, &tensors, &variables)
    };
    let function = {
        let (tensors, variables) = begin();
        let inside = variables.clone();
        let staged = footlight::stage_fn!("program", (a: &Tensor, b: &Tensor, c: &Tensor, d: &Tensor), {
            f(&[a, b, c, d].map(Tensor::clone), &inside)
        });
        twice(&mut |tensors| staged(&tensors[0], &tensors[1], &tensors[2], &tensors[3]), &tensors, &variables)
    };
    [eager, cell, function]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn staged_programs_agree_with_eager_ones(program in steps()) {
        let [eager, cell, function] = each_way(move |tensors, variables| run(&program, tensors, variables));
        prop_assert_eq!(&eager, &cell);
        prop_assert_eq!(&eager, &function);
    }

    #[test]
    fn their_gradients_agree_too(program in steps()) {
        let [eager, cell, function] = each_way(move |tensors, variables| {
            let loss = || {
                let made = run(&program, tensors, variables);
                let means = made.iter().map(|tensor| tensor.cast(DType::F64).mean(()));
                means.reduce(|a, b| a + b).expect("there is a tensor at the start")
            };
            let (loss, mut gradients) = value_and_grad(loss, &[&variables[0], &variables[1]]);
            gradients.push(loss);
            gradients
        });
        prop_assert_eq!(&eager, &cell);
        prop_assert_eq!(&eager, &function);
    }
}
