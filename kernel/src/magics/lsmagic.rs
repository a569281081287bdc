//! `%lsmagic`: the magics, one line each.

use futures::FutureExt;

use super::{Act, Magic, TABLE};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%lsmagic"],
    syntax: &["%lsmagic"],
    doc: "lists the magics",
    help: "%help followed by one of them tells more.",
    example: "%lsmagic",
    accepts: str::is_empty,
    act: Act::Answer(|_, desk| {
        async move {
            desk.show(list(), None).await;
            Ok(())
        }
        .boxed()
    }),
};

/// Every magic with its line.
pub(super) fn list() -> String {
    let name = |magic: &Magic| if magic.name() == "!" { "!command" } else { magic.name() };
    let width = TABLE.iter().map(|magic| name(magic).len()).max().unwrap_or_default();
    let rows: Vec<String> = TABLE.iter().map(|magic| format!("{:width$}  {}", name(magic), magic.doc)).collect();
    rows.join("\n")
}
