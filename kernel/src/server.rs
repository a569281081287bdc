//! The server: five sockets, a task each, and the order in which they start and stop.
//!
//! shell and control → [`shell::receive`] → `messages` → handlers; outputs → [`iopub`]; questions → [`stdin`]; [`heartbeat`] echoes.
//! All sockets live on one thread of their own, and handlers run on the others: whatever a handler does, the heartbeat is echoed. It is
//! also what zeromq needs: on several threads, its ROUTER can lose a client that connects again under the same name (a page that
//! reloads), since the end of the old connection may take the new one with it.
//!
//! It stops on a shutdown request, on SIGTERM, and when Jupyter is gone; SIGINT interrupts the running cell.
//!
//! Must not know: any message by name, Rust, the worker.

mod backlog;
mod heartbeat;
mod iopub;
mod parent;
mod peer;
pub(crate) mod replies;
mod shell;
mod stdin;
mod stream;

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use zeromq::{RouterSocket, Socket};

use crate::connection::Connection;
use crate::journal;
use crate::messages::Kernel;
use crate::notebook::history::History;
use crate::outputs::{Exits, Outputs};
use crate::session::Session;
use crate::wire::{Parent, Wire};
use replies::Replies;

/// How long the last replies have to leave: sockets send them in tasks of their own, which can't be waited for.
const LINGER: Duration = Duration::from_millis(200);

/// Why the kernel can't serve.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A socket can't be bound.
    #[error(
        "can't bind the {socket} socket to {url}: {error}. If another kernel uses this connection file, stop it or start this one with a new file"
    )]
    Bind {
        /// Which socket.
        socket: &'static str,
        /// Where.
        url: String,
        /// What the system said.
        error: String,
    },
    /// The system refuses what every server needs: signal handlers, an event queue.
    #[error("can't start the server: {0}")]
    System(#[from] std::io::Error),
}

/// Serves clients until the kernel shall stop; the session has ended its worker by then. The calling thread becomes the sockets', so it
/// must not belong to a tokio runtime; handlers run on `cells`, which must have threads of its own.
pub fn serve(connection: &Connection, session: Session, history: History, cells: Handle) -> Result<(), ServerError> {
    let sockets = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    sockets.block_on(run(connection, session, history, cells))
}

async fn run(connection: &Connection, session: Session, history: History, cells: Handle) -> Result<(), ServerError> {
    let wire = Arc::new(Wire::new(&connection.key));
    let heartbeat = bind("heartbeat", &connection.heartbeat).await?;
    let (shell_sends, shell_receives) = bind("shell", &connection.shell).await?.split();
    let (control_sends, control_receives) = bind("control", &connection.control).await?.split();
    let (stdin_sends, stdin_receives) = bind("stdin", &connection.stdin).await?.split();
    let iopub = iopub::Listener::bind(&connection.iopub).await?;
    let (mut interrupts, mut terminations) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);

    let (exits, (published, asked)) = Exits::new();
    let (stop, mut stopping) = watch::channel(false);
    let count = AtomicU32::new(0);
    let kernel = Arc::new(Kernel { session, history, cells, count, exits: exits.clone(), stop });
    let (queue, queued) = mpsc::unbounded_channel();

    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(heartbeat::run(heartbeat));
    tasks.spawn(iopub::run(iopub, wire.clone(), published));
    tasks.spawn(stdin::run(stdin_receives, wire.clone(), stdin_sends, asked));
    tasks.spawn(shell::work(kernel.clone(), queued));
    for (sends, receives) in [(shell_sends, shell_receives), (control_sends, control_receives)] {
        let (replies, replied) = Replies::new();
        tasks.spawn(replies::run(sends, wire.clone(), replied));
        tasks.spawn(shell::receive(receives, wire.clone(), replies, kernel.clone(), queue.clone()));
    }
    Outputs::new(exits, Parent::default(), false, false).status("starting");

    let mut orphaned = std::pin::pin!(parent::gone());
    loop {
        tokio::select! {
            () = async { drop(stopping.wait_for(|stop| *stop).await) } => break,
            _ = interrupts.recv() => kernel.session.interrupt(),
            _ = terminations.recv() => {
                kernel.shutdown(false).await;
                break;
            }
            () = &mut orphaned => {
                journal::note("Jupyter is gone; stopping");
                kernel.shutdown(false).await;
                break;
            }
            Some(ended) = tasks.join_next() => {
                // A task that ends early is a bug; the kernel can't serve without it.
                journal::note(format_args!("a socket's task ended ({ended:?}); stopping"));
                kernel.shutdown(false).await;
                break;
            }
        }
    }
    tokio::time::sleep(LINGER).await;
    tasks.shutdown().await;
    Ok(())
}

async fn bind(socket: &'static str, url: &str) -> Result<RouterSocket, ServerError> {
    forget(url);
    let mut router = RouterSocket::new();
    match router.bind(url).await {
        Ok(_) => Ok(router),
        Err(error) => Err(ServerError::Bind { socket, url: url.to_owned(), error: error.to_string() }),
    }
}

/// Removes the file that a kernel which was killed left at an `ipc://` address; it would refuse the bind.
fn forget(url: &str) {
    if let Some(path) = url.strip_prefix("ipc://") {
        // If there is none, all the better; if it can't be removed, the bind says so.
        let _ = std::fs::remove_file(path);
    }
}
