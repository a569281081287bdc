//! `!command`: a program of the system, run through `sh`.
//!
//! It is a group of processes of its own, so that an interrupt ends it with all that it started; a guardian does so where the kernel dies.
//! What it writes is passed on as it comes.

use std::io;
use std::process::{ExitStatus, Stdio};

use futures::FutureExt;
use tokio::process::{Child, Command};

use super::{Act, Call, Desk, Magic};
use crate::outputs::{Outputs, StreamName};
use crate::session::Failure;
use crate::worker::pipes::{Piece, Pipe};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["!"],
    syntax: &["!command"],
    doc: "runs a command of the shell and prints what it writes",
    help: "It runs through sh -c in the kernel's folder, before the Rust of the cell; a status other than 0 ends the cell. Each line is a \
           shell of its own, so `cd` and variables don't last: join commands with &&. There is no input. An interrupt ends the command \
           and what it started.",
    example: "!head -3 data.csv",
    accepts: |rest| !rest.is_empty(),
    act: Act::Answer(|call, desk| answer(call, desk).boxed()),
};

async fn answer(call: Call<'_>, desk: Desk<'_>) -> Result<(), Failure> {
    let command = &call.line.rest;
    let status =
        run(command, desk.outputs).await.map_err(|error| call.failure("CommandFailed", format!("can't run sh: {error}")))?;
    if status.success() {
        return Ok(());
    }
    let how = match status.code() {
        Some(code) => format!("exit status {code}"),
        None => format!("{status}"),
    };
    Err(call.failure("CommandFailed", format!("`{command}` failed with {how}")))
}

/// A shell and what it started; dropping it ends them all.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // None once it has been waited for: its number may be another's by then.
        if let Some(pid) = self.0.id().and_then(|pid| i32::try_from(pid).ok()) {
            // SAFETY: kill takes no pointers. The group is our child's, who was made its leader and is not waited for yet.
            unsafe { libc::kill(-pid, libc::SIGKILL) };
        }
    }
}

/// Ends the group when the kernel dies, of whatever: its end of the guardian's pipe closes then. To be killed when the group has ended.
fn guardian(group: &Group) -> io::Result<Option<Child>> {
    let Some(leader) = group.0.id() else { return Ok(None) };
    let mut guardian = Command::new("sh");
    guardian.args(["-c", "read -r _; kill -KILL -\"$0\""]).arg(leader.to_string());
    guardian.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    guardian.process_group(0).spawn().map(Some)
}

/// Runs a command to the end of what it writes; what it left in the background holds the pipes open, and counts as running.
async fn run(command: &str, outputs: &Outputs) -> io::Result<ExitStatus> {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group(shell.process_group(0).spawn()?);
    let guardian = guardian(&group)?;
    let (Some(stdout), Some(stderr)) = (group.0.stdout.take(), group.0.stderr.take()) else {
        return Err(io::Error::other("it has no pipes"));
    };
    let mut stdout = Pipe::new(stdout.into_owned_fd()?, false)?;
    let mut stderr = Pipe::new(stderr.into_owned_fd()?, false)?;
    while stdout.is_open() || stderr.is_open() {
        tokio::select! {
            ready = stdout.readable() => if ready { stdout.read_some() },
            ready = stderr.readable() => if ready { stderr.read_some() },
        }
        pass_on(&mut stdout, StreamName::Stdout, outputs).await;
        pass_on(&mut stderr, StreamName::Stderr, outputs).await;
    }
    // Before the number of the group can become another's.
    if let Some(mut guardian) = guardian {
        guardian.kill().await?;
    }
    group.0.wait().await
}

async fn pass_on(pipe: &mut Pipe, name: StreamName, outputs: &Outputs) {
    let closed = !pipe.is_open();
    for piece in pipe.take(closed) {
        if let Piece::Text(text) = piece {
            outputs.stream(name, text).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_command_that_is_dropped_takes_its_children_along() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pid");
        let (outputs, _entrances) = Outputs::detached(false);
        let command = format!("sh -c 'echo $$ > {}; exec sleep 60' & wait", file.display());
        let ended = tokio::time::timeout(Duration::from_millis(500), run(&command, &outputs)).await;
        assert!(ended.is_err(), "it sleeps for a minute");
        let pid: u32 = std::fs::read_to_string(&file).expect("the child has begun").trim().parse().expect("a number");
        for _ in 0..100 {
            // Ended, and perhaps not yet waited for by init.
            let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if state.is_empty() || state.contains(") Z ") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the child still runs");
    }

    #[tokio::test]
    async fn the_status_comes_through() {
        let (outputs, _entrances) = Outputs::detached(false);
        assert_eq!(run("echo out; echo err >&2; exit 3", &outputs).await.expect("sh runs").code(), Some(3));
    }
}
