//! Magic lines: how a cell is to run.

use std::ops::Range;
use std::sync::Arc;

use footlight_channel::Mode;

use crate::cell::edits::CellText;
use crate::cell::magic_lines::{MagicLine, magic_lines};
use crate::notebook::Notebook;
use crate::session::Failure;

/// What a cell's magic lines ask for.
#[derive(Debug)]
pub struct Orders {
    /// The text to compile: the user's, or for `%%stage name(x)` with the function around it.
    pub text: Arc<CellText>,
    /// Magic lines, which rustc does not see.
    pub blanks: Vec<Range<usize>>,
    /// How it runs.
    pub mode: Mode,
}

/// Reads the magic lines of a cell.
pub fn read(cell: &Arc<CellText>, notebook: &Notebook) -> Result<Orders, Failure> {
    let lines = magic_lines(&cell.text);
    let mut orders =
        Orders { text: cell.clone(), blanks: lines.iter().map(|line| line.range.clone()).collect(), mode: Mode::Eager };
    for line in &lines {
        match (line.called().as_str(), line.rest.as_str()) {
            ("%%stage", "") => orders.mode = Mode::Stage { compare: false },
            ("%%stage", "--compare") => orders.mode = Mode::Stage { compare: true },
            ("%%stage", signature) => {
                orders.text = staged_function(cell, line, signature, notebook)?;
                orders.blanks.retain(|range| *range != line.range);
            }
            ("%%profile", "") => orders.mode = Mode::Profile,
            (called, _) => {
                let evalue = format!(
                    "{}:{}: there is no magic {called}, or not with these options; there are %%stage, %%stage --compare, %%stage name(x, flag: bool) and %%profile",
                    cell.label, line.line
                );
                return Err(Failure { ename: "UnknownMagic".to_owned(), traceback: vec![evalue.clone()], evalue });
            }
        }
    }
    Ok(orders)
}

/// The cell as `let name = stage_fn!(…, { … });`, its lines where they were. Notebook variables that it names are cloned into it.
fn staged_function(
    cell: &Arc<CellText>,
    line: &MagicLine,
    signature: &str,
    notebook: &Notebook,
) -> Result<Arc<CellText>, Failure> {
    let malformed = || {
        let evalue = format!(
            "{}:{}: `%%stage {signature}` is no signature: write `%%stage name(x, y, flag: bool)`, where an argument without a type is a tensor",
            cell.label, line.line
        );
        Failure { ename: "MagicError".to_owned(), traceback: vec![evalue.clone()], evalue }
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
    let body = &cell.text[line.range.end..];
    let mut clones = String::new();
    for (variable, _) in notebook.variables.iter() {
        let mentioned = body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == variable);
        if mentioned && !own.iter().any(|own| own == variable) {
            clones.push_str(&format!("let {variable} = ::std::clone::Clone::clone(&{variable}); "));
        }
    }
    let before = &cell.text[..line.range.start];
    let open = format!("let {name} = {{ {clones}::footlight::stage_fn!(\"{name}\", ({}), {{", typed.join(", "));
    let text = format!("{before}{open}{}\n}}) }};", body.trim_end());
    Ok(Arc::new(CellText { number: cell.number, label: cell.label.clone(), text }))
}
