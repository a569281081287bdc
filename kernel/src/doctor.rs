//! `footlight-kernel doctor`: checks what a cell needs, and says how to mend what is missing.
//!
//! One file a check, one word in the table.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    /// In order.
    Good,
    /// Something will be missing or slow.
    Poor,
    /// Cells can't run.
    Bad,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    grade: Grade,
    what: String,
    mend: Option<String>,
}

impl Finding {
    pub(crate) fn good(what: impl Into<String>) -> Self {
        Finding { grade: Grade::Good, what: what.into(), mend: None }
    }

    pub(crate) fn poor(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Finding { grade: Grade::Poor, what: what.into(), mend: Some(mend.into()) }
    }

    pub(crate) fn bad(what: impl Into<String>, mend: impl Into<String>) -> Self {
        Finding { grade: Grade::Bad, what: what.into(), mend: Some(mend.into()) }
    }
}

macro_rules! table {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// The checks, in the order in which they are made.
        static TABLE: &[(&str, fn() -> Finding)] = &[$((stringify!($name), $name::check)),*];
    };
}

table! { rustc linker runtime jupyter disk cuda }

/// Makes every check and writes what it found; whether cells can run.
pub fn run(out: &mut impl Write) -> io::Result<bool> {
    let mut sound = true;
    for (name, check) in TABLE {
        let Finding { grade, what, mend } = check();
        let word = match grade {
            Grade::Good => "ok  ",
            Grade::Poor => "note",
            Grade::Bad => "BAD ",
        };
        writeln!(out, "{word}  {name:8} {what}")?;
        if let Some(mend) = mend {
            writeln!(out, "{:16}-> {mend}", "")?;
        }
        sound &= grade != Grade::Bad;
    }
    Ok(sound)
}

/// What a program prints, or why it could not run or failed.
fn output(program: impl AsRef<Path>, arguments: &[&str]) -> Result<String, String> {
    let (name, program) = (program.as_ref().display(), program.as_ref());
    let ran = Command::new(program).args(arguments).output().map_err(|error| format!("{name} does not run: {error}"))?;
    if ran.status.success() {
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&ran.stderr);
    Err(format!("{name} failed ({}): {}", ran.status, said.lines().next().unwrap_or("it said nothing")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_reports_and_every_fault_says_how_to_mend_it() {
        for (name, check) in TABLE {
            let finding = check();
            assert!(!finding.what.is_empty(), "{name}");
            assert_eq!(finding.mend.is_none(), finding.grade == Grade::Good, "{name}: {finding:?}");
        }
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        assert!(output("no-such-program", &[]).expect_err("missing").contains("does not run"));
        assert!(output("sh", &["-c", "echo why >&2; exit 3"]).expect_err("fails").contains("why"));
    }
}
