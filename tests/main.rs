//! What crosses crates.

/// The rules of the house: length, names, layers, licences.
mod house;

/// The table of ops: values, gradients, eager against staged.
mod ops;

/// The paper's model of computation, case by case.
mod paper;
