//! What crosses crates.

/// The rules of the house: length, names, layers, licences.
mod house;
