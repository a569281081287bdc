//! Links a cell: rustc's object file to the library that the worker loads.
//!
//! rustc would run the C compiler, and that the linker, over the standard library and the system's: a third of a small cell's time. A cell
//! need name none of them, since the worker has them loaded, with the runtime, before any cell, and a library's undefined symbols are
//! looked for there. So the linker is run directly, over the object, the libraries of the cells that it uses, and compiler-rt's
//! intrinsics, which the standard library does not export.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

/// A linker and what it is given with every cell.
#[derive(Clone, Debug)]
pub struct Linker {
    program: PathBuf,
    /// Arguments that come first.
    flavor: &'static [&'static str],
    /// The archive of intrinsics.
    intrinsics: Option<PathBuf>,
}

/// Why a cell's library could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// There is no linker.
    #[error(
        "no linker: there is no `ld` on the PATH and no rust-lld in {0}. Install one (apt-get install binutils, or gcc, which brings it), then restart the kernel"
    )]
    Missing(PathBuf),
    /// It does not run.
    #[error("can't run {program}: {error}. Run footlight-kernel doctor")]
    Unrunnable {
        /// The program.
        program: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It ran and failed.
    #[error("the linker failed on this cell and said:\n{0}")]
    Failed(String),
}

impl Linker {
    /// The system's `ld`, which starts fastest, else the lld that comes with rustc. `host` is the machine's target triple.
    ///
    /// # Errors
    /// [`LinkError::Missing`] if there is neither.
    pub fn find(sysroot: &Path, host: &str) -> Result<Self, LinkError> {
        let target = sysroot.join("lib/rustlib").join(host);
        let intrinsics = std::fs::read_dir(target.join("lib")).ok().and_then(|entries| {
            let named = |path: &PathBuf| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                name.starts_with("libcompiler_builtins-") && name.ends_with(".rlib")
            };
            entries.filter_map(|entry| Some(entry.ok()?.path())).find(named)
        });
        let path = std::env::var_os("PATH").unwrap_or_default();
        let system = std::env::split_paths(&path).map(|folder| folder.join("ld")).find(|program| program.is_file());
        let own = target.join("bin/rust-lld");
        match system {
            Some(program) => Ok(Linker { program, flavor: &[], intrinsics }),
            None if own.is_file() => Ok(Linker { program: own, flavor: &["-flavor", "gnu"], intrinsics }),
            None => Err(LinkError::Missing(target)),
        }
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Makes `library` of `object`, both names in `folder`, where the libraries `needed` lie too. Dropping the future ends the linker.
    ///
    /// # Errors
    /// See [`LinkError`].
    pub async fn link(&self, folder: &Path, object: &str, library: &str, needed: &[String]) -> Result<(), LinkError> {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).args(self.flavor).args(["-shared", "-o", library, "-soname", library]);
        // Beside it lie the libraries that it needs. All symbols are bound at its load, so that one which is missing is an error there.
        command.args(["-rpath", "$ORIGIN", "--eh-frame-hdr", "--hash-style=gnu"]);
        command.args(["-z", "noexecstack", "-z", "relro", "-z", "now"]);
        command.arg(object).args(needed).args(&self.intrinsics);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
        let unrunnable = |error| LinkError::Unrunnable { program: self.program.clone(), error };
        let output = command.spawn().map_err(unrunnable)?.wait_with_output().await.map_err(unrunnable)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(LinkError::Failed(if said.is_empty() { output.status.to_string() } else { said }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_linker_says_is_passed_on_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let missing = Linker::find(folder.path(), "none").map(|linker| linker.flavor.len());
        // This machine's `ld`, if it has one, needs nothing of the sysroot.
        match missing {
            Ok(flavor) => assert_eq!(flavor, 0),
            Err(error) => assert!(error.to_string().contains("no linker")),
        }
        std::fs::write(folder.path().join("bad.o"), "no object").expect("written");
        let linker = Linker { program: PathBuf::from("ld"), flavor: &[], intrinsics: None };
        let error = linker.link(folder.path(), "bad.o", "libbad.so", &[]).await.expect_err("no object");
        assert!(error.to_string().contains("bad.o") || matches!(error, LinkError::Unrunnable { .. }), "{error}");
    }
}
