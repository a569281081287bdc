//! What a cell's magics ask of the engine: another text to compile, another way to run it.

use std::ops::Range;
use std::sync::Arc;

use footlight_channel::Mode;

use super::Call;
use crate::cell::edits::CellText;
use crate::cell::magic_lines::MagicLine;
use crate::cell::without;
use crate::session::Failure;

/// What the magic lines of a cell ask for.
#[derive(Debug)]
pub(crate) struct Orders {
    /// The text to compile: the user's, or for `%%stage name(x)` with the function around it.
    pub(crate) text: Arc<CellText>,
    /// Magic lines, which rustc does not see.
    pub(crate) blanks: Vec<Range<usize>>,
    /// Where a magic put text around Rust: the cell up to the end of that Rust and without the text, and what of it is no Rust.
    pub(crate) unwrapped: Option<(Arc<CellText>, Vec<Range<usize>>)>,
    /// How it runs.
    pub(crate) mode: Mode,
    /// Print how long it took.
    pub(crate) timed: bool,
    /// Some of the lines answer by themselves.
    pub(crate) answers: bool,
    /// The line of a magic that has Rust behind it; no magic may follow.
    pub(super) rust_begins: Option<usize>,
    /// The magic that says how the cell runs.
    mode_by: Option<String>,
    /// The magic that takes the cell's text.
    text_by: Option<String>,
}

impl Orders {
    /// A cell that runs as it stands.
    pub(super) fn none(cell: &Arc<CellText>, lines: &[MagicLine]) -> Self {
        Orders {
            text: cell.clone(),
            blanks: lines.iter().map(|line| line.range.clone()).collect(),
            unwrapped: None,
            mode: Mode::Eager,
            timed: false,
            answers: false,
            rust_begins: None,
            mode_by: None,
            text_by: None,
        }
    }

    /// Whether nothing but the magic lines is in the cell.
    pub(crate) fn is_all(&self) -> bool {
        without(&self.text.text, &self.blanks).trim().is_empty()
    }

    /// Runs the cell in `mode`; one magic only may say so.
    pub(super) fn run_as(&mut self, call: &Call<'_>, mode: Mode) -> Result<(), Failure> {
        if let Some(other) = self.mode_by.replace(call.line.called()) {
            return Err(twice(call, &other));
        }
        self.mode = mode;
        Ok(())
    }

    /// Puts `open` in the place of the magic and `close` behind the cell.
    pub(super) fn wrap(&mut self, call: &Call<'_>, open: &str, close: &str) -> Result<(), Failure> {
        self.take_text(call)?;
        self.unwrapped = Some((self.text.clone(), self.blanks.clone()));
        let at = &call.line.range;
        let body = without(&call.cell.text, &self.blanks);
        let (above, magic, below) = (&call.cell.text[..at.start], &call.cell.text[at.clone()], body[at.end..].trim_end());
        let length = open.len().max(magic.len());
        let text = format!("{above}{open}{:1$}{below}\n{close}", "", length - open.len());
        let shown = format!("{above}{magic}{0:1$}{below}\n{0:2$}", "", length - magic.len(), close.len());
        self.set_text(call, text, Some(shown));
        Ok(())
    }

    /// Leaves the rest of the magic's line to rustc: only the magic's name is blanked.
    pub(super) fn keep_rest(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        self.take_text(call)?;
        self.blank_name(call);
        Ok(())
    }

    /// As [`Orders::keep_rest`], with `open` in the name's place, so that the rest stays in its columns, and `close` behind the line.
    pub(super) fn wrap_rest(&mut self, call: &Call<'_>, open: &str, close: &str) -> Result<(), Failure> {
        self.take_text(call)?;
        self.blank_name(call);
        let (line, rest) = (&call.line.range, rest(call));
        let text = &call.cell.text;
        let alone = CellText { text: text[..rest.end].to_owned(), ..self.text.as_ref().clone() };
        self.unwrapped = Some((Arc::new(alone), self.blanks.clone()));
        let room = text[line.start..rest.start].chars().count();
        let code = without_comment(&text[rest.clone()]);
        let written = format!("{}{open:room$}{code}{close}{}", &text[..line.start], &text[line.end..]);
        let name = &text[line.start..rest.start];
        let shown = format!("{}{name}{code}{:2$}{3}", &text[..line.start], "", close.len(), &text[line.end..]);
        self.set_text(call, written, Some(shown));
        Ok(())
    }

    /// The Rust of the cell begins behind the magic's name.
    fn blank_name(&mut self, call: &Call<'_>) {
        self.rust_begins = Some(call.line.line);
        self.blanks.retain(|range| range.end <= call.line.range.start);
        self.blanks.push(call.line.range.start..rest(call).start);
    }

    fn take_text(&mut self, call: &Call<'_>) -> Result<(), Failure> {
        match self.text_by.replace(call.line.called()) {
            Some(other) => Err(twice(call, &other)),
            None => Ok(()),
        }
    }

    /// The magics below are in the new text no more.
    fn set_text(&mut self, call: &Call<'_>, text: String, shown: Option<String>) {
        self.text = Arc::new(CellText { number: call.cell.number, label: call.cell.label.clone(), text, shown });
        self.blanks.retain(|range| range.end <= call.line.range.start);
    }
}

fn twice(call: &Call<'_>, other: &str) -> Failure {
    let called = call.line.called();
    call.failure("MagicError", format!("{other} and {called} each say how the cell runs: keep one of them"))
}

/// Where the code behind a magic's name is in the cell.
fn rest(call: &Call<'_>) -> Range<usize> {
    let line = &call.line.range;
    let end = line.start + call.cell.text[line.clone()].trim_end().len();
    end - call.line.rest.len()..end
}

/// A line of Rust without the `//` at its end, behind which nothing could be added.
fn without_comment(code: &str) -> &str {
    let whole = |code: &str| format!("({code})").parse::<proc_macro2::TokenStream>().is_ok();
    let ends = code.match_indices("//").map(|(at, _)| at);
    ends.map(|at| &code[..at]).find(|code| whole(code)).filter(|_| !whole(code)).unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::magics::read;
    use crate::notebook::Notebook;

    /// The text that rustc would see.
    fn seen(text: &str) -> String {
        let orders = read(&CellText::new(1, text), &Notebook::default()).expect(text);
        without(&orders.text.text, &orders.blanks)
    }

    #[test]
    fn code_keeps_its_lines_and_columns() {
        assert_eq!(seen("%vars\n%time x + 1\ny"), "     \n      x + 1\ny");
        assert_eq!(seen("// é\n%timeit f(x) // slow\ny"), "// é\ntimeit!(f(x) );\ny");
        assert_eq!(seen("%timeit  f(\"//\")"), "timeit!( f(\"//\"));");
        let text = seen("%%timeit\nlet a = 1;\nf(a)");
        assert!(
            text.starts_with("::footlight::cell::timeit(")
                && text.ends_with("\nlet a = 1;\nf(a)\n}); ::core::result::Result::Ok(()) });")
        );
        let text = seen("%%stage f(x)\n%time\nx");
        assert!(text.contains("{\n     \nx\n}"), "{text}");
    }

    #[test]
    fn messages_show_what_the_user_wrote() {
        let orders = read(&CellText::new(1, "%timeit  f(x) // é\ny"), &Notebook::default()).expect("it is well formed");
        assert_eq!(orders.text.text, "timeit!( f(x) );\ny");
        assert_eq!(orders.text.shown(), "%timeit  f(x)   \ny");
    }

    #[test]
    fn a_cell_of_magics_alone_needs_no_compiler() {
        let is_all = |text: &str| read(&CellText::new(1, text), &Notebook::default()).expect(text).is_all();
        assert!(is_all("%vars\n\n!ls\n"));
        assert!(!is_all("%vars\n1"));
        assert!(!is_all("%time 1"));
    }
}
