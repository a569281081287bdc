//! The seam between Jupyter and Rust: what the server asks of whatever runs cells.
//!
//! The server owns one [`Session`]. A message's handler calls it, and it passes the work to its [`Engine`], which splits, compiles and
//! runs. Outputs leave through the [`Outputs`] that comes with each call. One cell runs at a time: the server's shell task waits for
//! [`Session::execute`] before it takes the next request, while [`Session::interrupt`] and [`Session::shutdown`] may be called from
//! the control task at any moment.
//!
//! Must not know: sockets, frames, message types.

pub mod engine;
mod failures;
mod folder;
mod idle;
mod orders;
mod probe;
mod run;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::outputs::{Bundle, Outputs};

/// A cell to run.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The user's text, magic lines included.
    pub code: String,
    /// The cell's number, as in `In[7]`.
    pub count: u32,
    /// Nothing is published and the last expression need not be shown.
    pub silent: bool,
    /// The cell counts as a part of the notebook.
    pub store_history: bool,
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It ran to its end.
    Ok {
        /// Payloads of the reply (`page`, `set_next_input`); mostly empty.
        payload: Vec<Value>,
        /// The last expression's `text/plain`, kept in the history.
        result: Option<String>,
    },
    /// It did not compile, panicked, returned an error, was interrupted, or lost its worker. The server publishes it: an engine
    /// prints nothing besides, since clients expect exactly one message for an error.
    Error(Failure),
    /// It never began, since the session is stopping.
    Aborted,
}

/// A failure, as Jupyter shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind: `CompileError`, `Panic`, `Interrupted`, …
    pub ename: String,
    /// One line that says what went wrong.
    pub evalue: String,
    /// What is shown, a line each; may hold ANSI colours.
    pub traceback: Vec<String>,
}

/// Whether a text is a whole cell; consoles ask before they run a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Run it.
    Complete,
    /// More lines are to come, the next indented by `indent`.
    Incomplete {
        /// White space for the next line.
        indent: String,
    },
    /// No further line can make it valid.
    Invalid,
}

/// What runs cells. The real one compiles with rustc and talks to a worker process; tests bring a small one.
pub trait Engine: Send + Sync + 'static {
    /// Runs a cell to its end. Must return soon after [`Engine::interrupt`].
    fn execute<'a>(&'a self, execution: Execution, outputs: &'a Outputs) -> BoxFuture<'a, Outcome>;

    /// Evaluates one of a request's `user_expressions`, after its cell, without showing it.
    fn evaluate<'a>(&'a self, expression: &'a str) -> BoxFuture<'a, Result<Bundle, Failure>>;

    /// Stops the running cell, if any; returns at once and may be called from any task.
    fn interrupt(&self);

    /// Ends the worker and removes what the session left on disk; no process is left when it returns.
    fn shutdown(&self, restart: bool) -> BoxFuture<'_, ()>;

    /// Judges a text without running it.
    fn is_complete(&self, code: &str) -> Completeness;
}

/// The kernel's one session with its engine.
#[derive(Clone)]
pub struct Session {
    engine: Arc<dyn Engine>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// A session that runs its cells on `engine`.
    pub fn new(engine: impl Engine) -> Self {
        Session { engine: Arc::new(engine) }
    }

    /// Runs a cell to its end.
    pub async fn execute(&self, execution: Execution, outputs: &Outputs) -> Outcome {
        self.engine.execute(execution, outputs).await
    }

    /// Evaluates an expression for a request's `user_expressions`.
    pub async fn evaluate(&self, expression: &str) -> Result<Bundle, Failure> {
        self.engine.evaluate(expression).await
    }

    /// Stops the running cell; callable while [`Session::execute`] runs.
    pub fn interrupt(&self) {
        self.engine.interrupt();
    }

    /// Ends the worker.
    pub async fn shutdown(&self, restart: bool) {
        self.engine.shutdown(restart).await;
    }

    /// Whether `code` is a whole cell.
    pub fn is_complete(&self, code: &str) -> Completeness {
        self.engine.is_complete(code)
    }
}
