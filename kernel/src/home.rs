//! The installed tree: where the worker, the runtime library and what rustc links with lie.
//!
//! `$FOOTLIGHT_HOME`, else the folder above the kernel's own: `HOME/bin/footlight-kernel`. Inside it: `bin/footlight-worker`,
//! `lib/libfootlight.so`, `lib/deps/` and `runtime.json`, which says which rustc built the runtime.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The installed tree.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

/// What `runtime.json` says of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RuntimeInfo {
    /// Footlight's version.
    pub version: String,
    /// The text of `rustc -vV` of the compiler that built it.
    pub rustc: String,
    /// That compiler's sysroot.
    pub sysroot: PathBuf,
}

/// Why the installed tree can't be used. Every message ends with what to do.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// There is none where it should be.
    #[error("no Footlight runtime in {0} (it has no runtime.json): run ./install.sh, or set FOOTLIGHT_HOME to an installed tree")]
    Missing(PathBuf),
    /// It is there, and can't be read.
    #[error("can't read {path}: {error}. Run ./install.sh again")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is not what an install writes.
    #[error("{path} is not a runtime description: {error}. Run ./install.sh again")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        error: serde_json::Error,
    },
}

impl Home {
    /// The tree at `root`, not looked at.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Home { root: root.into() }
    }

    /// Finds the tree: `$FOOTLIGHT_HOME`, else `..` of the program's folder. Fails if no runtime is there.
    pub fn find() -> Result<Self, HomeError> {
        let root = match std::env::var_os("FOOTLIGHT_HOME") {
            Some(root) => PathBuf::from(root),
            None => std::env::current_exe()
                .ok()
                .and_then(|program| program.canonicalize().ok())
                .and_then(|program| Some(program.parent()?.parent()?.to_path_buf()))
                .unwrap_or_else(|| PathBuf::from("..")),
        };
        let home = Home { root };
        if home.runtime_json().is_file() { Ok(home) } else { Err(HomeError::Missing(home.root)) }
    }

    /// The tree's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder to name in what outlives this build: an installed build is `HOME/releases/NAME`, which the next install deletes, and the
    /// links in `HOME` lead to the newest.
    pub fn lasting(&self) -> &Path {
        let releases = self.root.parent().filter(|releases| releases.ends_with("releases"));
        let above = releases.and_then(Path::parent).filter(|home| home.join("runtime.json").is_file());
        above.unwrap_or(&self.root)
    }

    /// The worker program.
    pub fn worker(&self) -> PathBuf {
        self.root.join("bin/footlight-worker")
    }

    /// The runtime library that cells link with.
    pub fn library(&self) -> PathBuf {
        self.root.join("lib/libfootlight.so")
    }

    /// The metadata of the runtime's dependencies, for rustc's `-L dependency=`.
    pub fn deps(&self) -> PathBuf {
        self.root.join("lib/deps")
    }

    /// Reads `runtime.json`.
    pub fn runtime(&self) -> Result<RuntimeInfo, HomeError> {
        let path = self.runtime_json();
        let text = std::fs::read(&path).map_err(|error| HomeError::Unreadable { path: path.clone(), error })?;
        serde_json::from_slice(&text).map_err(|error| HomeError::Malformed { path, error })
    }

    fn runtime_json(&self) -> PathBuf {
        self.root.join("runtime.json")
    }
}

/// The user's data folder for Footlight, which outlives installs: history and caches. `$XDG_DATA_HOME/footlight`, by default
/// `~/.local/share/footlight`.
pub fn user_data() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_DATA_HOME").filter(|base| !base.is_empty()).map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share")))?;
    Some(base.join("footlight"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_knows_the_folder_that_outlives_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let release = folder.path().join("releases/0.1.0-1");
        assert_eq!(Home::at(&release).lasting(), release, "no install has linked it");
        std::fs::write(folder.path().join("runtime.json"), "{}").expect("written");
        assert_eq!(Home::at(&release).lasting(), folder.path());
        assert_eq!(Home::at(folder.path()).lasting(), folder.path());
    }

    #[test]
    fn reads_what_an_install_writes_and_names_what_is_wrong() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = Home::at(folder.path());
        assert!(matches!(home.runtime(), Err(HomeError::Unreadable { .. })));
        std::fs::write(folder.path().join("runtime.json"), "{}").expect("written");
        assert!(home.runtime().expect_err("no version").to_string().contains("install.sh"));
        std::fs::write(folder.path().join("runtime.json"), r#"{"version":"0.1.0","rustc":"rustc 1.95.0","sysroot":"/x"}"#)
            .expect("written");
        assert_eq!(home.runtime().expect("read").sysroot, Path::new("/x"));
    }
}
