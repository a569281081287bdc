//! Learning end to end: the program of `runtime/examples/digits.rs`, on the data of the tour.

#[path = "../runtime/examples/digits.rs"]
mod program;

#[test]
fn a_small_network_reads_digits() {
    let accuracy = program::learn(10, |_, _| {});
    assert!(accuracy > 0.95, "{accuracy}");
}
