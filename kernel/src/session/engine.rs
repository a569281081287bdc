//! The real engine: cells become crates, rustc compiles them, the worker runs them.
//!
//! One cell at a time holds the [`State`]. An interrupt or a shutdown reaches it through a counter that the running cell watches: while
//! rustc runs it ends the compiler, while the cell runs it asks the worker to stop, and once the user was told that the cell can't stop,
//! another one replaces the worker.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::folder::Folder;
use super::idle::listen;
use super::probe::{Question, ask};
use super::run::{Cell, run};
use super::{Completeness, Engine, Execution, Failure, Outcome};
use crate::cell::edits::CellText;
use crate::cell::source::Source;
use crate::cell::whole;
use crate::home::Home;
use crate::journal;
use crate::magics;
use crate::notebook::Notebook;
use crate::outputs::{Bundle, Output, Outputs, Publication};
use crate::rustc::toolchain::{Toolchain, ToolchainError};
use crate::worker::{StartError, Worker};

/// What a session needs to run a cell.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) notebook: Notebook,
    /// The last cell's number; every cell has one of its own, silent ones too.
    pub(super) number: u64,
    /// The sources of cells by what they are called, to lead places in panics back to the user's text.
    pub(super) sources: HashMap<String, Arc<Source>>,
    /// The session's folder, removed with it.
    folder: Option<Folder>,
    toolchain: Option<Toolchain>,
    pub(super) worker: Option<Worker>,
    /// What the last cell leaves to ask of rustc.
    pub(super) question: Option<Question>,
    /// Where the last cell's outputs went, for what its threads say after it.
    pub(super) late: Option<Outputs>,
}

/// Why no cell can run.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotReady {
    #[error(transparent)]
    Home(#[from] crate::home::HomeError),
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    #[error(transparent)]
    Worker(#[from] StartError),
    #[error("can't make a folder for the session's cells in {}: {error}. Free some space there, or set TMPDIR to a folder that can be written, and restart the kernel", folder.display())]
    Folder { folder: std::path::PathBuf, error: std::io::Error },
}

/// What a cell needs from the machine.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    pub(super) toolchain: Toolchain,
    pub(super) folder: std::path::PathBuf,
}

impl State {
    /// Finds what is not there yet: compiler, folder, worker. What failed before is tried again.
    pub(super) async fn ready(&mut self) -> Result<Tools, NotReady> {
        let toolchain = match &self.toolchain {
            Some(toolchain) => toolchain.clone(),
            None => {
                let home = Home::find()?;
                // The worker starts while rustc says its version.
                let (toolchain, worker) = tokio::join!(Toolchain::find(&home), Worker::start(&home));
                self.worker = worker.ok();
                self.toolchain.insert(toolchain?).clone()
            }
        };
        if self.folder.as_ref().is_none_or(|folder| !folder.path().is_dir()) {
            self.folder = Some(Folder::make().map_err(|error| NotReady::Folder { folder: std::env::temp_dir(), error })?);
        }
        if self.worker.is_none() {
            self.worker = Some(Worker::start(&toolchain.home).await?);
        }
        let folder = self.folder.as_ref().map(|folder| folder.path().to_owned()).unwrap_or_default();
        Ok(Tools { toolchain, folder })
    }
}

/// What the control task tells a running cell.
#[derive(Debug)]
pub(super) struct Signals {
    /// Counts interrupts.
    pub(super) interrupts: watch::Receiver<u64>,
    stopping: Arc<AtomicBool>,
}

impl Signals {
    /// Returns at an interrupt or a shutdown that came after the cell began.
    pub(super) async fn next(&mut self) {
        if self.interrupts.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the session is stopping.
    pub(super) fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

/// Compiles cells with rustc and runs them in a worker.
#[derive(Debug)]
pub struct RustEngine {
    state: Arc<Mutex<State>>,
    /// How many wait for the state, which is listened with while nobody does.
    callers: watch::Sender<usize>,
    interrupts: watch::Sender<u64>,
    stopping: Arc<AtomicBool>,
}

impl RustEngine {
    /// An engine that begins to start its worker at once, so that the first cell finds it ready. Must be called on a tokio runtime.
    pub fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let early = state.clone();
        tokio::spawn(async move {
            if let Err(error) = early.lock().await.ready().await {
                // The first cell says so too, where the user looks.
                journal::note(error);
            }
        });
        RustEngine {
            state,
            callers: watch::Sender::new(0),
            interrupts: watch::Sender::new(0),
            stopping: Arc::new(AtomicBool::new(false)),
        }
    }

    fn signals(&self) -> Signals {
        Signals { interrupts: self.interrupts.subscribe(), stopping: self.stopping.clone() }
    }

    /// The state, as soon as no cell runs.
    async fn enter(&self) -> OwnedMutexGuard<State> {
        self.callers.send_modify(|waiting| *waiting += 1);
        let state = self.state.clone().lock_owned().await;
        self.callers.send_modify(|waiting| *waiting -= 1);
        state
    }

    /// Runs a text; with `late`, as a cell whose threads may print after it.
    async fn run(&self, code: &str, label: String, count: u32, late: bool, show: bool, outputs: &Outputs) -> Outcome {
        let mut signals = self.signals();
        let mut state = self.enter().await;
        if signals.stopping() {
            return Outcome::Aborted;
        }
        state.number += 1;
        if late {
            state.late = Some(outputs.clone());
        }
        let text = Arc::new(CellText { number: state.number, label, text: code.to_owned(), shown: None });
        let ran = run(&mut state, &mut signals, Cell { text, count, show }, outputs).await;
        let callers = self.callers.subscribe();
        tokio::spawn(async move {
            if let Some(question) = state.question.take() {
                ask(&mut state, question).await;
            }
            listen(&mut state, callers).await;
        });
        match ran {
            _ if signals.stopping() => Outcome::Aborted,
            Ok(result) => Outcome::Ok { payload: Vec::new(), result },
            Err(failure) => Outcome::Error(failure),
        }
    }
}

impl Engine for RustEngine {
    fn execute<'a>(&'a self, execution: Execution, outputs: &'a Outputs) -> BoxFuture<'a, Outcome> {
        async move {
            let Execution { code, count, silent, store_history } = execution;
            // A cell that does not count has no number of its own.
            let label = if store_history { format!("In[{count}]") } else { "In[*]".to_owned() };
            self.run(&code, label, count, !silent, !silent, outputs).await
        }
        .boxed()
    }

    fn evaluate<'a>(&'a self, expression: &'a str) -> BoxFuture<'a, Result<Bundle, Failure>> {
        async move {
            let (outputs, (mut published, _asked)) = Outputs::detached(false);
            let reader = tokio::spawn(async move {
                let mut value = None;
                while let Some(publication) = published.recv().await {
                    if let Publication::Output { output: Output::ExecuteResult { data, .. }, .. } = publication {
                        value = Some(data);
                    }
                }
                value
            });
            let outcome = self.run(expression, "In[*]".to_owned(), 0, false, true, &outputs).await;
            drop(outputs);
            let value = reader.await.unwrap_or_default();
            match outcome {
                Outcome::Ok { .. } => Ok(value.unwrap_or_default()),
                Outcome::Error(failure) => Err(failure),
                Outcome::Aborted => Err(Failure {
                    ename: "Aborted".to_owned(),
                    evalue: "the kernel is stopping".to_owned(),
                    traceback: Vec::new(),
                }),
            }
        }
        .boxed()
    }

    fn interrupt(&self) {
        self.interrupts.send_modify(|count| *count += 1);
    }

    fn shutdown(&self, _restart: bool) -> BoxFuture<'_, ()> {
        async move {
            self.stopping.store(true, Ordering::Relaxed);
            self.interrupt();
            let mut state = self.enter().await;
            if let Some(worker) = state.worker.take() {
                worker.stop().await;
            }
            state.folder = None;
        }
        .boxed()
    }

    fn is_complete(&self, code: &str) -> Completeness {
        whole::judge(code, &magics::blanks(code))
    }
}
