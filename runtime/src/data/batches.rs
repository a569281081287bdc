//! Batches: rows that belong together, some at a time, in a random order.

use crate::error::{Error, ErrorKind};
use crate::ops::random::uniform::rand;
use crate::tensor::Tensor;

/// Gives pairs of tensors with some rows of two tensors; see [`batches`].
#[derive(Debug)]
pub struct Batches {
    x: Tensor,
    y: Tensor,
    order: Vec<i64>,
    size: usize,
    next: usize,
}

/// Rows of `x` with the same rows of `y`, `size` at a time: each row once, in an order that is drawn anew from the random state at every
/// call. Rows that do not fill a last batch are left out, so that all batches have one shape and a staged step has one trace.
///
/// ```
/// use footlight::prelude::*;
/// let (x, y) = (tensor![[1.0], [2.0], [3.0]], tensor![10, 20, 30]);
/// for (x, y) in batches(&x, &y, 2) {
///     assert_eq!(y.to_vec::<i64>(), (x * 10.0).cast(DType::I64).to_vec::<i64>());
/// }
/// ```
///
/// # Panics
/// With a typed error if the first axes differ in size, or hold no batch of `size`.
#[must_use]
#[track_caller]
pub fn batches(x: &Tensor, y: &Tensor, size: usize) -> Batches {
    let rows = x.shape().first().copied().unwrap_or(0);
    if y.shape().first() != x.shape().first() || size == 0 || size > rows {
        Error::new(ErrorKind::Shape, format!("batches of {size} rows of {} and {}", x.spec(), y.spec()))
            .advise("the first axes of both must be of one size, and hold at least one batch of at least one row")
            .raise();
    }
    let keys = rand([rows]).to_vec::<f32>();
    let mut order: Vec<i64> = (0..rows as i64).collect();
    order.sort_by(|&a, &b| keys[a as usize].total_cmp(&keys[b as usize]));
    Batches { x: x.clone(), y: y.clone(), order, size, next: 0 }
}

impl Iterator for Batches {
    type Item = (Tensor, Tensor);

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.order.get(self.next..self.next + self.size)?;
        self.next += self.size;
        let rows = Tensor::from_slice([rows.len()], rows);
        Some((self.x.take(&rows, 0), self.y.take(&rows, 0)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.order.len() - self.next) / self.size;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Batches {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::create::arange;
    use std::collections::BTreeSet;

    #[test]
    fn each_row_comes_once_with_its_own_label_and_in_a_new_order() {
        let x = arange(0..50).reshape([50, 1]);
        let y = arange(0..50);
        let order = || -> Vec<i64> {
            let all = batches(&x, &y, 16);
            assert_eq!(all.len(), 3);
            all.flat_map(|(x, y)| {
                assert_eq!(x.to_vec::<i64>(), y.to_vec::<i64>());
                y.to_vec::<i64>()
            })
            .collect()
        };
        crate::random::seed(1);
        let (first, second) = (order(), order());
        assert_ne!(first, second);
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 48);
        crate::random::seed(1);
        assert_eq!(order(), first);
    }

    #[test]
    fn rows_that_do_not_match_are_an_error() {
        let (x, y) = (arange(0..3), arange(0..4));
        assert_eq!(crate::catch(|| batches(&x, &y, 1)).unwrap_err().kind, ErrorKind::Shape);
        assert_eq!(crate::catch(|| batches(&x, &x, 4)).unwrap_err().kind, ErrorKind::Shape);
    }
}
