//! Runs that repeat what the user has seen already, without showing it again.

use super::output;
use std::fs::File;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};

/// Until dropped, what the cell prints and shows is thrown away.
pub(crate) struct Muted {
    /// The pipes that belong in the place of stdout and stderr.
    pipes: [Option<OwnedFd>; 2],
}

impl Muted {
    /// Mutes this thread's displays, and the process's prints.
    pub(crate) fn begin() -> Self {
        output::flush();
        output::mute(true);
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        let nowhere = File::options().write(true).open("/dev/null").ok();
        let pipes = [stdout.as_fd(), stderr.as_fd()].map(|place| {
            let nowhere = nowhere.as_ref()?;
            let pipe = place.try_clone_to_owned().ok()?;
            put(nowhere.as_fd(), place).then_some(pipe)
        });
        Self { pipes }
    }
}

impl Drop for Muted {
    fn drop(&mut self) {
        output::flush();
        let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
        for (pipe, place) in self.pipes.iter().zip([stdout.as_fd(), stderr.as_fd()]) {
            pipe.iter().for_each(|pipe| {
                put(pipe.as_fd(), place);
            });
        }
        output::mute(false);
    }
}

/// Puts another file in the place of an open one.
fn put(file: BorrowedFd<'_>, place: BorrowedFd<'_>) -> bool {
    // SAFETY: both descriptors are open for the call, and `place` stays open: what it stands for is changed, as by a shell's `>`.
    unsafe { libc::dup2(file.as_raw_fd(), place.as_raw_fd()) >= 0 }
}
