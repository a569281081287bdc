//! Input: `input("…")` and `password("…")` ask by themselves; a cell that reads `std::io::stdin()` is seen waiting and asked for.
//!
//! The worker's stdin is a pipe of its own. A thread looks at what system call the thread of cells is in; when that is a read of
//! descriptor 0, the user is asked for a line, and the line is written into the pipe.

use crate::context::{self, INTERRUPTED};
use footlight_channel::Event;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often the thread of cells is looked at.
const LOOK: Duration = Duration::from_millis(30);

/// What comes of a question.
enum Answer {
    Line(String),
    /// Why there is no line.
    Refused(String),
    /// The user interrupted the cell.
    Interrupted,
}

static ANSWER: Mutex<Option<Answer>> = Mutex::new(None);
static WOKEN: Condvar = Condvar::new();
static ASKING: Mutex<()> = Mutex::new(());
static PIPE: Mutex<Option<File>> = Mutex::new(None);

/// Puts a fresh pipe in the place of stdin and keeps its other end.
pub(crate) fn install() {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for the two descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } < 0 {
        return;
    }
    // SAFETY: both descriptors are new and ours; dup2 puts the read end in the place of stdin.
    let write = unsafe {
        libc::dup2(ends[0], 0);
        libc::close(ends[0]);
        libc::fcntl(ends[1], libc::F_SETFD, libc::FD_CLOEXEC);
        OwnedFd::from_raw_fd(ends[1])
    };
    *PIPE.lock().unwrap_or_else(PoisonError::into_inner) = Some(write.into());
}

/// Wakes who waits for a line.
pub(crate) fn answered(line: Option<String>, refusal: Option<String>) {
    let answer = match (line, refusal) {
        (Some(line), _) => Answer::Line(line),
        (None, Some(refusal)) => Answer::Refused(refusal),
        (None, None) => Answer::Interrupted,
    };
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    WOKEN.notify_all();
}

/// Wakes who waits for a line that will not come.
pub(crate) fn interrupted() {
    WOKEN.notify_all();
}

/// Asks for a line and waits.
fn ask(prompt: &str, password: bool) -> Answer {
    let _one = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    *ANSWER.lock().unwrap_or_else(PoisonError::into_inner) = None;
    super::output::flush();
    super::output::send(&Event::InputRequest { prompt: prompt.to_owned(), password });
    let mut answer = ANSWER.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(answer) = answer.take() {
            return answer;
        }
        if INTERRUPTED.load(Relaxed) {
            return Answer::Interrupted;
        }
        answer = WOKEN.wait_timeout(answer, LOOK).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Asks the user for a line of text, shown `prompt`; the line comes without its newline.
///
/// # Panics
/// With a typed error if the client gives no input, as when a notebook is run without a person.
#[must_use]
#[track_caller]
pub fn input(prompt: &str) -> String {
    line(prompt, false)
}

/// Asks the user for a line of text that is not shown as it is typed.
///
/// # Panics
/// As [`input`].
#[must_use]
#[track_caller]
pub fn password(prompt: &str) -> String {
    line(prompt, true)
}

#[track_caller]
fn line(prompt: &str, password: bool) -> String {
    match ask(prompt, password) {
        Answer::Line(line) => line,
        Answer::Refused(refusal) => crate::error::Error::new(crate::error::ErrorKind::Value, refusal).raise(),
        Answer::Interrupted => context::interrupted(),
    }
}

/// Watches the thread of cells for reads of stdin.
pub(crate) fn watch(thread: i32) {
    super::spawn("stdin", move || {
        loop {
            std::thread::sleep(LOOK);
            if super::RUNNING.load(Relaxed) && reads_stdin(thread) {
                feed();
            }
        }
    });
}

/// Whether a thread of this process is in a read of descriptor 0.
fn reads_stdin(thread: i32) -> bool {
    let Ok(call) = std::fs::read_to_string(format!("/proc/self/task/{thread}/syscall")) else { return false };
    let mut words = call.split_ascii_whitespace();
    words.next() == Some(libc::SYS_read.to_string().as_str()) && words.next() == Some("0x0")
}

/// Asks for a line and writes it into the pipe. Where no line comes the pipe is closed and made anew, so that the reader sees the end.
fn feed() {
    let written = match ask("", false) {
        Answer::Line(line) => {
            let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
            pipe.as_mut().is_some_and(|pipe| pipe.write_all(format!("{line}\n").as_bytes()).is_ok())
        }
        Answer::Refused(refusal) => {
            eprintln!("{refusal}");
            false
        }
        Answer::Interrupted => false,
    };
    if !written {
        let closed = PIPE.lock().unwrap_or_else(PoisonError::into_inner).take();
        debug_assert!(closed.as_ref().is_none_or(|pipe| pipe.as_raw_fd() > 2));
        drop(closed);
        // The reader takes the end of the old pipe before a new one stands in its place.
        std::thread::sleep(LOOK);
        install();
    }
}
