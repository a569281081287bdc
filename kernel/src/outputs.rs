//! What a kernel publishes, and the way out for it.
//!
//! A request is given one [`Outputs`], bound to the request's header. Whoever runs the cell calls its methods; each makes an
//! [`Output`] and sends it, with the parent, through a bounded queue to the task that owns the iopub socket
//! (`server/iopub.rs`). The queue is bounded so that a cell that prints faster than clients read is slowed, and never fills memory.
//! Input goes the other way: [`Outputs::input`] asks the one client that sent the request, over the stdin socket.
//!
//! Must not know: sockets, frames, the worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::wire::Parent;

/// A value in its several forms: MIME type to data. `text/plain` is always there.
pub type Bundle = Map<String, Value>;

/// The most text that one request may write to stdout and stderr together, in bytes. Beyond it a browser holds more than it can
/// show, and an endless loop of prints would fill the notebook's file.
pub const STREAM_LIMIT: usize = 16 << 20;

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
        }
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
        }
    }
}

/// An output on its way to the iopub task.
#[derive(Debug)]
pub struct Publication {
    /// The request that it answers.
    pub parent: Parent,
    /// What is published.
    pub output: Output,
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
    /// To the iopub task.
    pub iopub: mpsc::Sender<Publication>,
    /// To the stdin task.
    pub stdin: mpsc::Sender<InputRequest>,
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
}

impl Outputs {
    /// Outputs of the request `parent`. A silent request publishes its status and nothing else.
    pub fn new(exits: Exits, parent: Parent, silent: bool, allow_stdin: bool) -> Self {
        let inner = Inner { exits, parent, silent, allow_stdin, streamed: AtomicUsize::new(0) };
        Outputs { inner: Arc::new(inner) }
    }

    /// Outputs that no server reads: what is published comes out of the first receiver, questions out of the second. For running a
    /// cell without Jupyter, as tests do.
    pub fn detached(allow_stdin: bool) -> (Self, mpsc::Receiver<Publication>, mpsc::Receiver<InputRequest>) {
        let (iopub, published) = mpsc::channel(4096);
        let (stdin, asked) = mpsc::channel(4);
        (Outputs::new(Exits { iopub, stdin }, Parent::default(), false, allow_stdin), published, asked)
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

    /// Shows a value; `update` replaces what was shown under the same `id`.
    pub async fn display(&self, data: Bundle, id: Option<String>, update: bool) {
        self.publish(Output::Display { data, id, update }).await;
    }

    /// Removes what the cell has shown; `wait` until the next output comes.
    pub async fn clear_output(&self, wait: bool) {
        self.publish(Output::ClearOutput { wait }).await;
    }

    /// Tells every client which code runs as cell `count`.
    pub async fn execute_input(&self, code: impl Into<String>, count: u32) {
        self.publish(Output::ExecuteInput { code: code.into(), count }).await;
    }

    /// Publishes the value of the last expression of cell `count`.
    pub async fn execute_result(&self, count: u32, data: Bundle) {
        self.publish(Output::ExecuteResult { count, data }).await;
    }

    /// Publishes a failure. The server does this for an `Outcome::Error`; an engine need not.
    pub async fn error(&self, ename: impl Into<String>, evalue: impl Into<String>, traceback: Vec<String>) {
        self.publish(Output::Error { ename: ename.into(), evalue: evalue.into(), traceback }).await;
    }

    /// Closes a comm.
    pub async fn comm_close(&self, comm_id: impl Into<String>) {
        self.publish(Output::CommClose { comm_id: comm_id.into() }).await;
    }

    /// Publishes `busy` or `idle`; said for silent requests too.
    pub async fn status(&self, state: &'static str) {
        self.send(Output::Status(state)).await;
    }

    /// Asks the client that sent the request for one line. Drop the future to stop waiting.
    pub async fn input(&self, prompt: impl Into<String>, password: bool) -> Result<String, InputError> {
        if !self.inner.allow_stdin {
            return Err(InputError::NotAllowed);
        }
        let (answer, answered) = oneshot::channel();
        let request = InputRequest { parent: self.inner.parent.clone(), prompt: prompt.into(), password, answer };
        self.inner.exits.stdin.send(request).await.map_err(|_| InputError::Closed)?;
        answered.await.map_err(|_| InputError::Closed)
    }

    async fn publish(&self, output: Output) {
        if !self.inner.silent {
            self.send(output).await;
        }
    }

    async fn send(&self, output: Output) {
        // The receiver is gone only while the kernel stops; nobody is left to read the output then.
        let _ = self.inner.exits.iopub.send(Publication { parent: self.inner.parent.clone(), output }).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn endless_text_is_bounded_and_said_once() {
        let (outputs, mut published, _asked) = Outputs::detached(false);
        let megabyte = "x".repeat(1 << 20);
        for _ in 0..40 {
            outputs.stream(StreamName::Stdout, megabyte.clone()).await;
        }
        drop(outputs);
        let (mut bytes, mut notices) = (0, 0);
        while let Some(Publication { output: Output::Stream { name, text }, .. }) = published.recv().await {
            match name {
                StreamName::Stdout => bytes += text.len(),
                StreamName::Stderr => notices += usize::from(text.contains("not shown")),
            }
        }
        assert!(bytes >= STREAM_LIMIT && bytes <= STREAM_LIMIT + megabyte.len(), "{bytes}");
        assert_eq!(notices, 1);
    }

    #[tokio::test]
    async fn input_is_refused_where_the_client_has_none() {
        let (outputs, _published, _asked) = Outputs::detached(false);
        assert_eq!(outputs.input("name? ", false).await, Err(InputError::NotAllowed));
    }

    #[tokio::test]
    async fn silent_requests_publish_their_status_only() {
        let (iopub, mut published) = mpsc::channel(8);
        let (stdin, _asked) = mpsc::channel(1);
        let outputs = Outputs::new(Exits { iopub, stdin }, Parent::default(), true, false);
        outputs.status("busy").await;
        outputs.stream(StreamName::Stdout, "quiet").await;
        outputs.status("idle").await;
        drop(outputs);
        let mut kinds = Vec::new();
        while let Some(publication) = published.recv().await {
            kinds.push(publication.output);
        }
        assert_eq!(kinds, [Output::Status("busy"), Output::Status("idle")]);
    }
}
