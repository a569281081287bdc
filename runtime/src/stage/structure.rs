//! What a staged function may return: tensors, and tuples, vectors and options of them, with plain values among them.

use crate::tensor::Tensor;

/// A value made of tensors and plain values. A trace keeps one as a template and fills new tensors into it on each call.
pub trait Structure {
    /// Adds its tensors, in order.
    fn flatten(&self, tensors: &mut Vec<Tensor>);
    /// The same value with the next tensors of `tensors` in the place of its own.
    #[must_use]
    fn rebuild(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Self;
}

impl Structure for Tensor {
    fn flatten(&self, tensors: &mut Vec<Tensor>) {
        tensors.push(self.clone());
    }

    fn rebuild(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Self {
        tensors.next().expect("a call computes as many tensors as the template has")
    }
}

impl<T: Structure> Structure for Vec<T> {
    fn flatten(&self, tensors: &mut Vec<Tensor>) {
        self.iter().for_each(|item| item.flatten(tensors));
    }

    fn rebuild(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Self {
        self.iter().map(|item| item.rebuild(tensors)).collect()
    }
}

impl<T: Structure> Structure for Option<T> {
    fn flatten(&self, tensors: &mut Vec<Tensor>) {
        self.iter().for_each(|item| item.flatten(tensors));
    }

    fn rebuild(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Self {
        self.as_ref().map(|item| item.rebuild(tensors))
    }
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Structure for $type {
            fn flatten(&self, _tensors: &mut Vec<Tensor>) {}

            fn rebuild(&self, _tensors: &mut dyn Iterator<Item = Tensor>) -> Self {
                self.clone()
            }
        }
    )*};
}

plain!(bool i32 i64 usize f32 f64 String);

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        impl<$($name: Structure),*> Structure for ($($name,)*) {
            #[allow(unused_variables, reason = "the empty tuple has nothing to add")]
            fn flatten(&self, tensors: &mut Vec<Tensor>) {
                $(self.$index.flatten(tensors);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has nothing to fill in")]
            fn rebuild(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Self {
                ($(self.$index.rebuild(tensors),)*)
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
