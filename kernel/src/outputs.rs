//! What a kernel publishes, and the way out for it.
//!
//! A request is given one [`Outputs`], bound to the request's header. Whoever runs the cell calls its methods; each makes an
//! [`Output`] and sends it, with the parent, to the task that owns the iopub socket (`server/iopub.rs`). Each waits for room
//! first: a cell that prints faster than clients read is slowed, and never fills memory. `busy` and `idle` don't wait, so that an
//! interrupt is answered while a cell floods. Input goes the other way: [`Outputs::input`] asks the one client that sent the request, over the stdin socket.
//!
//! Must not know: sockets, frames, the worker.

mod displays;

pub use displays::{DISPLAY_BYTES, DISPLAY_LIMIT};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::wire::Parent;
use displays::{Displays, Verdict};

/// A value in its several forms: MIME type to data. `text/plain` is always there.
pub type Bundle = Map<String, Value>;

/// The most text that one request may write to stdout and stderr together, in bytes. Beyond it a browser holds more than it can
/// show, and an endless loop of prints would fill the notebook's file.
pub const STREAM_LIMIT: usize = 10 << 20;

/// How much may be on its way to the clients before whoever publishes more has to wait, in bytes.
pub const ROOM: usize = 256 << 10;

/// How long a reply waits for the outputs before it, where a client does not take them.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

/// Which standard stream a text was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamName {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl StreamName {
    /// The protocol's name of the stream.
    pub fn as_str(self) -> &'static str {
        match self {
            StreamName::Stdout => "stdout",
            StreamName::Stderr => "stderr",
        }
    }
}

/// One thing that a kernel publishes on iopub. The set is the protocol's, and closed.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// `busy`, `idle` or `starting`.
    Status(&'static str),
    /// Text written to a standard stream.
    Stream {
        /// The stream.
        name: StreamName,
        /// The text.
        text: String,
    },
    /// A value shown, or (with `update`) shown again in the place of the same `id`.
    Display {
        /// The value.
        data: Bundle,
        /// What later updates call it.
        id: Option<String>,
        /// Replace what is shown under `id` in place of showing anew.
        update: bool,
    },
    /// The cell as it is run, for the other clients.
    ExecuteInput {
        /// The cell's text.
        code: String,
        /// Its number.
        count: u32,
    },
    /// The value of the cell's last expression.
    ExecuteResult {
        /// The cell's number.
        count: u32,
        /// The value.
        data: Bundle,
    },
    /// A cell that failed.
    Error {
        /// The kind of failure.
        ename: String,
        /// Its message.
        evalue: String,
        /// The text shown, by lines; may hold ANSI colours.
        traceback: Vec<String>,
    },
    /// Remove what the cell has shown.
    ClearOutput {
        /// Wait for the next output first, so that the page doesn't flicker.
        wait: bool,
    },
    /// A comm is closed by the kernel.
    CommClose {
        /// The comm.
        comm_id: String,
    },
    /// The kernel stops; said to every client, not only to the one that asked for it.
    ShutdownReply {
        /// It will be started again.
        restart: bool,
    },
}

impl Output {
    /// The protocol's `msg_type`.
    pub fn msg_type(&self) -> &'static str {
        match self {
            Output::Status(_) => "status",
            Output::Stream { .. } => "stream",
            Output::Display { update: false, .. } => "display_data",
            Output::Display { update: true, .. } => "update_display_data",
            Output::ExecuteInput { .. } => "execute_input",
            Output::ExecuteResult { .. } => "execute_result",
            Output::Error { .. } => "error",
            Output::ClearOutput { .. } => "clear_output",
            Output::CommClose { .. } => "comm_close",
            Output::ShutdownReply { .. } => "shutdown_reply",
        }
    }

    /// About how many bytes it takes on its way.
    fn size(&self) -> usize {
        let bundle = |data: &Bundle| data.values().map(|value| value.as_str().map_or(256, str::len)).sum::<usize>();
        let text = match self {
            // Joined with what stands beside it, so that its frame hardly counts.
            Output::Stream { text, .. } => return text.len() + 32,
            Output::Display { data, .. } | Output::ExecuteResult { data, .. } => bundle(data),
            Output::ExecuteInput { code, .. } => code.len(),
            Output::Error { traceback, .. } => traceback.iter().map(String::len).sum(),
            Output::Status(_) | Output::ClearOutput { .. } | Output::CommClose { .. } | Output::ShutdownReply { .. } => 0,
        };
        text + 256
    }

    /// The message's content, as the protocol has it.
    pub fn into_content(self) -> Value {
        match self {
            Output::Status(state) => json!({ "execution_state": state }),
            Output::Stream { name, text } => json!({ "name": name.as_str(), "text": text }),
            Output::Display { data, id, .. } => {
                let transient = id.map_or_else(|| json!({}), |id| json!({ "display_id": id }));
                json!({ "data": data, "metadata": {}, "transient": transient })
            }
            Output::ExecuteInput { code, count } => json!({ "code": code, "execution_count": count }),
            Output::ExecuteResult { count, data } => json!({ "execution_count": count, "data": data, "metadata": {} }),
            Output::Error { ename, evalue, traceback } => {
                json!({ "ename": ename, "evalue": evalue, "traceback": traceback })
            }
            Output::ClearOutput { wait } => json!({ "wait": wait }),
            Output::CommClose { comm_id } => json!({ "comm_id": comm_id, "data": {} }),
            Output::ShutdownReply { restart } => json!({ "status": "ok", "restart": restart }),
        }
    }
}

/// What the iopub task is asked to do.
#[derive(Debug)]
pub enum Publication {
    /// Publish this.
    Output {
        /// The request that it answers.
        parent: Parent,
        /// What is published.
        output: Output,
        /// The room that it takes, given back when this is dropped.
        room: Option<OwnedSemaphorePermit>,
    },
    /// Drop the sender once everything before it has gone out.
    Flush(mpsc::Sender<()>),
}

/// A request for a line of input, on its way to the stdin task.
#[derive(Debug)]
pub struct InputRequest {
    /// The request whose cell asks; its client gets the question.
    pub parent: Parent,
    /// Shown before the field.
    pub prompt: String,
    /// Hide what is typed.
    pub password: bool,
    /// Where the answer goes.
    pub answer: oneshot::Sender<String>,
}

/// Why there is no input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The client said `allow_stdin: false`.
    #[error(
        "this client can't give input (it sent allow_stdin = false): run the cell in a notebook or console, or pass the value in the code"
    )]
    NotAllowed,
    /// The client went, or the kernel is stopping.
    #[error("no input came: the client closed, or the kernel is stopping")]
    Closed,
}

/// The two queues that outputs leave by; the server makes one, and every [`Outputs`] holds a clone.
#[derive(Clone, Debug)]
pub struct Exits {
    iopub: mpsc::UnboundedSender<Publication>,
    stdin: mpsc::UnboundedSender<InputRequest>,
    room: Arc<Semaphore>,
}

/// The far ends of [`Exits`]: what the iopub task and the stdin task read.
pub type Entrances = (mpsc::UnboundedReceiver<Publication>, mpsc::UnboundedReceiver<InputRequest>);

impl Exits {
    /// Both queues.
    pub fn new() -> (Self, Entrances) {
        let (iopub, published) = mpsc::unbounded_channel();
        let (stdin, asked) = mpsc::unbounded_channel();
        (Exits { iopub, stdin, room: Arc::new(Semaphore::new(ROOM)) }, (published, asked))
    }
}

/// The way out for one request: everything sent here carries the request's header as its parent. Clones are cheap and share it.
#[derive(Clone, Debug)]
pub struct Outputs {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    exits: Exits,
    parent: Parent,
    silent: bool,
    allow_stdin: bool,
    streamed: AtomicUsize,
    displays: Displays,
    published: AtomicBool,
}

impl Outputs {
    /// Outputs of the request `parent`. A silent request publishes its status and nothing else.
    pub fn new(exits: Exits, parent: Parent, silent: bool, allow_stdin: bool) -> Self {
        let (streamed, displays, published) = Default::default();
        let inner = Inner { exits, parent, silent, allow_stdin, streamed, displays, published };
        Outputs { inner: Arc::new(inner) }
    }

    /// Outputs that no server reads: what is published and what is asked comes out of the receivers. For running a cell without
    /// Jupyter, as tests do; text beyond [`ROOM`] waits until the receiver is read.
    pub fn detached(allow_stdin: bool) -> (Self, Entrances) {
        let (exits, entrances) = Exits::new();
        (Outputs::new(exits, Parent::default(), false, allow_stdin), entrances)
    }

    /// The header of the request that these outputs answer.
    pub fn parent(&self) -> &Parent {
        &self.inner.parent
    }

    /// Publishes text that the cell wrote. Past [`STREAM_LIMIT`] bytes in a request the rest is dropped, and one line on stderr says so.
    pub async fn stream(&self, name: StreamName, text: impl Into<String>) {
        let text = text.into();
        if text.is_empty() {
            return;
        }
        let before = self.inner.streamed.fetch_add(text.len(), Ordering::Relaxed);
        if before > STREAM_LIMIT {
            return;
        }
        let fits = before + text.len() <= STREAM_LIMIT;
        self.publish(Output::Stream { name, text }).await;
        if !fits {
            let text = format!(
                "\n[footlight] this cell wrote more than {} MiB; the rest of its text is not shown. Interrupt it if it does not end, or write to a file.\n",
                STREAM_LIMIT >> 20
            );
            self.publish(Output::Stream { name: StreamName::Stderr, text }).await;
        }
    }

    /// Publishes a line of the kernel's own on stderr; never waits, and is not counted as the cell's text.
    pub fn notice(&self, line: &str) {
        if self.inner.silent {
            return;
        }
        self.inner.published.store(true, Ordering::Relaxed);
        self.send(Output::Stream { name: StreamName::Stderr, text: format!("[footlight] {line}\n") }, None);
    }

    /// Shows a value; `update` replaces what was shown under the same `id`. Past [`DISPLAY_LIMIT`] values or [`DISPLAY_BYTES`] in a request
    /// the rest is dropped, and one line on stderr says so.
    pub async fn display(&self, data: Bundle, id: Option<String>, update: bool) {
        self.show(Output::Display { data, id, update }, update).await;
    }

    /// Removes what the cell has shown; `wait` until the next output comes.
    pub async fn clear_output(&self, wait: bool) {
        pause(self.inner.displays.clear()).await;
        self.publish(Output::ClearOutput { wait }).await;
    }

    /// Tells every client which code runs as cell `count`.
    pub async fn execute_input(&self, code: impl Into<String>, count: u32) {
        self.publish(Output::ExecuteInput { code: code.into(), count }).await;
    }

    /// Publishes the value of the last expression of cell `count`.
    pub async fn execute_result(&self, count: u32, data: Bundle) {
        self.show(Output::ExecuteResult { count, data }, false).await;
    }

    /// Publishes a failure. The server does this for an `Outcome::Error`; an engine need not.
    pub async fn error(&self, ename: impl Into<String>, evalue: impl Into<String>, traceback: Vec<String>) {
        self.publish(Output::Error { ename: ename.into(), evalue: evalue.into(), traceback }).await;
    }

    /// Closes a comm.
    pub async fn comm_close(&self, comm_id: impl Into<String>) {
        self.publish(Output::CommClose { comm_id: comm_id.into() }).await;
    }

    /// Publishes `busy` or `idle`; said for silent requests too, and never waits.
    pub fn status(&self, state: &'static str) {
        self.send(Output::Status(state), None);
    }

    /// Says on iopub that the kernel stops.
    pub fn shutdown_reply(&self, restart: bool) {
        self.send(Output::ShutdownReply { restart }, None);
    }

    /// Returns when what was published so far has gone out to the clients, or after a second. Clients expect a request's outputs
    /// before its reply, which takes another socket.
    pub async fn flush(&self) {
        if !self.inner.published.load(Ordering::Relaxed) {
            return;
        }
        let (gone, mut all_gone) = mpsc::channel(1);
        if self.inner.exits.iopub.send(Publication::Flush(gone)).is_ok() {
            let _ = tokio::time::timeout(FLUSH_LIMIT, all_gone.recv()).await;
        }
    }

    /// Asks the client that sent the request for one line. Drop the future to stop waiting.
    pub async fn input(&self, prompt: impl Into<String>, password: bool) -> Result<String, InputError> {
        if !self.inner.allow_stdin {
            return Err(InputError::NotAllowed);
        }
        let (answer, answered) = oneshot::channel();
        let request = InputRequest { parent: self.inner.parent.clone(), prompt: prompt.into(), password, answer };
        self.inner.exits.stdin.send(request).map_err(|_| InputError::Closed)?;
        answered.await.map_err(|_| InputError::Closed)
    }

    async fn show(&self, output: Output, update: bool) {
        match self.inner.displays.admit(output.size(), update) {
            Verdict::Show(wait) => {
                pause(wait).await;
                self.publish(output).await;
            }
            Verdict::Drop(Some(text)) => self.publish(Output::Stream { name: StreamName::Stderr, text }).await,
            Verdict::Drop(None) => {}
        }
    }

    async fn publish(&self, output: Output) {
        if self.inner.silent {
            return;
        }
        self.inner.published.store(true, Ordering::Relaxed);
        // What is larger than the room takes all of it. The semaphore is never closed.
        let size = u32::try_from(output.size().min(ROOM)).unwrap_or(u32::MAX);
        let room = self.inner.exits.room.clone().acquire_many_owned(size).await.ok();
        self.send(output, room);
    }

    fn send(&self, output: Output, room: Option<OwnedSemaphorePermit>) {
        // The receiver is gone only while the kernel stops; nobody is left to read the output then.
        let _ = self.inner.exits.iopub.send(Publication::Output { parent: self.inner.parent.clone(), output, room });
    }
}

/// Tokio's sleep of nothing takes a millisecond.
async fn pause(wait: Duration) {
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads what was published until every `Outputs` is gone; a text's room is given back as it is read.
    async fn drain(mut published: mpsc::UnboundedReceiver<Publication>) -> Vec<Output> {
        let mut outputs = Vec::new();
        while let Some(publication) = published.recv().await {
            if let Publication::Output { output, .. } = publication {
                outputs.push(output);
            }
        }
        outputs
    }

    #[tokio::test]
    async fn endless_text_is_bounded_and_said_once() {
        let (outputs, (published, _asked)) = Outputs::detached(false);
        let reader = tokio::spawn(drain(published));
        let megabyte = "x".repeat(1 << 20);
        for _ in 0..40 {
            outputs.stream(StreamName::Stdout, megabyte.clone()).await;
        }
        drop(outputs);
        let (mut bytes, mut notices) = (0, 0);
        for output in reader.await.expect("drained") {
            match output {
                Output::Stream { name: StreamName::Stdout, text } => bytes += text.len(),
                Output::Stream { text, .. } => notices += usize::from(text.contains("not shown")),
                other => panic!("{other:?} was not sent"),
            }
        }
        assert!(bytes >= STREAM_LIMIT && bytes <= STREAM_LIMIT + megabyte.len(), "{bytes}");
        assert_eq!(notices, 1);
    }

    #[tokio::test]
    async fn text_waits_for_room_and_status_does_not() {
        let (outputs, (published, _asked)) = Outputs::detached(false);
        outputs.stream(StreamName::Stdout, "x".repeat(ROOM)).await;
        let writer = outputs.clone();
        let waiting = tokio::spawn(async move { writer.stream(StreamName::Stdout, "more").await });
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!waiting.is_finished());
        outputs.status("idle");
        drop(outputs);
        let outputs = drain(published).await;
        assert_eq!(outputs[1], Output::Status("idle"));
        assert_eq!(outputs.len(), 3);
    }

    #[tokio::test]
    async fn input_is_refused_where_the_client_has_none() {
        let (outputs, _entrances) = Outputs::detached(false);
        assert_eq!(outputs.input("name? ", false).await, Err(InputError::NotAllowed));
    }

    #[tokio::test]
    async fn silent_requests_publish_their_status_only() {
        let (exits, (published, _asked)) = Exits::new();
        let outputs = Outputs::new(exits, Parent::default(), true, false);
        outputs.status("busy");
        outputs.stream(StreamName::Stdout, "quiet").await;
        outputs.status("idle");
        drop(outputs);
        assert_eq!(drain(published).await, [Output::Status("busy"), Output::Status("idle")]);
    }
}
