//! What crosses crates.

/// Any bytes from outside, and any text of a cell.
mod bytes;

/// Learning end to end.
mod digits;

/// The rules of the house: length, names, layers, licences.
mod house;

/// The table of ops: values, gradients, eager against staged.
mod ops;

/// Optimizers against optax.
mod optim;

/// The paper's model of computation, case by case.
mod paper;

/// The specification of the notebook, as documents.
mod cells;

/// Random programs: eager against staged.
mod programs;

/// A session on the installed tree that `FOOTLIGHT_HOME` names; `tests/run.sh` makes one.
fn session() -> footlight_kernel::session::Session {
    footlight_kernel::session::Session::new(footlight_kernel::session::engine::RustEngine::start())
}
