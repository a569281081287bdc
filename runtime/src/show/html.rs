//! The only writer of HTML. What it writes survives JupyterLab's sanitizer, GitHub's, and nbconvert: tables, `<details>`, pictures as
//! `data:` URIs with alt text. No scripts, no `<style>`, no `<svg>`; colours only where a viewer that drops them loses nothing.

use base64::Engine as _;
use std::fmt::Write as _;

/// Text with the characters that HTML reads escaped.
#[must_use]
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers, so that they line up.
    Right,
    /// Source text, with its spaces kept.
    Code,
    /// A row's index or name.
    Head,
}

impl Align {
    fn side(self) -> &'static str {
        match self {
            Self::Right | Self::Head => "right",
            Self::Left | Self::Code => "left",
        }
    }
}

/// A table: heads with their alignment, and rows of text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table of these columns.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        Self { columns: columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect(), rows: Vec::new() }
    }

    /// Adds a row of plain text; it is escaped here.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The same without columns that are empty but for their heads.
    pub(crate) fn compact(mut self) -> Self {
        let told: Vec<bool> = (0..self.columns.len())
            .map(|at| self.rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let mut keep = told.iter();
        self.columns.retain(|_| keep.next() == Some(&true));
        for row in &mut self.rows {
            let mut keep = told.iter();
            row.retain(|_| keep.next() == Some(&true));
        }
        self
    }

    /// Its HTML. Alignment is told twice: by attribute, which GitHub keeps, and by style, which JupyterLab's own rules for cells need.
    pub(crate) fn html(&self) -> String {
        // Lines of source stand close, as in an editor.
        let close =
            if self.columns.iter().any(|(_, align)| *align == Align::Code) { ";padding:1px 8px;line-height:1.5" } else { "" };
        let mut out = String::from("<table>");
        if self.with_heads() {
            out.push_str("<thead><tr>");
            for (name, align) in &self.columns {
                let _ = write!(out, "<th align=\"{0}\" style=\"text-align:{0}\">{1}</th>", align.side(), escape(name));
            }
            out.push_str("</tr></thead>");
        }
        out.push_str("<tbody>");
        for row in &self.rows {
            out.push_str("<tr>");
            for (cell, (_, align)) in row.iter().zip(&self.columns) {
                let text = escape(cell);
                let side = format!("align=\"{0}\" style=\"text-align:{0}{close}\"", align.side());
                let _ = match align {
                    Align::Code => write!(out, "<td {side}><code style=\"white-space:pre\">{}</code></td>", spaced(&text)),
                    Align::Head => write!(out, "<th {side}>{text}</th>"),
                    // A unit stays in its number's line, however narrow the page.
                    Align::Right => write!(out, "<td {side}>{}</td>", text.replace(' ', "\u{a0}")),
                    Align::Left => write!(out, "<td {side}>{text}</td>"),
                };
            }
            out.push_str("</tr>");
        }
        out + "</tbody></table>"
    }

    fn with_heads(&self) -> bool {
        self.columns.iter().any(|(name, _)| !name.is_empty())
    }

    /// Its text, columns aligned.
    pub(crate) fn text(&self) -> String {
        let heads: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let all: Vec<&Vec<String>> = self.with_heads().then_some(&heads).into_iter().chain(&self.rows).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| all.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let lines: Vec<String> = all
            .iter()
            .map(|row| {
                let cells = row.iter().zip(&widths).zip(&self.columns).map(|((cell, &width), (_, align))| match align {
                    Align::Right | Align::Head => format!("{cell:>width$}"),
                    Align::Left | Align::Code => format!("{cell:<width$}"),
                });
                cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
            })
            .collect();
        lines.join("\n")
    }
}

/// Leading spaces as no-break ones: viewers that drop `white-space:pre` keep a line's indent.
fn spaced(line: &str) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    "\u{a0}".repeat(indent) + &line[indent..]
}

/// Blocks below each other.
#[must_use]
pub(crate) fn stack(blocks: &[String]) -> String {
    blocks.iter().map(|block| format!("<div>{block}</div>")).collect()
}

/// The widest picture that a page of usual width shows without making its letters too small to read.
const READABLE: u32 = 960;

/// An SVG picture as an image with alt text, `width` pixels wide at most. One that is wider than a page is scrolled where the page allows
/// styles, and made smaller where it doesn't.
#[must_use]
pub(crate) fn picture(svg: &str, alt: &str, width: u32) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(svg);
    let style = if width > READABLE { " style=\"max-width:none\"" } else { "" };
    let image = format!("<img src=\"data:image/svg+xml;base64,{data}\" alt=\"{}\" width=\"{width}\"{style}>", escape(alt));
    if width > READABLE { format!("<div style=\"overflow-x:auto\">{image}</div>") } else { image }
}

/// A PNG picture's file as a `data:` URI.
#[must_use]
pub(crate) fn png_data(file: &[u8]) -> String {
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(file))
}

/// A PNG picture as an image with alt text.
#[must_use]
pub(crate) fn png_picture(file: &[u8], alt: &str, width: u32) -> String {
    format!("<img src=\"{}\" alt=\"{}\" width=\"{width}\">", png_data(file), escape(alt))
}

/// Content that is folded under a summary.
#[must_use]
pub(crate) fn details(summary: &str, content: &str, open: bool) -> String {
    format!("<details{}><summary>{}</summary>{content}</details>", if open { " open" } else { "" }, escape(summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_escape_and_align() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(vec!["a<b>".to_owned(), "10".to_owned()]);
        table.row(vec!["c".to_owned(), "5".to_owned()]);
        assert!(table.html().contains("a&lt;b&gt;"));
        assert_eq!(table.text(), "name   n\na<b>  10\nc      5");
    }
}
