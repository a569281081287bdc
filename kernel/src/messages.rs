//! The messages that the kernel answers: one file each, and one word in the table below.
//!
//! [`dispatch`] takes a request that the server received, publishes `busy`, finds the [`Entry`] of its type, has it read the content and
//! handle it, sends the reply, and publishes `idle`. Whatever goes wrong becomes an error reply of the right kind: an unknown type, a content
//! that does not fit, a panic in a handler. The server reads an entry's [`Lane`] and never its name.
//!
//! To add a message: `messages/NAME.rs` with a `Request` that implements [`Message`], and `NAME` in the table.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::journal;
use crate::notebook::history::History;
use crate::outputs::{Exits, Outputs};
use crate::server::replies::Replies;
use crate::session::{Failure, Session};
use crate::wire::Envelope;

/// When a request is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// One after the other, in the order received. After an error, what waits is aborted.
    Queued,
    /// As soon as it comes, while a cell compiles or runs too.
    AtOnce,
}

/// A message that the kernel answers: the type is its content, as the protocol has it.
pub(crate) trait Message: DeserializeOwned + Send + 'static {
    /// The protocol's `msg_type`. A type that ends in `_request` has a reply.
    const TYPE: &'static str;
    /// When it is handled.
    const LANE: Lane;
    /// The reply's content; `status: "ok"` is added where it has none.
    type Reply: Serialize;

    /// Does what the message asks.
    fn handle(self, context: Context) -> impl Future<Output = Result<Self::Reply, Failure>> + Send;
}

/// A [`Message`] with its type erased: a row of the table.
pub(crate) struct Entry {
    /// The `msg_type`.
    pub(crate) name: &'static str,
    /// When it is handled.
    pub(crate) lane: Lane,
    handle: fn(Value, Context) -> BoxFuture<'static, Result<Value, Failure>>,
}

impl Entry {
    const fn of<M: Message>() -> Self {
        Entry { name: M::TYPE, lane: M::LANE, handle: |content, context| Box::pin(read_and_handle::<M>(content, context)) }
    }

    /// The row of a message type.
    pub(crate) fn find(msg_type: &str) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.name == msg_type)
    }
}

macro_rules! table {
    ($($name:ident)*) => {
        $(pub(crate) mod $name;)*

        /// Every message that the kernel answers.
        pub(crate) static TABLE: &[Entry] = &[$(Entry::of::<$name::Request>()),*];
    };
}

table! {
    kernel_info execute is_complete complete inspect history
    comm_info comm_open comm_msg comm_close
    interrupt shutdown
}

/// What the kernel is, for handlers: shared by all requests.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Runs cells.
    pub(crate) session: Session,
    /// What was run, in this session and before.
    pub(crate) history: History,
    /// Where handlers run.
    pub(crate) cells: Handle,
    /// The number of the last cell that counts.
    pub(crate) count: AtomicU32,
    /// The way out for outputs.
    pub(crate) exits: Exits,
    /// Set to true when the kernel shall stop.
    pub(crate) stop: watch::Sender<bool>,
}

/// How long the engine may take to end its worker.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(3);

impl Kernel {
    /// Ends the worker.
    pub(crate) async fn shutdown(&self, restart: bool) {
        if tokio::time::timeout(SHUTDOWN_LIMIT, self.session.shutdown(restart)).await.is_err() {
            journal::note("the worker did not end in time; stopping without it");
        }
    }
}

/// What a handler works with.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The kernel.
    pub(crate) kernel: Arc<Kernel>,
    /// Where outputs go, with the request as their parent.
    pub(crate) outputs: Outputs,
    abort_queue: Arc<AtomicBool>,
}

impl Context {
    /// Has what is queued behind this request aborted.
    pub(crate) fn abort_queue(&self) {
        self.abort_queue.store(true, Ordering::Relaxed);
    }
}

/// A request, and the way back to its sender.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The message.
    pub(crate) envelope: Envelope,
    /// Sends on the socket that it came by.
    pub(crate) replies: Replies,
}

/// Answers a request; says whether what is queued shall be aborted.
pub(crate) async fn dispatch(kernel: Arc<Kernel>, request: Received) -> bool {
    let abort_queue = Arc::new(AtomicBool::new(false));
    let outputs = Outputs::new(kernel.exits.clone(), request.envelope.parent.clone(), false, false);
    let context = Context { kernel, outputs: outputs.clone(), abort_queue: abort_queue.clone() };
    answer(&request, &outputs, handle(request.envelope.clone(), context)).await;
    abort_queue.load(Ordering::Relaxed)
}

/// Answers a request that was queued behind one that failed.
pub(crate) async fn abort(kernel: &Kernel, request: Received) {
    let outputs = Outputs::new(kernel.exits.clone(), request.envelope.parent.clone(), false, false);
    // Without an execution count, as from ipykernel: JupyterLab would show it beside a cell that has not run.
    let content = json!({ "status": "aborted", "ename": "Aborted", "evalue": "a cell before this one failed", "traceback": [] });
    answer(&request, &outputs, async { content }).await;
}

/// `busy`, the reply, `idle`: the frame around every request.
async fn answer(request: &Received, outputs: &Outputs, content: impl Future<Output = Value>) {
    outputs.status("busy");
    let content = content.await;
    outputs.flush().await;
    if let Some(stem) = request.envelope.parent.header().msg_type().strip_suffix("_request") {
        request.replies.send(&request.envelope.parent, format!("{stem}_reply"), content);
    }
    outputs.status("idle");
}

async fn handle(envelope: Envelope, context: Context) -> Value {
    let msg_type = envelope.parent.header().msg_type();
    let Some(entry) = Entry::find(msg_type) else {
        return failed(msg_type, failure("UnknownMessage", format!("Footlight does not know messages of type {msg_type:?}")));
    };
    // In a task of its own, so that a panic ends there.
    let task = context.kernel.cells.spawn((entry.handle)(envelope.content, context.clone()));
    let failure = match task.await {
        Ok(Ok(content)) => return content,
        Ok(Err(failure)) => failure,
        Err(error) => failure("KernelBug", format!("the kernel failed while it handled {msg_type}: {error}. Please report this")),
    };
    if entry.lane == Lane::Queued {
        // The user looks at the cell, not at the log.
        context.outputs.error(failure.ename.as_str(), failure.evalue.as_str(), failure.traceback.clone()).await;
        context.abort_queue();
    }
    failed(msg_type, failure)
}

async fn read_and_handle<M: Message>(content: Value, context: Context) -> Result<Value, Failure> {
    let message = serde_json::from_value::<M>(content)
        .map_err(|error| failure("MalformedMessage", format!("the content of this {} does not fit: {error}", M::TYPE)))?;
    let reply = serde_json::to_value(message.handle(context).await?)
        .map_err(|error| failure("KernelBug", format!("the reply to {} is not JSON: {error}", M::TYPE)))?;
    Ok(match reply {
        Value::Object(mut fields) => {
            fields.entry("status").or_insert_with(|| json!("ok"));
            Value::Object(fields)
        }
        // A message without a reply, or one whose reply is empty.
        _ => json!({ "status": "ok" }),
    })
}

fn failed(msg_type: &str, failure: Failure) -> Value {
    journal::note(format_args!("{msg_type}: {}: {}", failure.ename, failure.evalue));
    json!({ "status": "error", "ename": failure.ename, "evalue": failure.evalue, "traceback": failure.traceback })
}

fn failure(ename: &str, evalue: String) -> Failure {
    Failure { ename: ename.to_owned(), traceback: vec![format!("{ename}: {evalue}")], evalue }
}

/// For fields that clients leave out or set to null alike.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_there_once() {
        let mut names: Vec<_> = TABLE.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(TABLE.iter().filter(|entry| entry.lane == Lane::Queued).all(|entry| entry.name.ends_with("_request")));
    }
}
