//! `:dep`: says that dependencies are not there yet.

use futures::FutureExt;

use super::{Act, Magic};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &[":dep"],
    syntax: &[":dep name = \"version\""],
    doc: "will add a crate to the notebook; it comes in a later version",
    help: "Until then a cell has the standard library, and without asking what Footlight brings: tensors, variables and gradients, \
           optimizers, read_csv and batches, random numbers (rand, randn, uniform, seed), plots, images and heatmaps.",
    example: ":dep image = \"0.25\"",
    accepts: |_| true,
    act: Act::Answer(|call, _| {
        async move {
            let asked = call.line.rest.split(['=', ' ']).next().filter(|name| !name.is_empty()).unwrap_or("a crate");
            let said = format!(
                "can't add {asked}: dependencies (:dep) come in a later version. Until then cells have std, and Footlight's own types \
                 and functions without asking (%help :dep lists them); for the rest, paste the code into a cell, or run a program with `!`"
            );
            Err(call.failure("NoDependencies", said))
        }
        .boxed()
    }),
};
