//! The way back on a ROUTER socket: replies on shell and control, questions on stdin.

use std::sync::Arc;

use serde_json::Value;
use zeromq::{RouterSendHalf, SocketSend, ZmqMessage};

use crate::journal;
use crate::wire::{Parent, Wire};

/// Sends to the clients of one socket. Clones share it.
#[derive(Clone)]
pub(crate) struct Replies {
    wire: Arc<Wire>,
    half: RouterSendHalf,
}

impl std::fmt::Debug for Replies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replies").finish_non_exhaustive()
    }
}

impl Replies {
    pub(crate) fn new(wire: Arc<Wire>, half: RouterSendHalf) -> Self {
        Replies { wire, half }
    }

    /// Sends to the sender of `parent`. Returns the message's id, or none if that client is gone.
    pub(crate) async fn send(&self, parent: &Parent, msg_type: &str, content: &Value) -> Option<String> {
        let (id, frames) = self.wire.write(parent.identities(), msg_type, parent, content);
        let message = ZmqMessage::try_from(frames).ok()?;
        match self.half.clone().send(message).await {
            Ok(()) => Some(id),
            Err(error) => {
                journal::note(format_args!("{msg_type} not sent: {error}"));
                None
            }
        }
    }
}
