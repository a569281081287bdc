//! `%%stage`: the cell as a dataflow graph, or as a staged function for later cells.

use footlight_channel::Mode;

use super::{Act, Call, Magic, Orders};
use crate::notebook::Notebook;
use crate::session::Failure;

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%%stage"],
    syntax: &["%%stage", "%%stage --compare", "%%stage name(x, flag: bool)"],
    doc: "traces the cell into a dataflow graph, optimises it, runs it, and shows it with times",
    help: "With --compare the cell runs eagerly too, from the same state, and both are shown.\n\
           With a name and arguments the cell becomes a staged function, traced once for each signature it is called with. An argument \
           without a type is a tensor; variables of the notebook that the cell names are cloned into it. name.explain() lists its traces.",
    example: "%%stage\nlet y = (&x * 2.0).exp();",
    accepts: |rest| rest == "--compare" || !rest.starts_with('-'),
    act: Act::Order(order),
};

fn order(call: &Call<'_>, notebook: &Notebook, orders: &mut Orders) -> Result<(), Failure> {
    match call.line.rest.as_str() {
        "" => orders.run_as(call, Mode::Stage { compare: false }),
        "--compare" => orders.run_as(call, Mode::Stage { compare: true }),
        signature => {
            orders.run_as(call, Mode::Eager)?;
            let open = function(call, signature, notebook)?;
            orders.wrap(call, &open, "}) };")
        }
    }
}

/// The start of `let name = stage_fn!(…, { … });`, for one line. Notebook variables that the cell names are cloned into it.
fn function(call: &Call<'_>, signature: &str, notebook: &Notebook) -> Result<String, Failure> {
    let malformed = || {
        let said = format!(
            "`%%stage {signature}` is no signature: write `%%stage name(x, y, flag: bool)`, where an argument without a type is a tensor"
        );
        call.failure("MagicError", said)
    };
    let (name, rest) = signature.split_once('(').ok_or_else(malformed)?;
    let arguments = rest.trim_end().strip_suffix(')').ok_or_else(malformed)?;
    let name = syn::parse_str::<syn::Ident>(name.trim()).map_err(|_| malformed())?.to_string();
    let mut typed = Vec::new();
    let mut own = vec![name.clone()];
    for argument in arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        let (argument, ty) = argument.split_once(':').unwrap_or((argument, "&::footlight::Tensor"));
        own.push(syn::parse_str::<syn::Ident>(argument.trim()).map_err(|_| malformed())?.to_string());
        typed.push(format!("{}: {}", argument.trim(), ty.trim()));
    }
    let body = &call.cell.text[call.line.range.end..];
    let mut clones = String::new();
    for (variable, _) in notebook.variables.iter() {
        let mentioned = body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == variable);
        if mentioned && !own.iter().any(|own| own == variable) {
            clones.push_str(&format!("let {variable} = ::std::clone::Clone::clone(&{variable}); "));
        }
    }
    Ok(format!("let {name} = {{ {clones}::footlight::stage_fn!(\"{name}\", ({}), {{", typed.join(", ")))
}
