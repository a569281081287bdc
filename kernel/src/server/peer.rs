//! One iopub client: a queue, and an `XPubSocket` of its own.
//!
//! zeromq's `XPubSocket` writes to its clients in turn and waits for each, so one client that is stopped (a console under Ctrl-Z) would
//! hold up all the others, and no call lets go of a single client. So the kernel accepts the connections itself, and joins each by a loopback
//! connection to a socket that serves it alone. Dropping the peer closes both.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::copy_bidirectional_with_sizes;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use zeromq::{Socket, SocketRecv, SocketSend, XPubSocket, ZmqMessage};

use super::backlog::{Backlog, Connection, Watched};
use crate::journal;

/// What waits for a peer.
enum Item {
    Message(Vec<Bytes>),
    /// Dropped when everything before it has gone out.
    Mark(#[expect(dead_code, reason = "held for its drop")] mpsc::Sender<()>),
}

/// Makes the welcome for a subscription to `topic`.
pub(crate) type Welcome = Arc<dyn Fn(&[u8]) -> Vec<Bytes> + Send + Sync>;

/// One iopub client.
pub(crate) struct Peer {
    queue: mpsc::UnboundedSender<Item>,
    backlog: Arc<Backlog>,
    task: AbortHandle,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// Serves `client` until it closes or the peer is dropped.
    pub(crate) fn start(client: Box<dyn Connection>, welcome: Welcome) -> Self {
        let (queue, queued) = mpsc::unbounded_channel();
        let backlog = Arc::new(Backlog::new());
        let served = backlog.clone();
        let client = Watched::new(client, backlog.clone());
        let task = tokio::spawn(async move {
            if let Err(error) = serve(client, queued, &served, &welcome).await {
                journal::note(format_args!("an iopub client went: {error}"));
            }
        });
        Peer { queue, backlog, task: task.abort_handle() }
    }

    /// Queues a message; `false` once the peer is gone.
    pub(crate) fn send(&self, frames: &[Bytes]) -> bool {
        self.backlog.add(size(frames));
        self.queue.send(Item::Message(frames.to_vec())).is_ok()
    }

    /// Drops `mark` once everything queued so far has gone out.
    pub(crate) fn mark(&self, mark: mpsc::Sender<()>) {
        // A peer that is gone has nothing to wait for.
        let _ = self.queue.send(Item::Mark(mark));
    }

    /// What waits for this peer.
    pub(crate) fn backlog(&self) -> &Arc<Backlog> {
        &self.backlog
    }
}

async fn serve(
    mut client: Watched,
    queued: mpsc::UnboundedReceiver<Item>,
    backlog: &Backlog,
    welcome: &Welcome,
) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let inner = format!("tcp://{}", listener.local_addr()?);
    let carry = async {
        let (mut socket_side, _) = listener.accept().await?;
        drop(listener);
        socket_side.set_nodelay(true)?;
        copy_bidirectional_with_sizes(&mut client, &mut socket_side, 4 << 10, 64 << 10).await
    };
    let publish = async {
        let mut socket = XPubSocket::new();
        socket.connect(&inner).await.map_err(io::Error::other)?;
        pump(socket, queued, backlog, welcome).await
    };
    tokio::select! {
        // A client that closes is the ordinary end, whether or not it did so politely.
        _ = carry => Ok(()),
        ended = publish => ended,
    }
}

/// Sends what is queued, and welcomes subscriptions.
async fn pump(
    mut socket: XPubSocket,
    mut queued: mpsc::UnboundedReceiver<Item>,
    backlog: &Backlog,
    welcome: &Welcome,
) -> io::Result<()> {
    loop {
        tokio::select! {
            // Subscriptions first: what was queued before one would be filtered out.
            biased;
            received = socket.recv() => {
                let frames = received.map_err(io::Error::other)?.into_vec();
                if let Some((1, topic)) = frames.first().and_then(|frame| frame.split_first()).map(|(kind, topic)| (*kind, topic)) {
                    send(&mut socket, welcome(topic)).await?;
                }
            }
            item = queued.recv() => match item {
                Some(Item::Message(frames)) => {
                    let bytes = size(&frames);
                    send(&mut socket, frames).await?;
                    backlog.remove(bytes);
                }
                Some(Item::Mark(_)) => {}
                None => return Ok(()),
            },
        }
    }
}

async fn send(socket: &mut XPubSocket, frames: Vec<Bytes>) -> io::Result<()> {
    match ZmqMessage::try_from(frames) {
        Ok(message) => socket.send(message).await.map_err(io::Error::other),
        // Only a message of no frames is refused, and every message has a topic.
        Err(_) => Ok(()),
    }
}

fn size(frames: &[Bytes]) -> usize {
    frames.iter().map(Bytes::len).sum()
}
