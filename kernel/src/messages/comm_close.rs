//! `comm_close`: a client closes a comm. None is open, so there is nothing to do.

use serde::Deserialize;

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The message.
#[derive(Deserialize)]
pub(crate) struct Request {}

impl Message for Request {
    const TYPE: &'static str = "comm_close";
    const LANE: Lane = Lane::AtOnce;
    type Reply = ();

    async fn handle(self, _: Context) -> Result<(), Failure> {
        Ok(())
    }
}
