//! Installs the kernelspec, from which Jupyter learns that the kernel is there.
//!
//! The template and the logos are in `kernelspec/` and built into the program. They go into `kernels/footlight` of a Jupyter data folder: the
//! user's, or that of a prefix (<https://jupyter-client.readthedocs.io/en/stable/kernels.html#kernel-specs>). What was there is replaced in one step.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::home::Home;

/// The kernelspec's folder, and the name to give to `jupyter console --kernel`.
pub const NAME: &str = "footlight";

const TEMPLATE: &str = include_str!("../../kernelspec/kernel.json");
const LOGOS: [(&str, &[u8]); 3] = [
    ("logo-32x32.png", include_bytes!("../../kernelspec/logo-32x32.png")),
    ("logo-64x64.png", include_bytes!("../../kernelspec/logo-64x64.png")),
    ("logo-svg.svg", include_bytes!("../../kernelspec/logo-svg.svg")),
];

/// Where the kernelspec goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The user's Jupyter data folder.
    User,
    /// `PREFIX/share/jupyter`.
    Prefix(PathBuf),
    /// The prefix of the Python environment that is active: a virtual environment, conda's, or that of `python3` on the PATH.
    SysPrefix,
}

/// Why the kernelspec was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no home directory.
    #[error("neither HOME nor JUPYTER_DATA_DIR is set, so there is no user to install for: use --prefix DIR")]
    NoHome,
    /// `--sys-prefix` without a Python.
    #[error("--sys-prefix needs a Python: activate an environment, put python3 on the PATH, or use --prefix DIR")]
    NoPython,
    /// The program can't say where it is.
    #[error("can't tell where this program lies: {0}. Set FOOTLIGHT_HOME to the installed tree")]
    NoProgram(io::Error),
    /// A file can't be written.
    #[error("can't write {path}: {error}. Choose a folder that you may write with --prefix DIR")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

/// Installs the kernelspec and returns its folder.
pub fn install(target: &Target) -> Result<PathBuf, InstallError> {
    let data = match target {
        Target::User => user_data()?,
        Target::Prefix(prefix) => prefix.join("share/jupyter"),
        Target::SysPrefix => sys_prefix()?.join("share/jupyter"),
    };
    write(&data.join("kernels"), &program()?)
}

/// The user's Jupyter data folder, found as Jupyter finds it.
pub fn user_data() -> Result<PathBuf, InstallError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("JUPYTER_DATA_DIR") {
        return Ok(folder);
    }
    let home = variable("HOME").ok_or(InstallError::NoHome)?;
    if cfg!(target_os = "macos") {
        return Ok(home.join("Library/Jupyter"));
    }
    Ok(variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")).join("jupyter"))
}

fn sys_prefix() -> Result<PathBuf, InstallError> {
    if let Some(active) = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().find_map(std::env::var_os) {
        return Ok(active.into());
    }
    let ask = |python| Command::new(python).args(["-c", "import sys; print(sys.prefix)"]).output().ok();
    let answer = ["python3", "python"].into_iter().find_map(ask).filter(|answer| answer.status.success());
    let prefix = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned());
    prefix.filter(|prefix| !prefix.is_empty()).map(PathBuf::from).ok_or(InstallError::NoPython)
}

/// The kernel program as the kernelspec names it: under the home, whose links lead to the newest version after an update.
fn program() -> Result<PathBuf, InstallError> {
    if let Ok(home) = Home::find() {
        let installed = home.lasting().join("bin/footlight-kernel");
        if installed.is_file() {
            return std::path::absolute(installed).map_err(InstallError::NoProgram);
        }
    }
    std::env::current_exe().map_err(InstallError::NoProgram)
}

/// Writes the kernelspec beside its place, then moves it there.
fn write(kernels: &Path, program: &Path) -> Result<PathBuf, InstallError> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| InstallError::Unwritable { path, error }
    };
    let place = kernels.join(NAME);
    fs::create_dir_all(kernels).map_err(at(kernels))?;
    let new = tempfile::Builder::new().prefix(".footlight-").tempdir_in(kernels).map_err(at(kernels))?;
    let mut files: Vec<(&str, Vec<u8>)> = LOGOS.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect();
    files.push(("kernel.json", spec(program).into_bytes()));
    for (name, bytes) in files {
        let path = new.path().join(name);
        fs::write(&path, bytes).map_err(at(&path))?;
    }
    // A temporary folder is for its owner only; a kernelspec in a prefix is for everyone.
    let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(new.path(), everyone).map_err(at(new.path()))?;
    if place.exists() {
        fs::remove_dir_all(&place).map_err(at(&place))?;
    }
    fs::rename(new.keep(), &place).map_err(at(&place))?;
    Ok(place)
}

/// `kernel.json` with the program's path in it.
fn spec(program: &Path) -> String {
    let quoted = Value::from(program.to_string_lossy()).to_string();
    TEMPLATE.replace("\"{kernel}\"", &quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_a_whole_kernelspec_and_replaces_an_older_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let kernels = folder.path().join("share/jupyter/kernels");
        fs::create_dir_all(kernels.join("footlight/older")).expect("made");
        let place = write(&kernels, Path::new("/opt/a \"b\"/bin/footlight-kernel")).expect("written");
        let spec: Value = serde_json::from_slice(&fs::read(place.join("kernel.json")).expect("read")).expect("JSON");
        assert_eq!(spec["argv"][0], "/opt/a \"b\"/bin/footlight-kernel");
        assert_eq!(spec["interrupt_mode"], "message");
        assert_eq!(spec["display_name"], "Rust (Footlight)");
        for (name, bytes) in LOGOS {
            assert_eq!(fs::read(place.join(name)).expect("read"), bytes);
        }
        assert!(!place.join("older").exists());
        let left: Vec<_> = fs::read_dir(&kernels).expect("read").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["footlight"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let error = write(Path::new("/proc/kernels"), Path::new("/x")).expect_err("not writable").to_string();
        assert!(error.contains("/proc/kernels") && error.contains("--prefix"));
    }
}
