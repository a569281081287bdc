//! `inspect_request`: what is known of the name at the cursor. Nothing is yet.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {}

/// What was found.
#[derive(Serialize)]
pub(crate) struct Reply {
    found: bool,
    data: Map<String, Value>,
    metadata: Map<String, Value>,
}

impl Message for Request {
    const TYPE: &'static str = "inspect_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, _: Context) -> Result<Reply, Failure> {
        Ok(Reply { found: false, data: Map::new(), metadata: Map::new() })
    }
}
