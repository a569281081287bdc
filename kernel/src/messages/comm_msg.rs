//! `comm_msg`: a message on a comm. None is open, so its client is told that this one is closed.

use serde::Deserialize;

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The message.
#[derive(Deserialize)]
pub(crate) struct Request {
    comm_id: String,
}

impl Message for Request {
    const TYPE: &'static str = "comm_msg";
    const LANE: Lane = Lane::AtOnce;
    type Reply = ();

    async fn handle(self, context: Context) -> Result<(), Failure> {
        context.outputs.comm_close(self.comm_id).await;
        Ok(())
    }
}
