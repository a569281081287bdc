//! The linker that rustc calls: links an empty program to see.

use super::{Finding, output};

pub(super) fn check() -> Finding {
    let Ok(folder) = tempfile::tempdir() else {
        return Finding::bad("not tried: no temporary folder", "see the disk check below");
    };
    let (source, program) = (folder.path().join("main.rs"), folder.path().join("main"));
    if let Err(error) = std::fs::write(&source, "fn main() {}") {
        return Finding::bad(format!("not tried: {error}"), "see the disk check below");
    }
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let (source, program) = (source.to_string_lossy(), program.to_string_lossy());
    match output(&rustc, &["--edition=2024", "-Cprefer-dynamic", "-o", &program, &source]) {
        Ok(_) => Finding::good("links a program"),
        Err(error) => Finding::bad(error, "install a C compiler, which brings the linker: apt-get install gcc, or the like"),
    }
}
