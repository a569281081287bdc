//! One compiler run: flags, files, and what rustc says.
//!
//! rustc makes metadata, for later cells to compile against, and an object file, of which [`link`] makes the cell's library. All lie in the
//! session's one folder, so that a library finds those that it was linked with beside it (`$ORIGIN`). The source is a file named as the cell is called (`In[7]`), since that is the name that panics carry. Dropping the future of a run kills the
//! compiler.

pub(crate) mod colours;
pub mod diagnostics;
pub mod link;
pub mod toolchain;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::cell::source::{Source, crate_name};
use diagnostics::Diagnostic;
use toolchain::Toolchain;

/// What a run made.
#[derive(Debug)]
pub enum Compiled {
    /// The cell's library.
    Library(PathBuf),
    /// The cell does not compile.
    Errors(Vec<Diagnostic>),
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The cell's library.
    Library,
    /// Errors alone.
    Errors,
    /// The types of what the cell stores, as [`crate::cell::probe`] reads them from errors.
    Types,
}

/// Why rustc could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum RustcError {
    /// A file can't be written.
    #[error(
        "can't write {path}: {error}. Free some space there, or set TMPDIR to a folder that can be written, and restart the kernel"
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It does not run.
    #[error("can't run {program}: {error}. Run footlight-kernel doctor")]
    Unrunnable {
        /// The program.
        program: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It failed and gave no diagnostics: an internal error, a disk that is full.
    #[error("rustc failed on this cell and said:\n{0}")]
    Failed(String),
    /// What it made could not be linked.
    #[error(transparent)]
    Link(#[from] link::LinkError),
}

/// Compiles a cell's source in `folder`. `file` is what the source is called.
pub async fn compile(
    toolchain: &Toolchain,
    folder: &Path,
    number: u64,
    file: &str,
    source: &Source,
    aim: Aim,
) -> Result<Compiled, RustcError> {
    let path = folder.join(file);
    tokio::fs::write(&path, &source.text).await.map_err(|error| RustcError::Unwritable { path: path.clone(), error })?;
    let name = crate_name(number);
    let mut command = Command::new(&toolchain.program);
    command.current_dir(folder).arg(file).args(["--crate-name", &name, "--edition", "2024", "--crate-type", "lib"]);
    // Checked, since a notebook's wrong number is worse than a slower loop.
    command.arg("-Coverflow-checks=yes");
    // Level 1 costs a small cell some 7 ms more than 0, and lets loops on the host run many times faster.
    command.args(["--error-format=json", "-Cembed-bitcode=no", "-Cdebuginfo=0", "-Copt-level=1", "-Ccodegen-units=1"]);
    match aim {
        Aim::Library => command.arg("--emit=metadata,obj"),
        // A name of its own, since the cell's metadata are there already.
        Aim::Errors => command.arg("--emit=metadata=errors.rmeta"),
        Aim::Types => command.env("RUSTC_BOOTSTRAP", "1").args(TYPES),
    };
    command.arg("--extern").arg(joined("footlight=", &toolchain.home.library()));
    command.arg("-L").arg(joined("dependency=", &toolchain.home.deps()));
    command.arg("-L").arg(joined("dependency=", folder));
    for other in &source.externs {
        let name = crate_name(*other);
        command.arg("--extern").arg(joined(&format!("{name}="), &folder.join(format!("lib{name}.rmeta"))));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let unrunnable = |error| RustcError::Unrunnable { program: toolchain.program.clone(), error };
    let output = command.spawn().map_err(unrunnable)?.wait_with_output().await.map_err(unrunnable)?;
    if output.status.success() {
        let made = library_name(number);
        if aim == Aim::Library {
            let object = format!("{name}.o");
            let needed: Vec<String> = source.externs.iter().map(|other| library_name(*other)).collect();
            toolchain.linker.link(folder, &object, &made, &needed).await?;
            // It is of no more use; one that stays does no harm.
            let _ = tokio::fs::remove_file(folder.join(object)).await;
        }
        return Ok(Compiled::Library(folder.join(made)));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let diagnostics = Diagnostic::read(&said);
    // An internal error, or a disk that is full, has no place in the cell.
    if diagnostics.iter().any(|diagnostic| diagnostic.is_error() && !diagnostic.spans.is_empty()) {
        return Ok(Compiled::Errors(diagnostics));
    }
    let messages: Vec<String> =
        diagnostics.into_iter().filter(Diagnostic::is_error).map(|diagnostic| diagnostic.message).collect();
    Err(RustcError::Failed(if messages.is_empty() { said.trim().to_owned() } else { messages.join("\n") }))
}

/// Makes rustc say types as later cells write them: paths from the crate's root, and none shortened.
const TYPES: &[&str] =
    &["--emit=metadata=types.rmeta", "--cfg=footlight_types", "-Ztrim-diagnostic-paths=no", "-Zwrite-long-types-to-disk=no"];

/// The file of cell `number`'s library.
pub fn library_name(number: u64) -> String {
    format!("lib{}.so", crate_name(number))
}

fn joined(start: &str, path: &Path) -> std::ffi::OsString {
    let mut text = std::ffi::OsString::from(start);
    text.push(path);
    text
}
