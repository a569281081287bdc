//! The Jupyter side of Footlight.
//!
//! The way of a cell: `server` takes a message off a socket and checks it (`wire`), `messages` finds its handler in the table, the
//! handler calls the [`session::Session`]. Its engine reads the magics, makes a crate's text of the cell (`cell`), has it compiled
//! (`rustc`) and run (`worker`), and notes what the notebook now holds (`notebook`). What the user sees leaves through
//! [`outputs::Outputs`].
//!
//! Must not know: tensors, libfootlight's types.

pub mod cell;
pub mod connection;
pub mod doctor;
mod hints;
pub mod home;
pub mod install;
pub mod journal;
mod magics;
mod messages;
pub mod notebook;
pub mod outputs;
pub mod rustc;
pub mod server;
pub mod session;
pub mod wire;
pub mod worker;
