//! The cases of the paper's model of computation that this slice promises, by their number in PAPER.md. Cases 2, 3 and 4 stand beside the
//! tape.

use footlight::prelude::*;
use footlight::{ErrorKind, catch, stage_fn};
use std::cell::Cell;
use std::rc::Rc;

#[test]
fn case_1_the_same_source_eager_and_staged() {
    let a = tensor![[1.0, 0.0]];
    let f = move |x: &Tensor| a.matmul(x);
    let staged = stage_fn!("f", (x: &Tensor), f(x));
    let x = tensor![[2.0], [-2.0]];
    let eager = tensor![[1.0, 0.0]].matmul(&x);
    assert_eq!((eager.to_vec::<f32>(), staged(&x).to_vec::<f32>()), (vec![2.0], vec![2.0]));
}

#[test]
fn case_5_gradients_staged_around_and_inside() {
    let x = tensor![3.0];
    let inside = stage_fn!("inside", (x: &Tensor), grad(|x| (x * x).sum(()), x));
    let square = stage_fn!("square", (x: &Tensor), (x * x).sum(()));
    let around = grad(|x| square(x), &x);
    let plain = grad(|x| (x * x).sum(()), &x);
    assert_eq!([inside(&x).item::<f32>(), around.item::<f32>(), plain.item::<f32>()], [6.0; 3]);
}

#[test]
fn case_6_a_trace_for_each_signature() {
    let f = stage_fn!("f", (x: &Tensor), x + 1.0);
    let single = tensor![1.0, 2.0];
    for x in [&single, &tensor![1.0, 2.0, 3.0], &single.cast(DType::F64), &single] {
        assert_eq!(f(x).spec(), x.spec());
    }
    assert_eq!(f.traces(), 3);
    assert!(f.explain().contains("argument 0 was f32[2] and is f32[3]"), "{}", f.explain());
}

#[test]
fn case_7_plain_arguments_are_part_of_the_signature() {
    let f = stage_fn!("lossy_matmul", (w: &Tensor, x: &Tensor, training: bool), {
        let y = w.matmul(x);
        if training { y * rand([1, 1]).lt(scalar(0.5)).cast(DType::F32) } else { y }
    });
    let (w, x) = (ones([1, 2]), ones([2, 1]));
    let _ = (f(&w, &x, true), f(&w, &x, false));
    assert_eq!(f.traces(), 2);
    assert_eq!(f.graph().ops(), 1, "without training only the product is left: {:?}", f.graph());
}

#[test]
fn case_8_host_numbers_are_of_trace_time_and_ours_are_new() {
    let host = Cell::new(0.0);
    let f = stage_fn!("host", (x: &Tensor), {
        host.set(host.get() + 1.0);
        x + host.get()
    });
    let zero = tensor![0.0];
    assert_eq!([f(&zero).item::<f32>(), f(&zero).item::<f32>()], [1.0, 1.0]);
    seed(7);
    let g = stage_fn!("ours", (x: &Tensor), x + rand([1]));
    let staged = [g(&zero).item::<f32>(), g(&zero).item::<f32>()];
    seed(7);
    let eager = [rand([1]).item::<f32>(), rand([1]).item::<f32>()];
    assert_eq!(staged, eager);
    assert_ne!(staged[0], staged[1]);
}

#[test]
fn case_9_a_capture_is_by_value() {
    let mut outside = tensor![1.0];
    let captured = outside.clone();
    let f = stage_fn!("f", (x: &Tensor), x + &captured);
    assert_eq!(f(&tensor![1.0]).item::<f32>(), 2.0);
    outside = outside + 100.0;
    assert_eq!((f(&tensor![1.0]).item::<f32>(), outside.item::<f32>()), (2.0, 101.0));
}

#[test]
fn case_10_variables_are_by_reference() {
    let v = Variable::new(tensor![0.0]);
    let shared = v.clone();
    let mutate = stage_fn!("mutate", (), {
        shared.assign_add(&tensor![1.0]);
        shared.read()
    });
    assert_eq!(mutate().item::<f32>(), 1.0);
    v.assign_add(&tensor![1.0]);
    assert_eq!(v.read().item::<f32>(), 2.0);
    assert_eq!(mutate().item::<f32>(), 3.0);
    assert_eq!(mutate.traces(), 1);
}

#[test]
fn case_12_staged_functions_compose() {
    let inner = stage_fn!("inner", (x: &Tensor), x * x);
    let outer = stage_fn!("outer", (x: &Tensor), grad(|x| (inner(x) * 3.0).sum(()), x));
    assert_eq!(outer(&tensor![2.0]).item::<f32>(), 12.0);
}

#[test]
fn case_13_reads_and_assigns_keep_the_programs_order() {
    let v = Variable::new(tensor![1.0]);
    let shared = v.clone();
    let f = stage_fn!("f", (), {
        let before = shared.read();
        shared.assign(&(&shared * 10.0));
        let between = shared.read();
        shared.assign(&(&shared + 1.0));
        (before, between, shared.read())
    });
    let (before, between, after) = f();
    assert_eq!(
        [before.item::<f32>(), between.item::<f32>(), after.item::<f32>(), v.read().item::<f32>()],
        [1.0, 10.0, 11.0, 11.0]
    );
}

#[test]
fn a_value_inside_a_staged_function_is_an_error_that_names_the_line() {
    let f = stage_fn!("f", (x: &Tensor), if x.item::<f32>() > 0.0 { x * 2.0 } else { x * 3.0 });
    let error = catch(|| f(&tensor![1.0])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stage);
    assert!(error.message.contains("`f`") && error.place.is_some_and(|place| place.file.ends_with("paper.rs")), "{error:?}");
    // The failed trace leaves nothing behind.
    assert_eq!((tensor![1.0] + 1.0).item::<f32>(), 2.0);
}

#[test]
fn a_leaked_tensor_is_an_error() {
    let kept: Rc<std::cell::RefCell<Option<Tensor>>> = Rc::default();
    let inside = kept.clone();
    let f = stage_fn!("f", (x: &Tensor), {
        *inside.borrow_mut() = Some(x * 2.0);
        x * 3.0
    });
    let _ = f(&tensor![1.0]);
    let leaked = kept.borrow().clone().unwrap();
    assert_eq!(catch(|| leaked.to_vec::<f32>()).unwrap_err().kind, ErrorKind::Stage);
    assert_eq!(catch(|| leaked + 1.0).unwrap_err().kind, ErrorKind::Stage);
}

#[test]
fn an_error_when_a_graph_runs_names_the_ops_line_and_assigns_nothing() {
    let v = Variable::new(tensor![1, 2]);
    let shared = v.clone();
    let f = stage_fn!("f", (x: &Tensor), {
        shared.assign_add(&tensor![1, 1]);
        x / shared.read()
    });
    let line = line!() - 2;
    let _ = f(&tensor![4, 4]);
    v.assign(&tensor![-1, 0]);
    let error = catch(|| f(&tensor![4, 4])).unwrap_err();
    assert_eq!((error.kind, error.place.map(|place| place.line)), (ErrorKind::Value, Some(line)));
    assert_eq!(v.read().to_vec::<i64>(), [-1, 0]);
}
