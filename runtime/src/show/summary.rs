//! What a tensor's values are like: extremes, mean, spread, what is not finite, and how they are spread out.

use crate::dtype::{Element, with_dtype};
use crate::storage::Array;
use std::borrow::Cow;

/// Columns of a distribution.
const BINS: usize = 16;
/// With fewer elements the values themselves say more than their distribution.
const DISTRIBUTION_FROM: usize = 16;

/// Over the finite values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) elements: usize,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    /// The population's standard deviation.
    pub(crate) std: f64,
    /// The Euclidean norm.
    pub(crate) norm: f64,
    pub(crate) nan: usize,
    pub(crate) infinite: usize,
    /// Counts of values in equal steps from min to max; empty for few elements and where all are equal.
    pub(crate) bins: Vec<usize>,
}

impl Summary {
    /// `None` without any element.
    pub(crate) fn of(array: &Array) -> Option<Self> {
        with_dtype!(array.dtype(), T => {
            let values = match array.as_slice::<T>() {
                Some(slice) => Cow::Borrowed(slice),
                None => Cow::Owned(array.to_vec::<T>()),
            };
            (!values.is_empty()).then(|| Self::over(&values))
        })
    }

    fn over<T: Element>(values: &[T]) -> Self {
        let (mut min, mut max, mut sum, mut finite, mut nan) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0usize, 0);
        for value in values.iter().map(|value| value.to_f64()) {
            if value.is_finite() {
                min = min.min(value);
                max = max.max(value);
                sum += value;
                finite += 1;
            } else {
                nan += usize::from(value.is_nan());
            }
        }
        let elements = values.len();
        if finite == 0 {
            return Self {
                elements,
                min: f64::NAN,
                max: f64::NAN,
                mean: f64::NAN,
                std: f64::NAN,
                norm: f64::NAN,
                nan,
                infinite: elements - nan,
                bins: Vec::new(),
            };
        }
        let mean = sum / finite as f64;
        let binned = elements >= DISTRIBUTION_FROM && max > min;
        let mut bins = if binned { vec![0; BINS] } else { Vec::new() };
        let (mut deviation, mut squares) = (0.0, 0.0);
        for value in values.iter().map(|value| value.to_f64()).filter(|value| value.is_finite()) {
            deviation += (value - mean).powi(2);
            squares += value * value;
            if binned {
                bins[(((value - min) / (max - min) * BINS as f64) as usize).min(BINS - 1)] += 1;
            }
        }
        Self {
            elements,
            min,
            max,
            mean,
            std: (deviation / finite as f64).sqrt(),
            norm: squares.sqrt(),
            nan,
            infinite: elements - finite - nan,
            bins,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    #[test]
    fn what_is_not_finite_is_counted_and_left_out() {
        let x = Tensor::from_slice([5], &[1f32, f32::NAN, f32::INFINITY, 3.0, f32::NEG_INFINITY]);
        let summary = Summary::of(x.array().unwrap()).unwrap();
        assert_eq!((summary.min, summary.max, summary.mean, summary.std), (1.0, 3.0, 2.0, 1.0));
        assert_eq!((summary.elements, summary.nan, summary.infinite), (5, 1, 2));
        assert!((summary.norm - 10f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn every_finite_value_is_in_a_bin() {
        let values: Vec<f32> = (0..100).map(|i| (i * i) as f32).collect();
        let summary = Summary::of(Tensor::from_slice([100], &values).array().unwrap()).unwrap();
        assert_eq!(summary.bins.iter().sum::<usize>(), 100);
        assert!(summary.bins[0] > summary.bins[15]);
    }
}
