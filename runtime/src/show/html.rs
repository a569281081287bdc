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

    /// Its HTML.
    pub(crate) fn html(&self) -> String {
        let mut out = String::from("<table>");
        if self.columns.iter().any(|(name, _)| !name.is_empty()) {
            out.push_str("<thead><tr>");
            for (name, align) in &self.columns {
                let _ = write!(out, "<th style=\"text-align:{}\">{}</th>", side(*align), escape(name));
            }
            out.push_str("</tr></thead>");
        }
        out.push_str("<tbody>");
        for row in &self.rows {
            out.push_str("<tr>");
            for (cell, (_, align)) in row.iter().zip(&self.columns) {
                let text = escape(cell);
                let _ = match align {
                    Align::Code => {
                        write!(out, "<td style=\"text-align:left\"><code style=\"white-space:pre\">{}</code></td>", spaced(&text))
                    }
                    _ => write!(out, "<td style=\"text-align:{}\">{text}</td>", side(*align)),
                };
            }
            out.push_str("</tr>");
        }
        out + "</tbody></table>"
    }

    /// Its text, columns aligned.
    pub(crate) fn text(&self) -> String {
        let heads: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let with_heads = heads.iter().any(|head| !head.is_empty());
        let all: Vec<&Vec<String>> = with_heads.then_some(&heads).into_iter().chain(&self.rows).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| all.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let lines: Vec<String> = all
            .iter()
            .map(|row| {
                let cells = row.iter().zip(&widths).zip(&self.columns).map(|((cell, &width), (_, align))| match align {
                    Align::Right => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
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

fn side(align: Align) -> &'static str {
    if align == Align::Right { "right" } else { "left" }
}

/// An SVG picture as an image with alt text, `width` pixels wide at most.
#[must_use]
pub(crate) fn picture(svg: &str, alt: &str, width: u32) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(svg);
    format!("<img src=\"data:image/svg+xml;base64,{data}\" alt=\"{}\" width=\"{width}\">", escape(alt))
}

/// A PNG picture as an image with alt text.
#[must_use]
pub(crate) fn png_picture(bytes: &[u8], alt: &str, width: u32) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("<img src=\"data:image/png;base64,{data}\" alt=\"{}\" width=\"{width}\">", escape(alt))
}

/// Content that is folded under a summary.
#[must_use]
pub(crate) fn details(summary: &str, content: &str, open: bool) -> String {
    format!("<details{}><summary>{}</summary>{content}</details>", if open { " open" } else { "" }, escape(summary))
}

/// Seconds in the unit that reads best; a no-break space keeps the unit in the number's line.
#[must_use]
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v >= 1.0 => format!("{v:.2}\u{a0}s"),
        v if v >= 1e-3 => format!("{:.2}\u{a0}ms", v * 1e3),
        v if v >= 1e-6 => format!("{:.1}\u{a0}µs", v * 1e6),
        v => format!("{:.0}\u{a0}ns", v * 1e9),
    }
}

/// Bytes in the unit that reads best.
#[must_use]
pub(crate) fn bytes(value: u64) -> String {
    const UNITS: [&str; 4] = ["B", "kB", "MB", "GB"];
    let mut amount = value as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{value}\u{a0}B") } else { format!("{amount:.1}\u{a0}{}", UNITS[unit]) }
}

/// A share as a bar of at most eight blocks, which needs no style.
#[must_use]
pub(crate) fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * 64.0).round() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
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

    #[test]
    fn units_read_well() {
        assert_eq!(
            [seconds(2.5), seconds(0.0123), seconds(4.2e-6), seconds(5e-9)],
            ["2.50\u{a0}s", "12.30\u{a0}ms", "4.2\u{a0}µs", "5\u{a0}ns"]
        );
        assert_eq!([bytes(12), bytes(1500), bytes(2_000_000)], ["12\u{a0}B", "1.5\u{a0}kB", "2.0\u{a0}MB"]);
        assert_eq!([bar(0.0), bar(1.0), bar(0.5)], ["", "████████", "████"]);
    }
}
