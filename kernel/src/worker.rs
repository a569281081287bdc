//! The worker process, as the kernel sees it: started, spoken to, interrupted, replaced.
//!
//! [`Worker::next`] gives what the worker says in the order in which it happened: text from the two pipes and events from the socket
//! in one stream. Before an event is given, the pipes are read until they are empty, and the worker waits for the ack of what it
//! shows; so text and displays keep the program's order, and a slow reader slows the cell.
//!
//! Must not know: rustc, the text of cells, Jupyter's messages.

mod death;
pub(crate) mod pipes;
mod report;

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsRawFd;
use std::process::Stdio;
use std::time::Duration;

use footlight_channel::{Event, FD_VARIABLE, FrameError, PROTOCOL, Request, Run, frame};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

use crate::home::Home;
use crate::outputs::{Bundle, StreamName};
pub use death::Death;
use pipes::{Piece, Pipe};

/// How long a new worker may take to say that it is ready, before it counts as broken.
const READY_WITHIN: Duration = Duration::from_secs(20);
/// How long a worker that was told to stop may take, before it is killed.
const STOP_WITHIN: Duration = Duration::from_secs(2);
/// Bytes read from the socket at a time.
const CHUNK: usize = 64 << 10;

/// Why a worker did not start. Every message ends with what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The system refused.
    #[error("can't start the worker {path}: {error}. Run footlight-kernel doctor, or ./install.sh again")]
    Spawn {
        /// The program.
        path: std::path::PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// It ended before it was ready.
    #[error("the worker ended at its start: {0}. Run footlight-kernel doctor, or ./install.sh again")]
    Ended(String),
    /// It is of another version.
    #[error(
        "the worker speaks version {theirs} of the channel, this kernel {PROTOCOL}: run ./install.sh again, so that both are of one build"
    )]
    Version {
        /// The worker's version.
        theirs: u32,
    },
    /// It said nothing.
    #[error("the worker said nothing for {} s. Run footlight-kernel doctor", READY_WITHIN.as_secs())]
    Silent,
}

/// What a worker says.
#[derive(Debug)]
pub enum Said {
    /// Text that it wrote.
    Text(StreamName, String),
    /// A value that it wrote in evcxr's form, between two marker lines.
    Content(Bundle),
    /// An event.
    Event(Event),
    /// It has ended; nothing follows.
    Died(Death),
}

/// A way to a running worker for other tasks.
#[derive(Clone, Debug)]
pub struct Handle {
    requests: mpsc::UnboundedSender<Request>,
    pid: u32,
}

impl Handle {
    /// Asks the running cell to stop at its next loop or op.
    pub fn interrupt(&self) {
        self.send(Request::Interrupt);
    }

    /// Ends the process at once, for a cell that does not stop.
    pub fn kill(&self) {
        // SAFETY: kill takes no pointers. The number is our child's, which stays a zombie until `Worker::next` has waited for it.
        unsafe { libc::kill(self.pid as i32, libc::SIGKILL) };
    }

    /// Sends a request. A worker that has ended is noticed by [`Worker::next`].
    pub fn send(&self, request: Request) {
        let _ = self.requests.send(request);
    }
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    socket: OwnedReadHalf,
    received: Vec<u8>,
    stdout: Pipe,
    stderr: Pipe,
    said: VecDeque<Said>,
    handle: Handle,
    /// How it ended, once [`Worker::next`] has said so.
    death: Option<Death>,
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// See [`StartError`].
    pub async fn start(home: &Home) -> Result<Self, StartError> {
        let path = home.worker();
        let spawn = |error| StartError::Spawn { path: path.clone(), error };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(spawn)?;
        ours.set_nonblocking(true).map_err(spawn)?;
        let fd = theirs.as_raw_fd();
        let mut command = Command::new(&path);
        command.env(FD_VARIABLE, fd.to_string()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        // A group of its own, so that a Ctrl-C in the terminal of a console reaches the kernel alone.
        command.process_group(0);
        // SAFETY: fcntl is async-signal-safe, allocates nothing, and `fd` is open in the child until exec.
        unsafe {
            command.pre_exec(
                move || {
                    if libc::fcntl(fd, libc::F_SETFD, 0) < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
                },
            );
        }
        let mut child = command.spawn().map_err(spawn)?;
        drop(theirs);
        let pid = child.id().unwrap_or_default();
        // Out of memory, the system is to end the worker and not the kernel; where it may not be said, it is not.
        let _ = std::fs::write(format!("/proc/{pid}/oom_score_adj"), "600");
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(spawn(io::Error::other("it has no pipes")));
        };
        let (socket, writer) = UnixStream::from_std(ours).map_err(spawn)?.into_split();
        let (requests, queue) = mpsc::unbounded_channel();
        tokio::spawn(write(writer, queue));
        let mut worker = Worker {
            child,
            socket,
            received: Vec::new(),
            stdout: Pipe::new(stdout.into_owned_fd().map_err(spawn)?, true).map_err(spawn)?,
            stderr: Pipe::new(stderr.into_owned_fd().map_err(spawn)?, false).map_err(spawn)?.hold_reports(),
            said: VecDeque::new(),
            handle: Handle { requests, pid },
            death: None,
        };
        let mut text = String::new();
        let ready = tokio::time::timeout(READY_WITHIN, async {
            loop {
                match worker.next().await {
                    Said::Event(Event::Ready { protocol: PROTOCOL, .. }) => return Ok(()),
                    Said::Event(Event::Ready { protocol, .. }) => return Err(StartError::Version { theirs: protocol }),
                    Said::Text(_, said) => text.push_str(&said),
                    Said::Died(death) => return Err(StartError::Ended(format!("{} {}", death.sentence, text.trim()))),
                    Said::Event(_) | Said::Content(_) => {}
                }
            }
        });
        ready.await.map_err(|_| StartError::Silent)??;
        Ok(worker)
    }

    /// A way to this worker for other tasks.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Runs a cell. What comes of it, up to [`Event::Done`], comes out of [`Worker::next`].
    pub fn run(&mut self, run: Run) {
        // A report that is held back from before was none.
        self.take_text(true);
        self.handle.send(Request::Run(Box::new(run)));
    }

    /// How it ended, if it has ended while no cell ran.
    pub fn ended(&mut self) -> Option<Death> {
        let status = self.child.try_wait().ok()??;
        // Whoever listened between the cells knows more.
        self.death.clone().or_else(|| {
            self.stderr.drain();
            Some(Death::of(Some(status), self.stderr.report()))
        })
    }

    /// Waits for what the worker says next. Safe to drop and call again: nothing is lost.
    pub async fn next(&mut self) -> Said {
        loop {
            if let Some(said) = self.said.pop_front() {
                return said;
            }
            let open = tokio::select! {
                ready = self.socket.readable() => match ready {
                    Ok(()) => self.receive(),
                    Err(_) => false,
                },
                ready = self.stdout.readable() => {
                    if ready { self.stdout.read_some(); }
                    true
                }
                ready = self.stderr.readable() => {
                    if ready { self.stderr.read_some(); }
                    true
                }
            };
            self.take_text(false);
            if !open {
                let status = self.child.wait().await;
                self.stdout.drain();
                self.stderr.drain();
                let death = Death::of(status.ok(), self.stderr.report());
                if death.is_reported() {
                    self.stderr.drop_report();
                }
                self.take_text(true);
                self.death = Some(death.clone());
                self.said.push_back(Said::Died(death));
            }
        }
    }

    /// Reads the socket; false once it is closed.
    fn receive(&mut self) -> bool {
        let mut chunk = [0; CHUNK];
        loop {
            match self.socket.try_read(&mut chunk) {
                Ok(0) => return false,
                Ok(read) => self.received.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
            match self.take_events() {
                Ok(()) => {}
                Err(error) => {
                    crate::journal::note(format_args!("the worker sent what is no message ({error}); it is replaced"));
                    self.handle.kill();
                    return false;
                }
            }
        }
        true
    }

    /// Takes whole events out of what was received, each after the text that was written before it.
    fn take_events(&mut self) -> Result<(), FrameError> {
        let mut start = 0;
        while let Some(header) = self.received[start..].first_chunk::<4>() {
            let length = frame::length(*header)?;
            let Some(body) = self.received.get(start + 4..start + 4 + length) else { break };
            let event = frame::decode(body)?;
            start += 4 + length;
            self.stdout.drain();
            self.stderr.drain();
            // Mid-turn events don't split text; the end of a turn flushes a half character or marker as it stands.
            self.take_text(matches!(event, Event::Done { .. }));
            self.said.push_back(Said::Event(event));
        }
        self.received.drain(..start);
        Ok(())
    }

    /// Moves text from the pipes to what was said.
    fn take_text(&mut self, all: bool) {
        for (pipe, name) in [(&mut self.stdout, StreamName::Stdout), (&mut self.stderr, StreamName::Stderr)] {
            for piece in pipe.take(all) {
                self.said.push_back(match piece {
                    Piece::Text(text) => Said::Text(name, text),
                    Piece::Content(bundle) => Said::Content(bundle),
                });
            }
        }
    }

    /// Ends the worker: politely, then not.
    pub async fn stop(mut self) {
        self.handle.send(Request::Shutdown);
        if tokio::time::timeout(STOP_WITHIN, self.child.wait()).await.is_err() {
            // Nothing more can be done for a process that can't even be killed.
            let _ = self.child.kill().await;
        }
    }
}

/// Writes requests until the worker or its last handle goes.
async fn write(mut socket: OwnedWriteHalf, mut queue: mpsc::UnboundedReceiver<Request>) {
    while let Some(request) = queue.recv().await {
        let Ok(bytes) = frame::encode(&request) else { continue };
        if socket.write_all(&bytes).await.is_err() {
            return;
        }
    }
}
