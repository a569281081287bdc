//! The Jupyter side of Footlight.
//!
//! The way of a cell: `server` takes a message off a socket and checks it (`wire`), `messages` finds its handler in the table, the
//! handler calls the [`session::Session`], and what comes of it leaves through [`outputs::Outputs`].
//!
//! Must not know: tensors, libfootlight's types.

pub mod connection;
pub mod doctor;
pub mod home;
pub mod install;
pub mod journal;
mod messages;
pub mod notebook;
pub mod outputs;
pub mod server;
pub mod session;
pub mod wire;
pub mod worker;
