//! CUDA: not needed, since cells compute on the CPU; says what is there.

use super::{Finding, output};

pub(super) fn check() -> Finding {
    match output("nvidia-smi", &["--query-gpu=name,driver_version", "--format=csv,noheader"]) {
        Ok(devices) => Finding::good(format!("{} (this version computes on the CPU)", devices.trim().replace('\n', "; "))),
        Err(_) => Finding::good("no device; cells compute on the CPU"),
    }
}
