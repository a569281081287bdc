//! The one owner of iopub: every output of every request goes through this task, in order.
//!
//! `Outputs` → queue → [`run`] → (text: the [`Joiner`]) → frames, made once → each [`Peer`]'s own queue → its socket.
//! A peer that takes nothing for [`PATIENCE`] while something waits for it is let go, so that it holds up nobody and fills no memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::ServerError;
use super::backlog::Connection;
use super::peer::{Peer, Welcome};
use super::stream::{Joined, Joiner};
use crate::journal;
use crate::outputs::{Output, Publication};
use crate::wire::{Parent, Wire};

/// The bytes that may wait for one client before the kernel waits for it.
const BACKLOG: usize = 32 << 20;

/// How long a client may take nothing while something waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a client must have taken nothing before replies no longer wait for what it was sent.
const LATE: Duration = Duration::from_millis(500);

/// Where clients connect.
pub(crate) enum Listener {
    Tcp(TcpListener),
    Ipc(UnixListener, PathBuf),
}

impl Listener {
    /// Binds `tcp://ADDRESS:PORT` or `ipc://PATH`.
    pub(crate) async fn bind(url: &str) -> Result<Self, ServerError> {
        let failed = |error: std::io::Error| ServerError::Bind { socket: "iopub", url: url.to_owned(), error: error.to_string() };
        super::forget(url);
        if let Some(path) = url.strip_prefix("ipc://") {
            return Ok(Listener::Ipc(UnixListener::bind(path).map_err(failed)?, Path::new(path).to_owned()));
        }
        let address = url.trim_start_matches("tcp://").replace('*', "0.0.0.0");
        Ok(Listener::Tcp(TcpListener::bind(address).await.map_err(failed)?))
    }

    async fn accept(&self) -> std::io::Result<Box<dyn Connection>> {
        match self {
            Listener::Tcp(listener) => {
                let (client, _) = listener.accept().await?;
                client.set_nodelay(true)?;
                Ok(Box::new(client))
            }
            Listener::Ipc(listener, _) => Ok(Box::new(listener.accept().await?.0)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Ipc(_, path) = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Publishes until every `Outputs` and `Exits` is gone.
pub(crate) async fn run(listener: Listener, wire: Arc<Wire>, mut queue: mpsc::UnboundedReceiver<Publication>) {
    let greeter = wire.clone();
    let welcome: Welcome = Arc::new(move |topic| {
        let content = json!({ "subscription": String::from_utf8_lossy(topic) });
        // Sent under the very topic, so that exactly this subscription gets it.
        greeter.write(&[Bytes::copy_from_slice(topic)], "iopub_welcome", &Parent::default(), &content).1
    });
    let mut publisher = Publisher { wire, peers: Vec::new(), joiner: Joiner::new(Instant::now()) };
    loop {
        let due = publisher.joiner.due();
        tokio::select! {
            biased;
            accepted = listener.accept() => match accepted {
                Ok(client) => publisher.peers.push(Peer::start(client, welcome.clone())),
                Err(error) => {
                    journal::note(format_args!("iopub can't accept a client: {error}"));
                    // Out of file descriptors, say: asking again at once would spin.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            publication = queue.recv() => match publication {
                Some(publication) => publisher.take(publication).await,
                None => break,
            },
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now).into()), if due.is_some() => {
                if let Some(text) = publisher.joiner.pop(Instant::now()) {
                    publisher.send_text(text).await;
                }
            }
        }
    }
    for text in publisher.joiner.pop_rest(Instant::now()) {
        publisher.send_text(text).await;
    }
}

struct Publisher {
    wire: Arc<Wire>,
    peers: Vec<Peer>,
    joiner: Joiner,
}

impl Publisher {
    async fn take(&mut self, publication: Publication) {
        match publication {
            Publication::Output { parent, output: Output::Stream { name, text }, room } => {
                self.joiner.push(parent, name, &text, room);
            }
            Publication::Output { parent, output, .. } => {
                for text in self.joiner.pop_all(parent.header().msg_id(), Instant::now()) {
                    self.send_text(text).await;
                }
                if output == Output::Status("idle") {
                    self.joiner.idle();
                }
                self.send(&parent, output).await;
            }
            Publication::Flush(mark) => {
                for text in self.joiner.pop_rest(Instant::now()) {
                    self.send_text(text).await;
                }
                let in_time = self.peers.iter().filter(|peer| peer.backlog().stalled() < LATE);
                in_time.for_each(|peer| peer.mark(mark.clone()));
            }
        }
    }

    async fn send_text(&mut self, Joined { parent, name, text }: Joined) {
        self.send(&parent, Output::Stream { name, text }).await;
    }

    async fn send(&mut self, parent: &Parent, output: Output) {
        let msg_type = output.msg_type();
        let topic = Bytes::from_static(msg_type.as_bytes());
        let (_, frames) = self.wire.write(&[topic], msg_type, parent, &output.into_content());
        self.peers.retain(|peer| peer.send(&frames));
        let mut index = 0;
        while let Some(peer) = self.peers.get(index) {
            if drains(peer).await {
                index += 1;
            } else {
                journal::note("let go of an iopub client that takes no output; it can connect again");
                self.peers.swap_remove(index);
            }
        }
    }
}

/// Waits until the peer's backlog is below the limit; `false` if it has stalled.
async fn drains(peer: &Peer) -> bool {
    let backlog = peer.backlog();
    loop {
        let left = PATIENCE.saturating_sub(backlog.stalled());
        if left.is_zero() || backlog.bytes() <= BACKLOG {
            return !left.is_zero();
        }
        // Whether it moved or not, the next turn sees.
        let _ = timeout(left, backlog.moved()).await;
    }
}
