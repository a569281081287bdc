//! Jupyter: there, and told of the kernel.

use super::{Finding, output};
use crate::home::Home;
use crate::install::NAME;

pub(super) fn check() -> Finding {
    let list = |program: &str| output(program, &["kernelspec", "list", "--json"]);
    let specs = match list("jupyter").or_else(|error| own().and_then(|own| list(&own).ok()).ok_or(error)) {
        Ok(specs) => specs,
        Err(error) => {
            return Finding::poor(
                error,
                "install it (pip install jupyterlab), or run ./install.sh, which does where there is none",
            );
        }
    };
    let specs: serde_json::Value = serde_json::from_str(&specs).unwrap_or_default();
    match specs["kernelspecs"][NAME]["resource_dir"].as_str() {
        Some(folder) => Finding::good(format!("finds the kernelspec in {folder}")),
        None => Finding::bad(
            "Jupyter is there, and does not know Footlight",
            "run footlight-kernel install, with --sys-prefix where Jupyter lives in an environment of its own",
        ),
    }
}

/// The Jupyter that install.sh puts beside the releases where there is none.
fn own() -> Option<String> {
    let program = Home::find().ok()?.lasting().join("venv/bin/jupyter");
    program.is_file().then_some(program)?.to_str().map(str::to_owned)
}
