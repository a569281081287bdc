//! The linker of cells: links an empty object file to see.

use super::{Finding, output};
use crate::home::Home;
use crate::rustc::link::Linker;
use crate::rustc::toolchain::program;
use std::path::PathBuf;

pub(super) fn check() -> Finding {
    let Ok(folder) = tempfile::tempdir() else {
        return Finding::bad("not tried: no temporary folder", "see the disk check below");
    };
    let runtime = Home::find().and_then(|home| home.runtime()).ok();
    let rustc = program(runtime.as_ref());
    let sysroot = match runtime {
        Some(runtime) => Ok(runtime.sysroot),
        None => output(&rustc, &["--print=sysroot"]).map(|sysroot| PathBuf::from(sysroot.trim())),
    };
    let asked = sysroot.and_then(|sysroot| Ok((sysroot, output(&rustc, &["-vV"])?)));
    let (sysroot, version) = match asked {
        Ok(answers) => answers,
        Err(error) => return Finding::bad(format!("not tried: {error}"), "see the rustc check above"),
    };
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let mend = "install the linker: apt-get install binutils (gcc brings it too), or the like";
    let linker = match Linker::find(&sysroot, host) {
        Ok(linker) => linker,
        Err(error) => return Finding::bad(error.to_string(), mend),
    };
    let (source, object) = (folder.path().join("cell.rs"), folder.path().join("cell.o"));
    if let Err(error) = std::fs::write(&source, "") {
        return Finding::bad(format!("not tried: {error}"), "see the disk check below");
    }
    let (source, object) = (source.to_string_lossy(), object.to_string_lossy());
    if let Err(error) = output(&rustc, &["--edition=2024", "--crate-type=lib", "--emit=obj", "-o", &object, &source]) {
        return Finding::bad(format!("not tried: {error}"), "see the rustc check above");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let linked = match runtime {
        Ok(runtime) => runtime.block_on(linker.link(folder.path(), "cell.o", "libcell.so", &[])),
        Err(error) => return Finding::bad(format!("not tried: {error}"), "free some memory or processes"),
    };
    match linked {
        Ok(()) => Finding::good(format!("{} links", linker.program().display())),
        Err(error) => Finding::bad(error.to_string(), mend),
    }
}
