//! `kernel_info_request`: what this kernel is and which language it runs.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Context, Lane, Message};
use crate::home::Home;
use crate::session::Failure;
use crate::wire::PROTOCOL_VERSION;

/// The request, which says nothing.
#[derive(Deserialize)]
pub(crate) struct Request {}

/// What clients show, and how they treat cells.
#[derive(Serialize)]
pub(crate) struct Reply {
    protocol_version: &'static str,
    implementation: &'static str,
    implementation_version: &'static str,
    language_info: Value,
    banner: String,
    debugger: bool,
    supported_features: [&'static str; 0],
    help_links: Value,
}

impl Message for Request {
    const TYPE: &'static str = "kernel_info_request";
    const LANE: Lane = Lane::AtOnce;
    type Reply = Reply;

    async fn handle(self, _: Context) -> Result<Reply, Failure> {
        let version = env!("CARGO_PKG_VERSION");
        let rust = rust_version().unwrap_or_default();
        Ok(Reply {
            protocol_version: PROTOCOL_VERSION,
            implementation: "footlight",
            implementation_version: version,
            language_info: json!({
                "name": "rust", "version": rust, "mimetype": "text/x-rust", "file_extension": ".rs",
                "pygments_lexer": "rust", "codemirror_mode": "rust",
            }),
            banner: format!(
                "Footlight {version}: Rust {rust} for tensors. The prelude is loaded; put %%stage over a cell to compile it."
            ),
            debugger: false,
            supported_features: [],
            help_links: json!([
                { "text": "The Rust Standard Library", "url": "https://doc.rust-lang.org/std/" },
                { "text": "The Rust Book", "url": "https://doc.rust-lang.org/book/" },
            ]),
        })
    }
}

/// The release of the rustc that built the runtime, which is the one that compiles cells: `1.95.0`.
fn rust_version() -> Option<String> {
    let runtime = Home::find().ok()?.runtime().ok()?;
    runtime.rustc.split_whitespace().nth(1).map(str::to_owned)
}
