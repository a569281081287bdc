//! Records the rustc that builds the runtime, since cells must be compiled by the same, and where the worker finds its libraries.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let ask = |arguments: &[&str]| {
        let output = Command::new(&rustc).args(arguments).output().expect("cargo runs build scripts with a working rustc");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    // One line: cargo's directives end at a newline.
    println!("cargo:rustc-env=FOOTLIGHT_RUSTC={}", ask(&["-vV"]).replace('\n', "; "));
    // DT_RPATH and not the newer DT_RUNPATH, so that an LD_LIBRARY_PATH that names another build (as cargo's own does) never wins.
    println!("cargo:rustc-link-arg-bins=-Wl,--disable-new-dtags");
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,$ORIGIN/../lib");
    // Where libstd.so lies in every toolchain; not all have it in `lib` too.
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", ask(&["--print", "target-libdir"]));
    println!("cargo:rerun-if-env-changed=RUSTC");
    println!("cargo:rerun-if-changed=build.rs");
}
