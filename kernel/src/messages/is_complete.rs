//! `is_complete_request`: whether a console should run a text or ask for more lines.

use serde::{Deserialize, Serialize};

use super::{Context, Lane, Message};
use crate::session::{Completeness, Failure};

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {
    code: String,
}

/// The verdict. Its `status` is not a success or a failure, but the verdict itself.
#[derive(Serialize)]
pub(crate) struct Reply {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    indent: Option<String>,
}

impl Message for Request {
    const TYPE: &'static str = "is_complete_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, context: Context) -> Result<Reply, Failure> {
        let (status, indent) = match context.kernel.session.is_complete(&self.code) {
            Completeness::Complete => ("complete", None),
            Completeness::Incomplete { indent } => ("incomplete", Some(indent)),
            Completeness::Invalid => ("invalid", None),
        };
        Ok(Reply { status, indent })
    }
}
