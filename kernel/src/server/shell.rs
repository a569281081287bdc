//! Requests: received on shell and control, handled at once or in their turn.
//!
//! Both sockets have a task that runs [`receive`] and always reads. A request in the lane `AtOnce` gets a task; one in the lane `Queued` goes
//! to [`work`], which handles one at a time: cells. So everything else is answered while a cell compiles or runs.

use std::sync::Arc;

use tokio::sync::mpsc;
use zeromq::{RouterRecvHalf, SocketRecv};

use super::replies::Replies;
use crate::journal;
use crate::messages::{self, Entry, Kernel, Lane, Received};
use crate::wire::Wire;

/// Takes requests off a socket until it closes.
pub(crate) async fn receive(
    mut socket: RouterRecvHalf,
    wire: Arc<Wire>,
    replies: Replies,
    kernel: Arc<Kernel>,
    queue: mpsc::UnboundedSender<Received>,
) {
    while let Ok(message) = socket.recv().await {
        let envelope = match wire.read(message.into_vec()) {
            Ok(envelope) => envelope,
            Err(error) => {
                journal::note(format_args!("dropped a message: {error}"));
                continue;
            }
        };
        let lane = Entry::find(envelope.parent.header().msg_type()).map_or(Lane::AtOnce, |entry| entry.lane);
        let request = Received { envelope, replies: replies.clone() };
        match lane {
            Lane::AtOnce => drop(tokio::spawn(messages::dispatch(kernel.clone(), request))),
            // The worker ends with the server, and takes all that is queued with it.
            Lane::Queued => drop(queue.send(request)),
        }
    }
}

/// Handles queued requests one after the other; after one that failed, answers those that wait as aborted.
pub(crate) async fn work(kernel: Arc<Kernel>, mut queue: mpsc::UnboundedReceiver<Received>) {
    while let Some(request) = queue.recv().await {
        if messages::dispatch(kernel.clone(), request).await {
            while let Ok(waiting) = queue.try_recv() {
                messages::abort(&kernel, waiting).await;
            }
        }
    }
}
