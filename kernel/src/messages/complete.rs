//! `complete_request`: the words that may stand at the cursor. None are known yet.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Context, Lane, Message};
use crate::session::Failure;

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {
    cursor_pos: usize,
}

/// The words, and the range of the text that they replace, in Unicode characters.
#[derive(Serialize)]
pub(crate) struct Reply {
    matches: Vec<String>,
    cursor_start: usize,
    cursor_end: usize,
    metadata: Map<String, Value>,
}

impl Message for Request {
    const TYPE: &'static str = "complete_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, _: Context) -> Result<Reply, Failure> {
        Ok(Reply { matches: Vec::new(), cursor_start: self.cursor_pos, cursor_end: self.cursor_pos, metadata: Map::new() })
    }
}
