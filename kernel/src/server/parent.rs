//! Watches the process that started the kernel: a kernel whose Jupyter died has no one to stop it.

use std::time::Duration;

/// How often to look.
const PERIOD: Duration = Duration::from_secs(1);

/// Returns when Jupyter, whose process id it put into `JPY_PARENT_PID`, is gone; never where that is not set.
pub(crate) async fn gone() {
    let Some(jupyter) = std::env::var("JPY_PARENT_PID").ok().and_then(|pid| pid.parse::<i32>().ok()).filter(|pid| *pid > 1)
    else {
        return std::future::pending().await;
    };
    let started_by = std::os::unix::process::parent_id();
    // The kernel is given to another process when its parent dies; between it and Jupyter there may be a wrapper.
    while std::os::unix::process::parent_id() == started_by && lives(jupyter) {
        tokio::time::sleep(PERIOD).await;
    }
}

fn lives(pid: i32) -> bool {
    // SAFETY: kill with signal 0 sends nothing; it only asks whether the process is there.
    let asked = unsafe { libc::kill(pid, 0) };
    asked == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ESRCH)
}
