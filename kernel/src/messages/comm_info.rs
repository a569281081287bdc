//! `comm_info_request`: the open comms. The kernel has no comm targets, so none ever is.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {}

/// The open comms by id.
#[derive(Serialize)]
pub(crate) struct Reply {
    comms: Map<String, Value>,
}

impl Message for Request {
    const TYPE: &'static str = "comm_info_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, _: Context) -> Result<Reply, Failure> {
        Ok(Reply { comms: Map::new() })
    }
}
