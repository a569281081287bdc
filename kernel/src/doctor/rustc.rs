//! rustc: there, and the one that built the runtime. Crates of one compiler can't be linked by another.

use super::{Finding, output};
use crate::home::Home;
use crate::rustc::toolchain::program;

pub(super) fn check() -> Finding {
    let runtime = Home::find().and_then(|home| home.runtime());
    let program = program(runtime.as_ref().ok());
    let version = match output(&program, &["-vV"]) {
        Ok(version) => version,
        Err(error) => return Finding::bad(error, "install Rust (package rustc, or rustup), or set RUSTC to its path"),
    };
    let name = version.lines().next().unwrap_or_default().to_owned();
    match runtime {
        Ok(runtime) if runtime.rustc.trim() == version.trim() => Finding::good(format!("{name}, the one that built the runtime")),
        Ok(runtime) => {
            let built_by = runtime.rustc.lines().next().unwrap_or_default();
            Finding::bad(
                format!("{name}, and the runtime was built by {built_by}"),
                "run ./install.sh again to build the runtime with this rustc, or set RUSTC to the other",
            )
        }
        Err(_) => Finding::poor(format!("{name}; it can't be compared to the runtime's"), "see the runtime check below"),
    }
}
