//! Magics: lines on top of a cell that say how it runs, or that answer by themselves. One file a magic, one word in the table.
//!
//! [`read`] finds the [`Magic`] of each line and has those that change the cell write it into the [`Orders`]. It is pure, so that a cell
//! with a misspelt line does nothing at all. [`answer`] then has the others answer, in the order of their lines, before rustc sees the
//! rest of the cell. `%help` and `%lsmagic` read the table.
//!
//! To add one: `magics/NAME.rs` with a `static MAGIC`, and `NAME` in the table.
//!
//! Must not know: sockets, message types, tensors.

mod near;
mod orders;

use std::ops::Range;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::cell::edits::CellText;
use crate::cell::magic_lines::{MagicLine, magic_lines};
use crate::notebook::Notebook;
use crate::outputs::{Bundle, Outputs};
use crate::session::Failure;
use crate::worker::Handle;
use near::near;
pub(crate) use orders::Orders;

/// A magic: a row of the table.
#[derive(Debug)]
pub(crate) struct Magic {
    /// What calls it: the name with its sigil, the usual one first.
    pub(crate) called: &'static [&'static str],
    /// The forms of a call, as in `%%stage --compare`.
    pub(crate) syntax: &'static [&'static str],
    /// What it does, in one line.
    pub(crate) doc: &'static str,
    /// What else there is to know.
    pub(crate) help: &'static str,
    /// A cell that uses it.
    pub(crate) example: &'static str,
    /// Whether the rest of the line is one that it can read.
    pub(crate) accepts: fn(&str) -> bool,
    /// What it does.
    pub(crate) act: Act,
}

/// The two kinds of magics.
#[derive(Debug)]
pub(crate) enum Act {
    /// Says how the cell is compiled and run. Must do nothing else: the cell may yet be refused.
    Order(fn(&Call<'_>, &Notebook, &mut Orders) -> Result<(), Failure>),
    /// Answers by itself, before the rest of the cell is compiled.
    Answer(for<'a> fn(Call<'a>, Desk<'a>) -> BoxFuture<'a, Result<(), Failure>>),
}

impl Magic {
    /// The magic that a line calls.
    pub(crate) fn find(called: &str) -> Option<&'static Magic> {
        TABLE.iter().copied().find(|magic| magic.called.contains(&called))
    }

    /// The name that stands for it in lists.
    fn name(&self) -> &'static str {
        self.called.first().copied().unwrap_or_default()
    }
}

macro_rules! table {
    ($($name:ident)*) => {
        $(pub(crate) mod $name;)*

        /// Every magic.
        pub(crate) static TABLE: &[&Magic] = &[$(&$name::MAGIC),*];
    };
}

table! {
    stage profile time timeit
    vars reset shell dep
    lsmagic help
}

/// One line that calls a magic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    /// The cell that it stands in.
    pub(crate) cell: &'a CellText,
    /// The line.
    pub(crate) line: &'a MagicLine,
}

impl Call<'_> {
    /// A failure at this line.
    pub(crate) fn failure(&self, ename: &str, said: impl std::fmt::Display) -> Failure {
        let evalue = format!("{}:{}: {said}", self.cell.label, self.line.line);
        Failure { ename: ename.to_owned(), traceback: vec![evalue.clone()], evalue }
    }
}

/// What a magic that answers works with.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    /// What is defined and stored.
    pub(crate) notebook: &'a mut Notebook,
    /// The worker, if there is one.
    pub(crate) worker: Option<Handle>,
    /// Where the answer goes.
    pub(crate) outputs: &'a Outputs,
}

impl Desk<'_> {
    /// Shows a text, and where there is one a form in HTML.
    async fn show(&self, text: String, html: Option<String>) {
        let mut bundle = Bundle::new();
        bundle.insert("text/plain".to_owned(), text.into());
        if let Some(html) = html {
            bundle.insert("text/html".to_owned(), html.into());
        }
        self.outputs.display(bundle, None, false).await;
    }
}

/// Reads the magic lines of a cell.
pub(crate) fn read(cell: &Arc<CellText>, notebook: &Notebook) -> Result<Orders, Failure> {
    let lines = magic_lines(&cell.text);
    let mut orders = Orders::none(cell, &lines);
    for line in &lines {
        let call = Call { cell, line };
        let magic = Magic::find(&line.called()).ok_or_else(|| unknown(&call))?;
        if let Some(code) = orders.rust_begins {
            let said = format!("magics go on top of the cell, and its Rust begins on line {code}: move this line up");
            return Err(call.failure("MagicError", said));
        }
        if !(magic.accepts)(&line.rest) {
            return Err(misused(&call, magic));
        }
        match magic.act {
            Act::Order(order) => order(&call, notebook, &mut orders)?,
            Act::Answer(_) => orders.answers = true,
        }
    }
    Ok(orders)
}

/// What of a text is no Rust that more lines could complete.
pub(crate) fn blanks(text: &str) -> Vec<Range<usize>> {
    let orders = read(&CellText::new(0, text), &Notebook::default());
    match orders {
        Ok(Orders { unwrapped: None, blanks, .. }) => blanks,
        _ => magic_lines(text).into_iter().map(|line| line.range).collect(),
    }
}

/// Has the magics that answer by themselves do so. Dropping the future stops what runs.
pub(crate) async fn answer(
    cell: &CellText,
    notebook: &mut Notebook,
    worker: Option<Handle>,
    outputs: &Outputs,
) -> Result<(), Failure> {
    for line in &magic_lines(&cell.text) {
        if let Some(Magic { act: Act::Answer(answer), .. }) = Magic::find(&line.called()) {
            answer(Call { cell, line }, Desk { notebook, worker: worker.clone(), outputs }).await?;
        }
    }
    Ok(())
}

fn unknown(call: &Call<'_>) -> Failure {
    let called = call.line.called();
    let said = match near(&called, TABLE.iter().flat_map(|magic| magic.called.iter().copied()), bare) {
        names if names.is_empty() => format!("there is no magic {called}; %lsmagic lists them"),
        names => format!("there is no magic {called}; near it are {}; %lsmagic lists them", names.join(", ")),
    };
    call.failure("UnknownMagic", said)
}

/// A magic's name without its sigil.
fn bare(called: &str) -> &str {
    called.trim_start_matches(['%', ':', '!'])
}

fn misused(call: &Call<'_>, magic: &Magic) -> Failure {
    let forms: Vec<String> = magic.syntax.iter().map(|form| format!("`{form}`")).collect();
    let rest = &call.line.rest;
    let said = format!(
        "{} does not know `{rest}`: write {} (%help {} tells more)",
        call.line.called(),
        forms.join(" or "),
        magic.name()
    );
    call.failure("MagicError", said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Orders, Failure> {
        read(&CellText::new(7, text), &Notebook::default())
    }

    #[test]
    fn every_magic_is_called_one_way_and_told_of() {
        let mut names: Vec<_> = TABLE.iter().flat_map(|magic| magic.called).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        for magic in TABLE {
            let name = magic.name();
            assert!(!name.is_empty() && !magic.doc.is_empty() && !magic.help.is_empty(), "{name}");
            assert!(!magic.doc.contains('\n') && !magic.doc.ends_with('.'), "{name}: one line, as in a list");
            assert!(magic.syntax.iter().any(|form| form.starts_with(name)), "{name}");
            let mut called = magic_lines(magic.example);
            called.retain(|line| magic.called.contains(&line.called().as_str()));
            assert!(!called.is_empty(), "{name}: its example does not call it");
            assert!(read_text(magic.example).is_ok(), "{name}: its example is refused");
        }
    }

    #[test]
    fn what_is_unknown_or_misused_says_what_there_is() {
        let said = |text: &str| read_text(text).expect_err(text).evalue;
        assert_eq!(said("%%stagr\n1"), "In[7]:1: there is no magic %%stagr; near it are %%stage; %lsmagic lists them");
        assert_eq!(said("%stage\n1"), "In[7]:1: there is no magic %stage; near it are %%stage; %lsmagic lists them");
        assert_eq!(said(":quux"), "In[7]:1: there is no magic :quux; %lsmagic lists them");
        assert_eq!(
            said("\n%%stage --compair"),
            "In[7]:2: %%stage does not know `--compair`: write `%%stage` or `%%stage --compare` or `%%stage name(x, flag: bool)` (%help %%stage tells more)"
        );
        assert!(said("%vars all").contains("write `%vars`"));
        assert!(said("%%stage\n%%profile").contains("%%stage and %%profile"));
        assert!(said("%time 1 + 1\n%vars").contains("its Rust begins on line 1"));
    }
}
