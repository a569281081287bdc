//! `%%stage`: the cell as a dataflow graph, or as a staged function for later cells.

use std::collections::BTreeSet;

use footlight_channel::Mode;

use super::{Act, Call, Magic, Orders};
use crate::cell::magic_lines::magic_lines;
use crate::cell::names::Mentions;
use crate::cell::split::{Kind, split};
use crate::cell::without;
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
    let mut own = BTreeSet::from([name.clone()]);
    for argument in arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty()) {
        let (argument, ty) = argument.split_once(':').unwrap_or((argument, "&::footlight::Tensor"));
        own.insert(syn::parse_str::<syn::Ident>(argument.trim()).map_err(|_| malformed())?.to_string());
        typed.push(format!("{}: {}", argument.trim(), ty.trim()));
    }
    let free = free(&call.cell.text[call.line.range.end..], own);
    let mut clones = String::new();
    for (variable, _) in notebook.variables.iter().filter(|(variable, _)| free.contains(*variable)) {
        clones.push_str(&format!("let {variable} = ::footlight::stage::Capture::capture(&{variable}); "));
    }
    Ok(format!("let {name} = {{ {clones}::footlight::stage_fn!(\"{name}\", ({}), {{", typed.join(", ")))
}

/// The names that a body takes from outside: those that it mentions before it binds them. None of a body that is not Rust.
fn free(body: &str, mut bound: BTreeSet<String>) -> BTreeSet<String> {
    let magics: Vec<_> = magic_lines(body).into_iter().map(|line| line.range).collect();
    let Ok(split) = split(&without(body, &magics), &|_| false) else { return BTreeSet::new() };
    let mut free = BTreeSet::new();
    for statement in &split.statements {
        // What a `let` binds is no name from outside.
        let mentions = match &statement.syntax {
            syn::Stmt::Local(local) => local.init.as_ref().map(|init| Mentions::of_expr(&init.expr)).unwrap_or_default(),
            _ => statement.mentions.clone(),
        };
        free.extend(mentions.names.into_iter().filter(|name| !bound.contains(name)));
        if let Kind::Let(bindings) = &statement.kind {
            bound.extend(bindings.iter().map(|binding| binding.name.clone()));
        }
    }
    free
}
