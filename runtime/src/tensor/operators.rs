//! `+ - * / %` and unary `-`, on values and references, with numbers on either side.
//!
//! A number takes the tensor's dtype (a float with an integer tensor makes f32), so that `x * 2.0` stays what `x` was. Numbers are f64 and
//! i64 only: with more types rustc could not tell which one the literal in `(x * 2.0).exp()` is. References to references are there so that
//! `&x * 2.0` can be moved into a function or closure whose `x` is a reference.

use crate::tensor::Tensor;
use crate::variable::{Operand, Variable};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => {$(
        pairs!($trait $method: (Tensor, Tensor) (Tensor, &Tensor) (&Tensor, Tensor) (&Tensor, &Tensor)
            (&&Tensor, Tensor) (&&Tensor, &Tensor) (&&Tensor, &&Tensor) (Tensor, &&Tensor) (&Tensor, &&Tensor));
        variables!($trait $method: (Variable, Tensor) (Variable, &Tensor) (&Variable, Tensor) (&Variable, &Tensor)
            (Tensor, Variable) (Tensor, &Variable) (&Tensor, Variable) (&Tensor, &Variable)
            (&Variable, &&Tensor) (&&Tensor, &Variable)
            (Variable, Variable) (Variable, &Variable) (&Variable, Variable) (&Variable, &Variable));
        numbers!($trait $method: f64 i64);
    )*};
}

macro_rules! pairs {
    ($trait:ident $method:ident: $(($left:ty, $right:ty))*) => {$(
        impl $trait<$right> for $left {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, right: $right) -> Tensor {
                Tensor::$method(&self, &right)
            }
        }
    )*};
}

macro_rules! variables {
    ($trait:ident $method:ident: $(($left:ty, $right:ty))*) => {$(
        impl $trait<$right> for $left {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, right: $right) -> Tensor {
                Tensor::$method(&self.value(), &right.value())
            }
        }
    )*};
}

macro_rules! numbers {
    ($trait:ident $method:ident: $($number:ty)*) => {$(
        numbers!(@one $trait $method $number: Tensor, &Tensor, &&Tensor, Variable, &Variable);
    )*};
    (@one $trait:ident $method:ident $number:ty: $($tensor:ty),*) => {$(
        impl $trait<$number> for $tensor {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, right: $number) -> Tensor {
                Tensor::$method(&self.value(), right)
            }
        }

        impl $trait<$tensor> for $number {
            type Output = Tensor;
            #[track_caller]
            fn $method(self, right: $tensor) -> Tensor {
                let right = right.value();
                Tensor::$method(&self.beside(&right), &right)
            }
        }
    )*};
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    Rem rem;
}

macro_rules! negations {
    ($($type:ty),*) => {$(
        impl Neg for $type {
            type Output = Tensor;
            #[track_caller]
            fn neg(self) -> Tensor {
                Tensor::neg(&self.value())
            }
        }
    )*};
}

negations!(Tensor, &Tensor, &&Tensor, Variable, &Variable);

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    #[test]
    fn a_number_takes_the_tensors_dtype_and_keeps_its_digits() {
        let large = (1i64 << 53) + 1;
        assert_eq!((tensor![1] * large).to_vec::<i64>(), [large]);
        assert_eq!((large - tensor![1]).to_vec::<i64>(), [large - 1]);
        assert_eq!((tensor![1.0] + 2).dtype(), DType::F32);
        assert_eq!((tensor![1.0].cast(DType::F64) * 2.0).dtype(), DType::F64);
        assert_eq!((tensor![1] * 2.5).to_vec::<f32>(), [2.5]);
        assert_eq!((tensor![true] + 1).to_vec::<i64>(), [2]);
        assert_eq!((1 - &tensor![true, false]).to_vec::<i64>(), [0, 1]);
    }
}
