//! `shutdown_request`: ends the worker and then the kernel. On a restart, Jupyter starts it again.

use serde::{Deserialize, Serialize};

use super::{Context, Lane, Message, or_default};
use crate::session::Failure;

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {
    #[serde(default, deserialize_with = "or_default")]
    restart: bool,
}

/// The reply, which is published on iopub too, for the other clients.
#[derive(Serialize)]
pub(crate) struct Reply {
    restart: bool,
}

impl Message for Request {
    const TYPE: &'static str = "shutdown_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, context: Context) -> Result<Reply, Failure> {
        context.kernel.shutdown(self.restart).await;
        context.outputs.shutdown_reply(self.restart);
        // The server lingers until the reply is out.
        context.kernel.stop.send_replace(true);
        Ok(Reply { restart: self.restart })
    }
}
