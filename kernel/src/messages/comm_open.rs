//! `comm_open`: a client opens a comm. No target is known, so it is closed at once, as the protocol asks.

use serde::Deserialize;

use super::{Context, Lane, Message};
use crate::journal;
use crate::session::Failure;

/// The message.
#[derive(Deserialize)]
pub(crate) struct Request {
    comm_id: String,
    #[serde(default)]
    target_name: String,
}

impl Message for Request {
    const TYPE: &'static str = "comm_open";
    const LANE: Lane = Lane::AtOnce;
    type Reply = ();

    async fn handle(self, context: Context) -> Result<(), Failure> {
        journal::note(format_args!("closed a comm: there is no target {:?}", self.target_name));
        context.outputs.comm_close(self.comm_id).await;
        Ok(())
    }
}
