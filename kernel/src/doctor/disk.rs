//! Disk: the temporary folder takes each session's cells, 20 to 500 kB each.

use std::ffi::CString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::Finding;

/// Below this a long session may not fit, in bytes.
const ENOUGH: u64 = 500 << 20;

pub(super) fn check() -> Finding {
    let folder = std::env::temp_dir();
    let mend = "free some space there, or set TMPDIR to a folder that you may write";
    let written = tempfile::NamedTempFile::new_in(&folder).and_then(|mut file| file.write_all(&[0; 64 << 10]));
    if let Err(error) = written {
        return Finding::bad(format!("can't write to {}: {error}", folder.display()), mend);
    }
    match free(&folder) {
        Some(free) if free < ENOUGH => Finding::poor(format!("{} MB free in {}", free >> 20, folder.display()), mend),
        Some(free) => Finding::good(format!("{} MB free in {}", free >> 20, folder.display())),
        None => Finding::good(format!("{} can be written", folder.display())),
    }
}

/// Free bytes for this user on the folder's file system.
fn free(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut stat = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: `path` is a C string and `stat` has room for the answer; it is read only after the call said that it filled it.
    let stat = unsafe { (libc::statvfs(path.as_ptr(), stat.as_mut_ptr()) == 0).then(|| stat.assume_init())? };
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}
