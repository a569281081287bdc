//! The worker's main: it reads the kernel's requests, runs cells on one thread, and speaks events.
//!
//! Four threads: one reads the socket (an interrupt sets its flag at once, acks and input wake who waits for them, the rest queues),
//! one runs cells on a large stack, one flushes stdout so that `print!` appears without a newline, one sees a cell that waits on
//! stdin. The process exits when the socket closes, so no worker outlives its kernel.

pub(crate) mod input;
mod load;
mod mute;
pub(crate) mod output;
pub(crate) mod panic;
pub mod store;
mod summary;
mod turn;

pub use input::{input, password};

use crate::context::INTERRUPTED;
use footlight_channel::{Event, FD_VARIABLE, PROTOCOL, Request, read_frame};
use std::io::Write as _;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::Duration;

/// The stack of the thread that runs cells, in bytes: room for deep recursion, taken from the system only as it is used.
const STACK: usize = 64 << 20;
/// How often stdout is flushed; between cells too, where threads of the user's may print.
const FLUSH: Duration = Duration::from_millis(20);

/// Whether a cell is running; an interrupt between cells must not stop the next one.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Runs the worker until its kernel goes. The program `footlight-worker` is this call.
pub fn main() {
    let Some(socket) = socket() else {
        eprintln!("footlight-worker is started by footlight-kernel; {FD_VARIABLE} names no socket");
        std::process::exit(2);
    };
    let reader = socket.try_clone().expect("a socket that was just opened can be duplicated");
    output::connect(socket);
    panic::install_hook();
    input::install();
    let (queue, requests) = mpsc::channel();
    spawn("channel", move || read(reader, &queue));
    spawn("flush", || {
        loop {
            std::thread::sleep(FLUSH);
            let _ = std::io::stdout().flush();
        }
    });
    output::send(&Event::Ready { protocol: PROTOCOL, rustc: env!("FOOTLIGHT_RUSTC").to_owned(), pid: std::process::id() });
    let cells = std::thread::Builder::new().name("cell".to_owned()).stack_size(STACK).spawn(move || serve(&requests));
    // Without a thread for cells there is no worker; the kernel reports that it ended.
    if cells.map(std::thread::JoinHandle::join).is_ok_and(|joined| joined.is_ok()) {
        std::process::exit(0);
    }
    std::process::exit(1);
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).expect("a new process can start a thread");
}

/// The socket that the kernel left open for us, kept from the programs that cells start.
fn socket() -> Option<UnixStream> {
    let fd: i32 = std::env::var(FD_VARIABLE).ok()?.parse().ok()?;
    // SAFETY: fcntl on a number that may not be open only returns an error.
    if fd < 3 || unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) } < 0 {
        return None;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: asks to be killed when the parent's thread ends; takes no pointers.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
    }
    // SAFETY: no thread has been started yet, so nobody reads the environment; the variable is not for the user's programs.
    unsafe { std::env::remove_var(FD_VARIABLE) };
    // SAFETY: the kernel gave us this descriptor alone, and it is open.
    Some(unsafe { OwnedFd::from_raw_fd(fd) }.into())
}

/// Reads requests until the kernel goes.
fn read(mut socket: UnixStream, queue: &mpsc::Sender<Request>) {
    loop {
        match read_frame::<Request>(&mut socket) {
            Ok(Request::Interrupt) => {
                if RUNNING.load(Relaxed) {
                    INTERRUPTED.store(true, Relaxed);
                    input::interrupted();
                }
            }
            Ok(Request::Ack { seq }) => output::acknowledged(seq),
            Ok(Request::Input { line, refusal }) => input::answered(line, refusal),
            Ok(request) => {
                // A cell runs from here on: set where interrupts are read, so that one just behind it is for it and none before is.
                if matches!(request, Request::Run(_)) {
                    INTERRUPTED.store(false, Relaxed);
                    RUNNING.store(true, Relaxed);
                }
                // The receiver lives as long as the thread of cells; without it the process is ending.
                let _ = queue.send(request);
            }
            // A closed or broken channel: nobody is left to run cells for.
            Err(_) => std::process::exit(0),
        }
    }
}

/// Runs one request after the other.
fn serve(requests: &mpsc::Receiver<Request>) {
    let mut store = store::Store::default();
    input::watch(current_thread());
    for request in requests {
        match request {
            Request::Run(run) => {
                let (failure, ran) = turn::run(&run, &mut store);
                crate::show::live_plot::draw_pending();
                RUNNING.store(false, Relaxed);
                output::flush();
                if let Some(failure) = failure {
                    output::send(&Event::Failed(failure));
                }
                output::send(&Event::Done { cell: run.cell, ran });
            }
            Request::Forget { names } => store.forget(&names),
            Request::Shutdown => return,
            // Handled by the reading thread.
            Request::Ack { .. } | Request::Input { .. } | Request::Interrupt => {}
        }
    }
}

/// The system's number of this thread, under which /proc tells of it.
fn current_thread() -> i32 {
    #[cfg(target_os = "linux")]
    // SAFETY: gettid takes nothing and cannot fail.
    return unsafe { libc::gettid() };
    #[cfg(not(target_os = "linux"))]
    0
}
