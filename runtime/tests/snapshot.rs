//! A program of its own, since a snapshot is of all variables of a process.

use footlight::Variable;
use footlight::prelude::*;
use footlight::variable::Snapshot;

#[test]
fn a_snapshot_brings_back_what_was() {
    let v = Variable::new(tensor![1.0, 2.0]);
    let untouched = Variable::new(tensor![9.0]);
    let before = Snapshot::take();
    v.assign_add(&tensor![5.0, 5.0]);
    let made_since = Variable::new(tensor![4.0]);
    made_since.assign_add(&tensor![3.0]);
    let changed: Vec<Vec<f32>> = before.changed().iter().map(|(_, value)| value.to_vec()).collect();
    assert_eq!(changed, [vec![6.0, 7.0], vec![7.0]]);
    before.restore();
    assert_eq!((v.read().to_vec::<f32>(), untouched.read().to_vec::<f32>()), (vec![1.0, 2.0], vec![9.0]));
    assert_eq!(made_since.read().to_vec::<f32>(), [4.0]);
}
