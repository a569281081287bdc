//! To and from the arrays of the ndarray crate; each way copies the elements once.

use crate::dtype::Element;
use crate::error::{Error, ErrorKind, OrRaise};
use crate::storage::Array;
use crate::tensor::Tensor;
use ::ndarray::{ArrayD, ArrayRef, Data, Dimension, OwnedRepr};

impl Tensor {
    /// The elements as an array of the ndarray crate.
    ///
    /// # Panics
    /// With a typed error if `T` is not its dtype.
    ///
    /// ```
    /// use footlight::prelude::*;
    /// let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    /// let array = x.t().to_ndarray::<f32>();
    /// assert_eq!(array[[0, 1]], 3.0);
    /// assert_eq!(Tensor::from(array.t()).to_vec::<f32>(), x.to_vec::<f32>());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn to_ndarray<T: Element>(&self) -> ArrayD<T> {
        T::to_ndarray(self.shape(), self.to_vec::<T>())
            .map_err(|error| Error::new(ErrorKind::Shape, format!("to_ndarray of shape {}: {error}", self.shape())))
            .or_raise()
    }
}

/// The elements in row-major order, whatever the array's strides.
#[track_caller]
fn copied<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Tensor {
    let fill = |out: &mut [T]| out.iter_mut().zip(array.iter()).for_each(|(out, &value)| *out = value);
    Tensor::from_array(Array::build(array.shape().into(), fill).or_raise())
}

impl<T: Element, D: Dimension, S: Data<Elem = T>> From<&::ndarray::ArrayBase<S, D>> for Tensor {
    #[track_caller]
    fn from(array: &::ndarray::ArrayBase<S, D>) -> Tensor {
        copied(array)
    }
}

impl<T: Element, D: Dimension> From<::ndarray::ArrayBase<OwnedRepr<T>, D>> for Tensor {
    #[track_caller]
    fn from(array: ::ndarray::ArrayBase<OwnedRepr<T>, D>) -> Tensor {
        copied(&array)
    }
}

impl<T: Element, D: Dimension> From<::ndarray::ArrayView<'_, T, D>> for Tensor {
    #[track_caller]
    fn from(array: ::ndarray::ArrayView<'_, T, D>) -> Tensor {
        copied(&array)
    }
}
