//! What a mistake with tensors says: the op, what was given, and the way out.

use footlight::prelude::*;
use footlight::{Error, ErrorKind};

/// Fails unless `f` raises an error of `kind` whose text, advice included, has every one of `words`.
#[track_caller]
fn says(kind: ErrorKind, words: &[&str], f: impl FnOnce() -> Tensor) {
    let error: Error = catch(f).expect_err("a typed error");
    let text = error.to_string();
    assert_eq!(error.kind, kind, "{text}");
    for word in words {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }
    assert!(error.place.is_some_and(|place| place.file.ends_with("errors.rs")), "{text} is not at the user's line");
}

#[test]
fn shapes_that_do_not_fit() {
    let (a, b) = (zeros([2, 3]), zeros([4]));
    says(ErrorKind::Shape, &["add", "[2, 3]", "[4]", "3 against 4", "reshape"], || &a + &b);
    says(ErrorKind::Shape, &["matmul", "[2, 3]", "[2, 3]", "3 columns against 2 rows", ".t()"], || a.matmul(&a));
    says(ErrorKind::Shape, &["matmul", "[]", "`*`"], || a.matmul(scalar(1.0)));
    says(ErrorKind::Shape, &["matmul", "[5]", "[4]"], || zeros([5, 2, 3]).matmul(zeros([4, 3, 2])));
    says(ErrorKind::Shape, &["reshape", "[2, 3]", "6 elements", "-1"], || a.reshape([4, 2]));
    says(ErrorKind::Shape, &["reshape", "-1", "6 elements"], || a.reshape([-1, 4]));
    says(ErrorKind::Shape, &["concat", "[2, 3]", "[4]", "equal"], || concat(&[&a, &b], 0));
    says(ErrorKind::Shape, &["concat of no tensors"], || concat(&[], 0));
    says(ErrorKind::Shape, &["broadcast_to", "[2, 3]", "[3, 3]"], || a.broadcast_to([3, 3]));
    says(ErrorKind::Shape, &["squeeze", "[2, 3]", "size 2"], || a.squeeze(0));
    says(ErrorKind::Shape, &["where", "[2]", "[3]"], || tensor![true, false].where_(&zeros([3]), &zeros([3])));
    says(ErrorKind::Shape, &["gather", "f32[2, 3]", "i64[3]"], || a.gather(&tensor![0, 1, 2]));
    says(ErrorKind::Shape, &["max", "[0]", "empty"], || zeros([0]).max(()));
    says(ErrorKind::Shape, &["softmax", "no axis"], || scalar(1.0).softmax());
    says(ErrorKind::Shape, &["rows differ in length"], || tensor![vec![1.0, 2.0], vec![3.0]]);
}

#[test]
fn axes_and_indices_out_of_range() {
    let a = zeros([2, 3]);
    says(ErrorKind::Axis, &["sum", "axis 2", "[2, 3]", "-2 to 1"], || a.sum(2));
    says(ErrorKind::Axis, &["twice"], || a.sum([1, -1]));
    says(ErrorKind::Axis, &["argmax", "axis -3"], || a.argmax(-3));
    says(ErrorKind::Index, &["slice 1..4", "size 3", "[2, 3]", "0..3"], || a.slice(1, 1..4));
    says(ErrorKind::Index, &["index 2", "axis 0", "size 2", "-2 to 1"], || a.index(0, 2));
    says(ErrorKind::Index, &["take", "index 5", "size 2"], || a.take(&tensor![0, 5], 0));
    says(ErrorKind::Index, &["gather", "index 3", "size 3"], || a.gather(&tensor![0, 3]));
    says(ErrorKind::Index, &["one_hot", "index 4"], || tensor![1, 4].one_hot(4));
}

#[test]
fn values_and_dtypes() {
    says(ErrorKind::Value, &["div(7, 0)", "division by zero", "check the divisor"], || tensor![6, 7] / tensor![2, 0]);
    says(ErrorKind::Value, &["rem(1, 0)", "division by zero"], || tensor![1] % 0);
    says(ErrorKind::Value, &["pow(2, -1)", "negative power"], || tensor![2].pow(tensor![-1]));
    says(ErrorKind::DType, &["where", "bool"], || zeros([2]).where_(&zeros([2]), &zeros([2])));
    says(ErrorKind::DType, &["take", "f32", "cast"], || zeros([2]).take(&zeros([1]), 0));
}

#[test]
fn more_than_memory_holds_is_an_error_too() {
    let large = 1usize << 40;
    says(ErrorKind::Memory, &["bytes"], || zeros([large, large]));
    says(ErrorKind::Memory, &["bytes"], || eye(1 << 40));
    says(ErrorKind::Memory, &["bytes"], || arange(0..i64::MAX));
    says(ErrorKind::Memory, &["bytes"], || zeros([1]).broadcast_to([1 << 31, 1 << 30]) + 1.0);
    says(ErrorKind::Memory, &["elements"], || zeros([1]).broadcast_to([large, large]));
    says(ErrorKind::Shape, &["reshape"], || zeros([4]).reshape([1 << 62, 1 << 62]));
}
