//! What gradients are taken with respect to: tensors and variables, one or several, and the form in which the gradients come back.

use super::GradientTape;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Something that a gradient can be taken with respect to: a watched tensor, or a variable.
pub trait Source {
    /// The ids under which the tape knows it; `None` if the tape does not watch it.
    #[doc(hidden)]
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>>;
    /// Has the tape watch it. Variables are watched anyway.
    // Without #[track_caller] in its impls: cells make sources trait objects, and would need a shim that no dylib exports.
    #[doc(hidden)]
    fn watch(&self, tape: &GradientTape);
    /// A tensor of zeros of its spec.
    #[doc(hidden)]
    fn zeros(&self) -> Tensor;
}

impl Source for Tensor {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        tape.tracks(self).then(|| vec![self.id()])
    }

    fn watch(&self, tape: &GradientTape) {
        tape.watch(self);
    }

    fn zeros(&self) -> Tensor {
        crate::tensor::create::zeros_of(self.spec())
    }
}

impl Source for Variable {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        Some(tape.reads_of(self))
    }

    fn watch(&self, _tape: &GradientTape) {}

    fn zeros(&self) -> Tensor {
        crate::tensor::create::zeros_of(self.spec())
    }
}

impl<S: Source + ?Sized> Source for &S {
    fn ids(&self, tape: &GradientTape) -> Option<Vec<u64>> {
        (**self).ids(tape)
    }

    fn watch(&self, tape: &GradientTape) {
        (**self).watch(tape);
    }

    fn zeros(&self) -> Tensor {
        (**self).zeros()
    }
}

/// One source or several; the gradients come back in the same form.
///
/// | sources | gradients |
/// | --- | --- |
/// | `&x`, a tensor or a variable | `Tensor` |
/// | `(&x, &w)`, also of different kinds | `(Tensor, Tensor)`, up to four |
/// | `[&w, &b]` | `[Tensor; 2]` |
/// | `&[&w, &b]`, `&variables` | `Vec<Tensor>` |
pub trait Sources {
    /// The form of the gradients.
    type Gradients;
    /// The sources in order.
    #[doc(hidden)]
    fn list(&self) -> Vec<&dyn Source>;
    /// Puts as many gradients as there are sources into their form.
    #[doc(hidden)]
    fn form(gradients: Vec<Tensor>) -> Self::Gradients;
}

/// The only one of a list of one.
fn only(gradients: Vec<Tensor>) -> Tensor {
    gradients.into_iter().next().expect("a tape gives a gradient for each source")
}

impl Sources for &Tensor {
    type Gradients = Tensor;

    fn list(&self) -> Vec<&dyn Source> {
        vec![*self]
    }

    fn form(gradients: Vec<Tensor>) -> Tensor {
        only(gradients)
    }
}

impl Sources for &Variable {
    type Gradients = Tensor;

    fn list(&self) -> Vec<&dyn Source> {
        vec![*self]
    }

    fn form(gradients: Vec<Tensor>) -> Tensor {
        only(gradients)
    }
}

impl<S: Source> Sources for &[S] {
    type Gradients = Vec<Tensor>;

    fn list(&self) -> Vec<&dyn Source> {
        self.iter().map(|source| source as &dyn Source).collect()
    }

    fn form(gradients: Vec<Tensor>) -> Vec<Tensor> {
        gradients
    }
}

impl<S: Source> Sources for &Vec<S> {
    type Gradients = Vec<Tensor>;

    fn list(&self) -> Vec<&dyn Source> {
        self.iter().map(|source| source as &dyn Source).collect()
    }

    fn form(gradients: Vec<Tensor>) -> Vec<Tensor> {
        gradients
    }
}

impl<S: Source, const N: usize> Sources for &[S; N] {
    type Gradients = Vec<Tensor>;

    fn list(&self) -> Vec<&dyn Source> {
        self.iter().map(|source| source as &dyn Source).collect()
    }

    fn form(gradients: Vec<Tensor>) -> Vec<Tensor> {
        gradients
    }
}

impl<S: Source, const N: usize> Sources for [S; N] {
    type Gradients = [Tensor; N];

    fn list(&self) -> Vec<&dyn Source> {
        self.iter().map(|source| source as &dyn Source).collect()
    }

    fn form(gradients: Vec<Tensor>) -> [Tensor; N] {
        gradients.try_into().expect("a tape gives a gradient for each source")
    }
}

/// The form of one place of a tuple.
type One<S> = <fn(S) -> Tensor as Output>::Output;

/// Names a function's result, so that a tuple of sources has as many gradients.
pub trait Output {
    /// The result.
    type Output;
}

impl<S> Output for fn(S) -> Tensor {
    type Output = Tensor;
}

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        impl<$($name: Source),*> Sources for ($($name,)*) {
            type Gradients = ($(One<$name>,)*);

            fn list(&self) -> Vec<&dyn Source> {
                vec![$(&self.$index as &dyn Source),*]
            }

            fn form(gradients: Vec<Tensor>) -> Self::Gradients {
                let mut gradients = gradients.into_iter();
                ($({
                    let _ = $index;
                    gradients.next().expect("a tape gives a gradient for each source")
                },)*)
            }
        }
    };
}

tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
