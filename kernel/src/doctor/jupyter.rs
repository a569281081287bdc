//! Jupyter: there, and told of the kernel.

use super::{Finding, output};
use crate::install::NAME;

pub(super) fn check() -> Finding {
    let specs = match output("jupyter", &["kernelspec", "list", "--json"]) {
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
