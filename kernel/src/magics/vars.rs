//! `%vars`: the variables of the notebook.

use futures::FutureExt;

use super::{Act, Magic};
use crate::cell::types::short;
use crate::notebook::Notebook;
use crate::notebook::variables::{State, Variable};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%vars"],
    syntax: &["%vars"],
    doc: "lists the variables: type, value in short, the cell that defined them",
    help: "A variable that can't be had is listed too, with why: moved away, lost with the worker, or of a type that lives for its cell only.",
    example: "%vars",
    accepts: str::is_empty,
    act: Act::Answer(|_, desk| {
        async move {
            let rows = rows(desk.notebook);
            if rows.is_empty() {
                desk.show("no variables".to_owned(), None).await;
            } else {
                desk.show(text(&rows), Some(html(&rows))).await;
            }
            Ok(())
        }
        .boxed()
    }),
};

/// Name, type, value, cell.
type Row = [String; 4];

/// The most characters of a type.
const LONGEST: usize = 60;

const HEAD: [&str; 4] = ["name", "type", "value", "cell"];

fn rows(notebook: &Notebook) -> Vec<Row> {
    let row = |(name, variable): (&str, &Variable)| {
        let name = if variable.mutable { format!("mut {name}") } else { name.to_owned() };
        let (ty, value) = told(variable);
        [name, ty, value, variable.cell.clone()]
    };
    notebook.variables.iter().map(row).collect()
}

/// The type and the value, or why there is none.
fn told(variable: &Variable) -> (String, String) {
    let gone = |why: String| (String::new(), format!("({why})"));
    match &variable.state {
        State::Stored(stored) => (cut(&stored.short), variable.summary.clone().unwrap_or_default()),
        State::Unknown { type_name } => (cut(&short(type_name)), "(later cells can't write its type)".to_owned()),
        State::Unnameable { .. } => gone("its type has no name: it lived for its cell".to_owned()),
        State::Borrowed => gone("a borrow: it lived for its cell".to_owned()),
        State::NotRun { in_cell } => gone(format!("not defined: {in_cell} failed before it")),
        State::Moved { by } => gone(format!("moved away in {by}")),
        State::Lost => gone("lost with the worker".to_owned()),
    }
}

/// A type that is not so long that the table would not fit.
fn cut(ty: &str) -> String {
    let start: String = ty.chars().take(LONGEST).collect();
    if start.len() == ty.len() { start } else { format!("{start}…") }
}

fn text(rows: &[Row]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEAD[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[&str]| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let rows = rows.iter().map(|row| line(&row.each_ref().map(String::as_str)));
    [line(&HEAD)].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// A table without colours of its own, so that it has those of the page it is on.
fn html(rows: &[Row]) -> String {
    let head: String = HEAD.iter().map(|cell| format!("<th style=\"text-align:left\">{cell}</th>")).collect();
    let cells =
        |row: &Row| row.iter().map(|cell| format!("<td style=\"text-align:left\">{}</td>", escaped(cell))).collect::<String>();
    let body: String = rows.iter().map(|row| format!("<tr>{}</tr>", cells(row))).collect();
    format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_markup_is_text() {
        let mut notebook = Notebook::default();
        let variable = |state, summary: Option<&str>| Variable {
            mutable: false,
            cell: "In[1]".to_owned(),
            state,
            bytes: None,
            summary: summary.map(str::to_owned),
        };
        notebook.variables.set("gone", variable(State::Moved { by: "In[2]".to_owned() }, None));
        let short = crate::cell::types::translate("alloc::vec::Vec<i32>", &|_| None).expect("a known type");
        notebook.variables.set("v", variable(State::Stored(short), Some("[1, 2]")));
        let rows = rows(&notebook);
        assert_eq!(
            text(&rows),
            "name  type      value                  cell\n\
             gone            (moved away in In[2])  In[1]\n\
             v     Vec<i32>  [1, 2]                 In[1]"
        );
        assert!(html(&rows).contains("<td style=\"text-align:left\">Vec&lt;i32&gt;</td>"));
    }
}
