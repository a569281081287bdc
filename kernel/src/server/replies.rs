//! The way back on a ROUTER socket: replies on shell and control, questions on stdin.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use zeromq::{RouterSendHalf, SocketSend, ZmqMessage};

use crate::journal;
use crate::wire::{Parent, Wire};

/// A reply on its way.
#[derive(Debug)]
pub(crate) struct Reply {
    parent: Parent,
    msg_type: String,
    content: Value,
}

/// Sends to the clients of one socket, from any thread. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Replies {
    queue: mpsc::UnboundedSender<Reply>,
}

impl Replies {
    /// The sender, and what [`run`] reads.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Reply>) {
        let (queue, queued) = mpsc::unbounded_channel();
        (Replies { queue }, queued)
    }

    /// Sends to the sender of `parent`.
    pub(crate) fn send(&self, parent: &Parent, msg_type: String, content: Value) {
        // The task is gone only while the kernel stops.
        let _ = self.queue.send(Reply { parent: parent.clone(), msg_type, content });
    }
}

/// Sends what is queued, on the sockets' thread.
pub(crate) async fn run(mut socket: RouterSendHalf, wire: Arc<Wire>, mut queue: mpsc::UnboundedReceiver<Reply>) {
    while let Some(Reply { parent, msg_type, content }) = queue.recv().await {
        send(&mut socket, &wire, &parent, &msg_type, &content).await;
    }
}

/// Sends to the sender of `parent`. Returns the message's id, or none if that client is gone.
pub(crate) async fn send(
    socket: &mut RouterSendHalf,
    wire: &Wire,
    parent: &Parent,
    msg_type: &str,
    content: &Value,
) -> Option<String> {
    let (id, frames) = wire.write(parent.identities(), msg_type, parent, content);
    let message = ZmqMessage::try_from(frames).ok()?;
    match socket.send(message).await {
        Ok(()) => Some(id),
        Err(error) => {
            journal::note(format_args!("{msg_type} not sent: {error}"));
            None
        }
    }
}
