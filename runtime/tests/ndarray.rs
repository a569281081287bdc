//! Shapes, broadcasting, views and reductions against the ndarray crate, over random shapes.

use footlight::prelude::*;
use ndarray::{ArrayD, Axis, Slice, Zip};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

/// Up to four axes of up to four elements, empty ones too.
fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..5, 0..5)
}

/// Distinct small numbers, exact in f32 and in every order of a sum.
fn numbers(shape: &[usize]) -> ArrayD<f32> {
    let mut next = 0;
    ArrayD::from_shape_simple_fn(shape, || {
        next += 7;
        (next % 61) as f32 - 30.0
    })
}

fn same(ours: &Tensor, theirs: &ArrayD<f32>) -> TestCaseResult {
    prop_assert_eq!(ours.shape().to_vec(), theirs.shape());
    prop_assert_eq!(ours.to_vec::<f32>(), theirs.iter().copied().collect::<Vec<_>>());
    Ok(())
}

/// A view in both: axes in another order, and a range of one of them with a step.
#[derive(Debug, Clone)]
struct View {
    order: Vec<usize>,
    axis: usize,
    range: (usize, usize),
    step: usize,
}

impl View {
    fn of(&self, ours: &Tensor, theirs: &ArrayD<f32>) -> (Tensor, ArrayD<f32>) {
        let order: Vec<isize> = self.order.iter().map(|&axis| axis as isize).collect();
        let (ours, mut theirs) = (ours.permute(&order), theirs.clone().permuted_axes(self.order.clone()));
        if order.is_empty() {
            return (ours, theirs);
        }
        let (start, end) = self.range;
        theirs.slice_axis_inplace(Axis(self.axis), Slice::new(start as isize, Some(end as isize), self.step as isize));
        (ours.slice_step(self.axis as isize, start..end, self.step), theirs)
    }
}

fn viewed() -> impl Strategy<Value = (Vec<usize>, View)> {
    shape().prop_flat_map(|shape| {
        let order = Just((0..shape.len()).collect::<Vec<_>>()).prop_shuffle();
        let axis = 0..shape.len().max(1);
        (Just(shape), order, axis, 0usize..5, 0usize..5, 1usize..4).prop_map(|(shape, order, axis, from, to, step)| {
            let size = order.get(axis).map_or(0, |&axis| shape[axis]);
            let (from, to) = (from.min(size), to.min(size));
            (shape, View { order, axis, range: (from.min(to), from.max(to)), step })
        })
    })
}

/// Two shapes that broadcast: sizes of a common one, some of them 1, and some leading ones left out.
fn pair() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    shape().prop_flat_map(|shape| {
        let side = || {
            let rank = shape.len();
            let shape = shape.clone();
            (prop::collection::vec(any::<bool>(), rank), 0..=rank).prop_map(move |(ones, drop)| {
                shape.iter().zip(ones).map(|(&size, one)| if one { 1 } else { size }).skip(drop).collect::<Vec<_>>()
            })
        };
        (side(), side())
    })
}

proptest! {
    #[test]
    fn views_are_ndarrays((shape, view) in viewed()) {
        let numbers = numbers(&shape);
        let (ours, theirs) = view.of(&Tensor::from(&numbers), &numbers);
        same(&ours, &theirs)?;
        same(&Tensor::from(&theirs), &ours.to_ndarray())?;
        same(&(-&ours), &theirs.mapv(|x| -x))?;
        let flat = ours.reshape(-1);
        prop_assert_eq!(flat.to_vec::<f32>(), theirs.iter().copied().collect::<Vec<_>>());
    }

    #[test]
    fn reductions_of_views_are_ndarrays((shape, view) in viewed(), axes in prop::collection::vec(any::<bool>(), 4)) {
        let numbers = numbers(&shape);
        let (ours, theirs) = view.of(&Tensor::from(&numbers), &numbers);
        let axes: Vec<isize> = (0..theirs.ndim()).filter(|&axis| axes[axis]).map(|axis| axis as isize).collect();
        let reduced = |f: &dyn Fn(&ArrayD<f32>, Axis) -> ArrayD<f32>| {
            axes.iter().rev().fold(theirs.clone(), |array, &axis| f(&array, Axis(axis as usize)))
        };
        same(&ours.sum(axes.as_slice()), &reduced(&|array, axis| array.sum_axis(axis)))?;
        if axes.iter().all(|&axis| theirs.shape()[axis as usize] > 0) {
            let largest = |array: &ArrayD<f32>, axis| array.fold_axis(axis, f32::NEG_INFINITY, |a, b| a.max(*b));
            same(&ours.max(axes.as_slice()), &reduced(&largest))?;
        }
    }

    #[test]
    fn broadcasting_is_ndarrays((a, b) in pair(), transposed in any::<bool>()) {
        let (a, b) = (numbers(&a), numbers(&b));
        let (mut ours, mut theirs) = (Tensor::from(&a), a);
        if transposed && theirs.ndim() == 2 && b.ndim() < 2 && (b.len() == 1 || b.len() == theirs.shape()[0]) {
            (ours, theirs) = (ours.t(), theirs.reversed_axes());
        }
        let sum = &theirs + &b;
        same(&(&ours + Tensor::from(&b)), &sum)?;
        // Owned operands may be written in place; the result is the same.
        same(&(ours.clone() * Tensor::from(&b) - Tensor::from(&b)), &(&theirs * &b - &b))?;
        let mut larger = ndarray::Array::from_elem(sum.raw_dim(), 0.0f32);
        let (x, y) = (theirs.broadcast(sum.raw_dim()).expect("fits"), b.broadcast(sum.raw_dim()).expect("fits"));
        Zip::from(&mut larger).and(&x).and(&y).for_each(|out, &x, &y| *out = if x > y { x } else { y });
        same(&ours.maximum(Tensor::from(&b)), &larger)?;
        same(&ours.gt(Tensor::from(&b)).where_(&ours, &Tensor::from(&b)), &larger)?;
    }

    #[test]
    fn products_are_ndarrays(m in 0usize..6, k in 0usize..6, n in 0usize..6, left in any::<bool>(), right in any::<bool>()) {
        let a = if left { numbers(&[k, m]).reversed_axes() } else { numbers(&[m, k]) };
        let b = if right { numbers(&[n, k]).reversed_axes() } else { numbers(&[k, n]) };
        let ours = |array: &ArrayD<f32>, turned: bool| {
            if turned { Tensor::from(array.t()).t() } else { Tensor::from(array) }
        };
        let two = |array: &ArrayD<f32>| array.clone().into_dimensionality::<ndarray::Ix2>().expect("two axes");
        same(&ours(&a, left).matmul(ours(&b, right)), &two(&a).dot(&two(&b)).into_dyn())?;
    }
}

#[test]
fn long_sums_are_near_the_exact_ones() {
    let values: Vec<f32> = (0..1_000_003).map(|i| 0.1 + (i % 7) as f32 * 0.01).collect();
    let exact: f64 = values.iter().map(|&x| f64::from(x)).sum();
    let sum = Tensor::from_slice([values.len()], &values).sum(()).item::<f64>();
    assert!((sum - exact).abs() / exact < 1e-6, "{sum} against {exact}");
}

#[test]
fn a_nan_is_the_largest_and_the_least() {
    let x = tensor![[1.0, 3.0, 2.0], [4.0, f64::NAN, 5.0]];
    assert_eq!(x.argmax(1).to_vec::<i64>(), [1, 1]);
    assert_eq!(x.argmin(1).to_vec::<i64>(), [0, 1]);
    assert!(x.max(1).to_vec::<f32>()[1].is_nan() && x.min(1).to_vec::<f32>()[1].is_nan());
}
