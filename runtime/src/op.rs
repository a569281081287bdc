//! What an op is: one struct with all its rules side by side, and the record that tables are made of.
//!
//! The tape, the tracer, the executor and the profile know ops only through [`Op`]; adding one touches
//! its own file and one word in [`crate::ops`].

pub(crate) mod binary;
pub(crate) mod compare;
pub(crate) mod extreme;
pub(crate) mod reduction;
pub(crate) mod unary;

use crate::dtype::DType;
use crate::error::Result;
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::fmt;

/// What is known of a tensor before its value: dtype and shape.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Spec {
    /// Its element type.
    pub dtype: DType,
    /// Its shape.
    pub shape: Shape,
}

impl Spec {
    /// A spec of `dtype` and `shape`.
    #[must_use]
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Self {
        Self { dtype, shape: shape.into() }
    }

    /// Bytes of such a tensor.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.dtype.size() * self.shape.elements()
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Specs of an op's results; most ops have one.
pub type Specs = SmallVec<[Spec; 1]>;
/// Values of an op's results.
pub type Arrays = SmallVec<[Array; 1]>;
/// Gradients for an op's inputs, one each; `None` where none flows.
pub type Gradients = SmallVec<[Option<Tensor>; 2]>;

/// One result as the list that rules return.
#[must_use]
pub fn one<T>(value: T) -> SmallVec<[T; 1]> {
    SmallVec::from_buf([value])
}

/// What an op's gradient rule sees: the forward pass, and the gradient of each result.
#[derive(Debug)]
pub struct Backward<'a> {
    /// The op's inputs.
    pub inputs: &'a [Tensor],
    /// The op's results.
    pub outputs: &'a [Tensor],
    /// The gradient of the target with respect to each result, of the result's spec; `None` if none flows.
    pub gradients: &'a [Option<Tensor>],
}

impl Backward<'_> {
    /// The gradient of the first result: ops with one result are only asked when it flows.
    ///
    /// # Panics
    /// If none flows, which the tape rules out.
    #[must_use]
    pub fn gradient(&self) -> &Tensor {
        self.gradients[0].as_ref().expect("the tape asks an op only when a gradient of a result flows")
    }
}

/// The rules of an op. Attributes (axes, shapes) are fields of the struct that implements it.
///
/// Two ops with the same `Debug` text compute the same function: common subexpressions and trace
/// signatures rely on it, so derive `Debug` and keep every attribute in a field.
pub trait Op: fmt::Debug + Send + Sync + 'static {
    /// Its entry in the table: name, docs, samples.
    fn info(&self) -> &'static OpInfo;

    /// The specs of the results, from those of the inputs.
    ///
    /// # Errors
    /// Typed, naming what was given and what was expected.
    fn infer(&self, inputs: &[&Spec]) -> Result<Specs>;

    /// Computes the results on the CPU. `outputs` are the specs that `infer` gave.
    ///
    /// An input whose storage nobody else sees ([`Array::as_unique_slice`]) may be given back as a result.
    ///
    /// # Errors
    /// Values that the op cannot compute with, or memory.
    fn cpu(&self, inputs: &mut [Array], outputs: &[Spec]) -> Result<Arrays>;

    /// Gradients for the inputs, written with ops so that they nest and stage. No gradient by default.
    fn grad(&self, backward: &Backward<'_>) -> Gradients {
        backward.inputs.iter().map(|_| None).collect()
    }

    /// Floating-point operations of one call, for the profile; by default one for each result element.
    fn flops(&self, _inputs: &[&Spec], outputs: &[Spec]) -> u64 {
        outputs.iter().map(|spec| spec.shape.elements() as u64).sum()
    }

    /// Whether results only look at an input's storage, so that the call moves no bytes.
    fn is_view(&self) -> bool {
        false
    }
}

/// Sample inputs of an op, which every table-driven test runs: eager against staged, gradient against
/// finite differences, value against NumPy.
pub struct Sample {
    /// A short name, unique in its op.
    pub name: &'static str,
    /// Makes the inputs.
    pub inputs: fn() -> Vec<Tensor>,
    /// Applies the op through its public method.
    pub apply: fn(&[Tensor]) -> Tensor,
    /// The same in NumPy, with inputs `a`, `b`, `c` and numpy as `np`; the golden files are made from it.
    pub numpy: &'static str,
}

/// An op's entry in the table.
pub struct OpInfo {
    /// Its name, NumPy's where NumPy has it.
    pub name: &'static str,
    /// What it computes, from its docstring; feeds help and the list of ops.
    pub doc: &'static str,
    /// Whether its gradient is tested against finite differences.
    pub differentiable: bool,
    /// Inputs to test it with.
    pub samples: &'static [Sample],
}

impl fmt::Debug for OpInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
