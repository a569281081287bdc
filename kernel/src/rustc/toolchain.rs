//! The rustc that compiles cells: found, and checked to be the one that built the runtime.
//!
//! `$RUSTC` if set, else the compiler in the sysroot that built the runtime, else `rustc` on the PATH. The sysroot's comes first since
//! rustup's proxy on the PATH costs every cell some 20 ms.

use std::path::PathBuf;

use tokio::process::Command;

use super::link::{LinkError, Linker};
use crate::home::{Home, HomeError, RuntimeInfo};

/// A compiler whose crates fit the runtime.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The program.
    pub program: PathBuf,
    /// What links its object files.
    pub linker: Linker,
    /// The installed tree.
    pub home: Home,
}

/// Why cells can't be compiled. Every message ends with what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The runtime is missing or damaged.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// There is no linker.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// There is no rustc.
    #[error(
        "no rustc: {program} does not run ({error}). Install Rust (rustup, or the package rustc), or set RUSTC to its path, then restart the kernel"
    )]
    Missing {
        /// What was tried.
        program: String,
        /// What the system said.
        error: String,
    },
    /// It is another one than the runtime's.
    #[error(
        "{program} is {found}, and the runtime was built by {wanted}. Run ./install.sh again to build the runtime with this rustc, or set RUSTC to the other one, then restart the kernel"
    )]
    Other {
        /// The program.
        program: String,
        /// Its version.
        found: String,
        /// The version that the runtime needs.
        wanted: String,
    },
}

/// The compiler that cells of this runtime are compiled with. It need not be there, nor be the one that built the runtime.
pub fn program(runtime: Option<&RuntimeInfo>) -> PathBuf {
    let of_sysroot = runtime.map(|runtime| runtime.sysroot.join("bin/rustc")).filter(|program| program.is_file());
    let asked = std::env::var_os("RUSTC").map(PathBuf::from);
    asked.or(of_sysroot).unwrap_or_else(|| PathBuf::from("rustc"))
}

impl Toolchain {
    /// Finds and checks the compiler.
    pub async fn find(home: &Home) -> Result<Self, ToolchainError> {
        let runtime = home.runtime()?;
        let program = program(Some(&runtime));
        let missing = |error: String| ToolchainError::Missing { program: program.display().to_string(), error };
        let output = Command::new(&program).arg("-vV").output().await.map_err(|error| missing(error.to_string()))?;
        if !output.status.success() {
            return Err(missing(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let found = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if found != runtime.rustc.trim() {
            let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
            let program = program.display().to_string();
            return Err(ToolchainError::Other { program, found: first(&found), wanted: first(&runtime.rustc) });
        }
        let host = found.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        let linker = Linker::find(&runtime.sysroot, host)?;
        Ok(Toolchain { program, linker, home: home.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sysroots_compiler_needs_no_path() {
        if std::env::var_os("RUSTC").is_some() {
            return;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let sysroot = folder.path().to_owned();
        let runtime = RuntimeInfo { version: String::new(), rustc: String::new(), sysroot: sysroot.clone() };
        assert_eq!(program(Some(&runtime)), PathBuf::from("rustc"), "there is none in it");
        std::fs::create_dir(sysroot.join("bin")).expect("made");
        std::fs::write(sysroot.join("bin/rustc"), "").expect("written");
        assert_eq!(program(Some(&runtime)), sysroot.join("bin/rustc"));
        assert_eq!(program(None), PathBuf::from("rustc"));
    }
}
