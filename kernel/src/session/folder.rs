//! The session's folder: sources, metadata and libraries of its cells.
//!
//! It is removed with the session. One whose kernel was killed stays behind; the next kernel to start removes it, told by the lock that a
//! living kernel holds on a file in it.

use std::fs::File;
use std::io;
use std::path::Path;

/// What the folders' names begin with.
const PREFIX: &str = "footlight-";
/// The file that is locked.
const LOCK: &str = "lock";

/// A folder of a living session.
#[derive(Debug)]
pub(super) struct Folder {
    folder: tempfile::TempDir,
    _lock: File,
}

impl Folder {
    /// Makes one in the system's folder for temporary files, and removes what dead kernels left there.
    pub(super) fn make() -> io::Result<Self> {
        Self::make_in(&std::env::temp_dir())
    }

    fn make_in(parent: &Path) -> io::Result<Self> {
        sweep(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // The file has its name only once it is locked, so that no sweep comes in between.
        let new = folder.path().join("lock.new");
        File::create(&new)?;
        // Not open for writing, so that the disk can be made read-only meanwhile.
        let lock = File::open(&new)?;
        lock.lock()?;
        std::fs::rename(new, folder.path().join(LOCK))?;
        Ok(Folder { folder, _lock: lock })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of dead kernels. What can't be looked at or removed, such as another user's, stays.
fn sweep(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let dead = File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        if dead {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_dead_are_removed_and_no_others() {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let alive = Folder::make_in(parent.path()).expect("made");
        let made_now = parent.path().join("footlight-new");
        std::fs::create_dir(&made_now).expect("made");
        // A kernel that is killed removes nothing, and its locks end with it.
        let dead = Folder::make_in(parent.path()).expect("made").folder.keep();
        assert!(dead.is_dir());
        let next = Folder::make_in(parent.path()).expect("made");
        assert!(alive.path().is_dir() && next.path().is_dir() && made_now.is_dir());
        assert!(!dead.exists());
    }
}
