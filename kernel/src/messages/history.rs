//! `history_request`: cells of this session and earlier ones.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Context, Lane, Message, failure, or_default};
use crate::notebook::history::{Query, Record};
use crate::session::Failure;

/// The request. Which fields matter depends on `hist_access_type`.
#[derive(Deserialize)]
pub(crate) struct Request {
    hist_access_type: String,
    #[serde(default, deserialize_with = "or_default")]
    output: bool,
    #[serde(default, deserialize_with = "or_default")]
    session: i64,
    #[serde(default, deserialize_with = "or_default")]
    start: i64,
    stop: Option<i64>,
    n: Option<usize>,
    pattern: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    unique: bool,
}

/// The cells, oldest first: `[session, line, input]`, or `[session, line, [input, output]]`.
#[derive(Serialize)]
pub(crate) struct Reply {
    history: Vec<Value>,
}

impl Message for Request {
    const TYPE: &'static str = "history_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, context: Context) -> Result<Reply, Failure> {
        let query = match self.hist_access_type.as_str() {
            "range" => Query::Range { session: self.session, start: self.start, stop: self.stop },
            "tail" => Query::Tail { n: self.n },
            "search" => Query::Search { pattern: self.pattern.unwrap_or_else(|| "*".to_owned()), n: self.n, unique: self.unique },
            other => {
                let evalue = format!("hist_access_type is {other:?}; it must be \"range\", \"tail\" or \"search\"");
                return Err(failure("MalformedMessage", evalue));
            }
        };
        let output = self.output;
        let row = |record: Record| match output {
            true => json!([record.session, record.line, [record.input, record.output]]),
            false => json!([record.session, record.line, record.input]),
        };
        // It may read a long file.
        let found = tokio::task::spawn_blocking(move || context.kernel.history.find(&query)).await;
        let found = found.map_err(|error| failure("KernelBug", format!("the history can't be read: {error}")))?;
        Ok(Reply { history: found.into_iter().map(row).collect() })
    }
}
