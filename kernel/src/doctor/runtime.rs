//! The installed runtime: whole, and of this kernel's version.

use super::Finding;
use crate::home::Home;

pub(super) fn check() -> Finding {
    let (home, runtime) = match Home::find().and_then(|home| Ok((home.clone(), home.runtime()?))) {
        Ok(found) => found,
        Err(error) => return Finding::bad(error.to_string(), "run ./install.sh"),
    };
    let parts = [home.worker(), home.library(), home.deps()];
    if let Some(missing) = parts.iter().find(|part| !part.exists()) {
        return Finding::bad(format!("{} is missing", missing.display()), "run ./install.sh again");
    }
    if runtime.version != env!("CARGO_PKG_VERSION") {
        let what =
            format!("{} in {}, for a kernel of version {}", runtime.version, home.root().display(), env!("CARGO_PKG_VERSION"));
        return Finding::bad(what, "run ./install.sh again, so that both are of one version");
    }
    Finding::good(format!("{} in {}", runtime.version, home.root().display()))
}
