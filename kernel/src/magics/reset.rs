//! `%reset`: forgets variables and items.

use futures::FutureExt;

use footlight_channel::Request;

use super::{Act, Call, Desk, Magic, near};
use crate::cell::items::{Items, Unit};
use crate::outputs::StreamName;
use crate::session::Failure;

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%reset"],
    syntax: &["%reset", "%reset name other"],
    doc: "forgets all variables and items, or those that are named",
    help: "The values are dropped, and the names may be defined anew. `use` lines are forgotten too. A function that was built on a \
           forgotten item keeps it. The worker goes on: random numbers continue where they were, and what statics hold stays.",
    example: "%reset\nlet fresh = 1;",
    accepts: |rest| rest == "-f" || rest.split_whitespace().all(|name| syn::parse_str::<syn::Ident>(name).is_ok()),
    act: Act::Answer(|call, desk| answer(call, desk).boxed()),
};

async fn answer(call: Call<'_>, desk: Desk<'_>) -> Result<(), Failure> {
    let Desk { notebook, worker, outputs } = desk;
    let (variables, items) = match call.line.rest.as_str() {
        // IPython's `-f` says not to ask; this one never does.
        "" | "-f" => {
            let variables: Vec<String> = notebook.variables.iter().map(|(name, _)| name.to_owned()).collect();
            let items = notebook.items.units.iter().filter(|unit| unit.name.is_some()).count();
            notebook.items = Items::default();
            (variables, items)
        }
        names => {
            let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
            let variables: Vec<String> = names.iter().filter(|name| notebook.variables.get(name).is_some()).cloned().collect();
            let is_item = |name: &String| notebook.items.get(name).is_some();
            if let Some(missing) = names.iter().find(|name| !variables.contains(name) && !is_item(name)) {
                let known = notebook.variables.iter().map(|(name, _)| name);
                let items = notebook.items.units.iter().filter_map(|unit| unit.name.as_deref());
                let near = near(missing, known.chain(items), |name| name);
                let near = if near.is_empty() { String::new() } else { format!("; near it are {}", near.join(", ")) };
                return Err(call
                    .failure("UnknownName", format!("no variable or item is called `{missing}`{near}; %vars lists variables")));
            }
            let items = names.iter().filter(|name| is_item(name)).count();
            notebook.items.units.retain(|unit| !names.iter().any(|name| belongs(unit, name)));
            (variables, items)
        }
    };
    for name in &variables {
        notebook.variables.remove(name);
    }
    let said = format!("forgot {} and {}\n", counted(variables.len(), "variable"), counted(items, "item"));
    if let Some(worker) = worker {
        worker.send(Request::Forget { names: variables });
    }
    outputs.stream(StreamName::Stdout, said).await;
    Ok(())
}

/// Whether a unit is the item called `name`, or an `impl` of it.
fn belongs(unit: &Unit, name: &str) -> bool {
    let impl_of = |part: &crate::cell::items::ImplOf| part.self_item() == Some(name) || part.trait_item() == Some(name);
    unit.name.as_deref() == Some(name) || unit.impl_of.as_ref().is_some_and(impl_of)
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
