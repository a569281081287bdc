//! How a worker died: one clear sentence for each way.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What became of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Death {
    /// The error's name in the notebook.
    pub name: &'static str,
    /// What happened.
    pub sentence: String,
    /// What to do about it.
    pub advice: Option<&'static str>,
}

/// A signal's meaning: its number, the error's name, the sentence, the advice.
type Cause = (i32, &'static str, &'static str, Option<&'static str>);

/// The signals that end workers.
const CAUSES: &[Cause] = &[
    (
        libc::SIGSEGV,
        "Segfault",
        "the cell read or wrote memory that is not its own (SIGSEGV)",
        Some("look at its `unsafe` code and at foreign functions that it calls"),
    ),
    (
        libc::SIGBUS,
        "Segfault",
        "the cell used memory that is not there (SIGBUS)",
        Some("a mapped file may have become shorter, or a disk may be full"),
    ),
    (
        libc::SIGABRT,
        "Aborted",
        "the cell aborted the process (SIGABRT)",
        Some("a panic in a destructor during a panic, or a call of abort(), does this"),
    ),
    (libc::SIGILL, "Aborted", "the cell ran an instruction that this machine does not have (SIGILL)", None),
    (libc::SIGFPE, "Aborted", "the processor refused an arithmetic instruction (SIGFPE)", None),
    (
        libc::SIGKILL,
        "Killed",
        "the process was killed (SIGKILL)",
        Some("if nobody killed it, memory ran out: work in smaller pieces, or free what is no longer needed"),
    ),
    (libc::SIGTERM, "Killed", "the process was ended from outside (SIGTERM)", None),
];

impl Death {
    /// A death that an interrupt brought about, after the user was told so.
    pub fn by_interrupt(self) -> Self {
        Death { name: "Interrupted", sentence: "the cell did not stop, so its process was ended".to_owned(), advice: None }
    }

    /// Whether it says all that Rust's own report does.
    pub(super) fn is_reported(&self) -> bool {
        matches!(self.name, "StackOverflow" | "OutOfMemory")
    }

    /// Tells the cause from how the process ended and what Rust's handlers reported before.
    pub(super) fn of(status: Option<ExitStatus>, report: &str) -> Self {
        let advice = None;
        let Some(status) = status else {
            return Death {
                name: "WorkerLost",
                sentence: "the worker is gone, and the system does not say how".to_owned(),
                advice,
            };
        };
        // Rust's own handlers write these lines and abort.
        let aborted = status.signal() == Some(libc::SIGABRT);
        if aborted && report.contains("has overflowed its stack") {
            return Death {
                name: "StackOverflow",
                sentence: "the cell used up its stack of 64 MiB".to_owned(),
                advice: Some("a recursion may not end; turn a deep one into a loop, or run it on a thread with a larger stack"),
            };
        }
        if aborted && report.contains("memory allocation of") {
            return Death {
                name: "OutOfMemory",
                sentence: "the cell asked for more memory than there is".to_owned(),
                advice: Some("work in smaller pieces, or free what is no longer needed"),
            };
        }
        if let Some(signal) = status.signal() {
            return match CAUSES.iter().find(|cause| cause.0 == signal) {
                Some((_, name, sentence, advice)) => Death { name, sentence: (*sentence).to_owned(), advice: *advice },
                None => Death { name: "Killed", sentence: format!("the process was ended by signal {signal}"), advice },
            };
        }
        let code = status.code().unwrap_or_default();
        Death {
            name: "Exited",
            sentence: format!("the cell ended the process with exit code {code}"),
            advice: Some("write `return;` to end a cell early"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_a_name_and_a_sentence() {
        let of = |raw| Death::of(Some(ExitStatus::from_raw(raw)), "");
        assert_eq!(of(3 << 8).name, "Exited");
        assert!(of(3 << 8).sentence.contains("code 3"));
        for &(signal, name, sentence, _) in CAUSES {
            assert_eq!((of(signal).name, of(signal).sentence.as_str()), (name, sentence));
        }
        assert!(of(libc::SIGUSR1).sentence.contains(&libc::SIGUSR1.to_string()));
        let overflow = "\nthread 'cell' has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        assert_eq!(Death::of(Some(ExitStatus::from_raw(libc::SIGABRT)), overflow).name, "StackOverflow");
        let memory = "memory allocation of 17179869184 bytes failed\n";
        assert_eq!(Death::of(Some(ExitStatus::from_raw(libc::SIGABRT)), memory).name, "OutOfMemory");
        // A program may print such a line and end in another way.
        assert_eq!(Death::of(Some(ExitStatus::from_raw(3 << 8)), overflow).name, "Exited");
        assert_eq!(Death::of(Some(ExitStatus::from_raw(libc::SIGKILL)), memory).name, "Killed");
    }
}
