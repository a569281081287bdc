//! The kernel program: `run FILE` serves one notebook; `install`, `doctor` and `version` are for people.

use std::path::PathBuf;
use std::process::ExitCode;

use footlight_kernel::connection::Connection;
use footlight_kernel::install::{self, Target};
use footlight_kernel::notebook::history::History;
use footlight_kernel::session::Session;
use footlight_kernel::session::engine::RustEngine;
use footlight_kernel::{doctor, home, server};

/// Threads for handlers: a cell, and requests that are answered while it is read.
const THREADS: usize = 3;
/// Parsers recurse over nested brackets, and stack that is not used costs nothing.
const STACK: usize = 64 << 20;

const USAGE: &str = "\
usage: footlight-kernel <command>

  run FILE       serve the notebook of this connection file (Jupyter calls this)
  install        tell Jupyter of the kernel
     --user          for this user (the default)
     --prefix DIR    in DIR/share/jupyter
     --sys-prefix    in the active Python environment
  doctor         check rustc, the linker, the runtime, Jupyter, disk and CUDA, and say how to mend each
  version        say the version
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["run", file] => run(file),
        ["install", options @ ..] => install(options),
        ["doctor"] => match doctor::run(&mut std::io::stdout().lock()) {
            Ok(true) => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        },
        ["version" | "--version" | "-V"] => {
            println!("footlight-kernel {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        [] => misuse("no command given"),
        [first, ..] => misuse(&format!("{first:?} is no command, or it has wrong arguments")),
    }
}

fn run(file: &str) -> ExitCode {
    match serve(file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(error),
    }
}

fn serve(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let connection = Connection::read(file.as_ref())?;
    let history = History::begin(home::user_data().map(|data| data.join("history")).as_deref());
    let cells =
        tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).thread_stack_size(STACK).enable_all().build()?;
    let engine = cells.block_on(async { RustEngine::start() });
    let served = server::serve(&connection, Session::new(engine), history, cells.handle().clone());
    // A handler that still runs must not keep the kernel.
    cells.shutdown_background();
    Ok(served?)
}

fn install(options: &[&str]) -> ExitCode {
    let target = match options {
        [] | ["--user"] => Target::User,
        ["--sys-prefix"] => Target::SysPrefix,
        ["--prefix", prefix] => Target::Prefix(PathBuf::from(prefix)),
        _ => return misuse("install takes --user, --prefix DIR or --sys-prefix"),
    };
    match install::install(&target) {
        Ok(folder) => {
            println!("Jupyter finds Footlight in {}", folder.display());
            if let Err(error) = home::Home::find() {
                eprintln!("footlight-kernel: but cells can't run yet: {error}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => fail(error),
    }
}

fn misuse(what: &str) -> ExitCode {
    eprint!("footlight-kernel: {what}\n\n{USAGE}");
    ExitCode::from(2)
}

fn fail(error: impl std::fmt::Display) -> ExitCode {
    eprintln!("footlight-kernel: {error}");
    ExitCode::FAILURE
}
