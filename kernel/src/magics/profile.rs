//! `%%profile`: the times of eager execution.

use footlight_channel::Mode;

use super::{Act, Magic};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%%profile"],
    syntax: &["%%profile"],
    doc: "runs the cell eagerly and shows its source with the time of every operation",
    help: "The view is that of %%stage, for the same cell without a graph: compare the two to see what staging gains.",
    example: "%%profile\nlet y = (&x * 2.0).exp();",
    accepts: str::is_empty,
    act: Act::Order(|call, _, orders| orders.run_as(call, Mode::Profile)),
};
