//! The specification of the notebook, run: each `cells/*.md` is one session of a real engine, with rustc and a real worker.
//!
//! A block of `rust` is a cell. The block of `text` after it is what the cell answers: its streams, its displays and its result as
//! plain text, its error as the user reads it. No `text` block means that it answers nothing. `UPDATE=1 cargo test -p
//! footlight-tests cells` rewrites the answers; the review reads the difference.
//!
//! `…` in an answer stands for any text in its line, where a time or a path differs from run to run.

use footlight_kernel::outputs::{Output, Outputs, Publication};
use footlight_kernel::session::{Execution, Outcome, Session};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A part of a specification, kept in order so that it can be written again.
#[derive(Debug)]
enum Part {
    /// Prose, headings, blank lines.
    Prose(String),
    /// A cell, and its answer if one stands after it.
    Cell { code: String, answer: Option<String> },
}

/// Splits a Markdown text into prose and cells.
fn parse(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut prose = String::new();
    let mut lines = text.lines().peekable();
    let block = |lines: &mut std::iter::Peekable<std::str::Lines<'_>>| {
        let mut body = String::new();
        for line in lines.by_ref() {
            if line == "```" {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        body.pop();
        body
    };
    while let Some(line) = lines.next() {
        match line {
            "```rust" => {
                parts.push(Part::Prose(std::mem::take(&mut prose)));
                parts.push(Part::Cell { code: block(&mut lines), answer: None });
            }
            "```text" if prose.trim().is_empty() => {
                prose.clear();
                let answer = block(&mut lines);
                match parts.last_mut() {
                    Some(Part::Cell { answer: slot, .. }) => *slot = Some(answer),
                    _ => panic!("a `text` block without a cell before it: {answer}"),
                }
            }
            _ => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    parts.push(Part::Prose(prose));
    parts
}

/// Writes the parts as Markdown again.
fn unparse(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Prose(prose) => text.push_str(prose),
            Part::Cell { code, answer } => {
                let _ = writeln!(text, "```rust\n{code}\n```");
                if let Some(answer) = answer {
                    let _ = writeln!(text, "\n```text\n{answer}\n```");
                }
            }
        }
    }
    text
}

/// Text without its ANSI colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        out.push_str(&rest[..start]);
        rest = rest[start..].find('m').map_or("", |end| &rest[start + end + 1..]);
    }
    out + rest
}

/// Whether an answer is the expected one, where `…` stands for any text in its line.
fn matches(expected: &str, answer: &str) -> bool {
    let (mut want, mut got) = (expected.lines(), answer.lines());
    loop {
        match (want.next(), got.next()) {
            (None, None) => return true,
            (Some(want), Some(got)) if line_matches(want, got) => {}
            _ => return false,
        }
    }
}

fn line_matches(want: &str, got: &str) -> bool {
    let mut pieces = want.trim_end().split('…');
    let Some(mut rest) = got.trim_end().strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let mut last = None;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        last = Some(piece);
    }
    match last {
        None => rest.is_empty(),
        Some(piece) => piece.is_empty() || rest.is_empty(),
    }
}

/// Runs one cell and gathers what the user would read.
async fn answer(session: &Session, code: &str, count: u32) -> String {
    let (outputs, (mut published, _asked)) = Outputs::detached(false);
    let execution = Execution { code: code.to_owned(), count, silent: false, store_history: true };
    let mut text = String::new();
    let mut gather = |publication| {
        let Publication::Output { output, .. } = publication else { return };
        match output {
            Output::Stream { text: stream, .. } => text.push_str(&stream),
            Output::Display { data, .. } | Output::ExecuteResult { data, .. } => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let shown = data["text/plain"].as_str().unwrap_or("(no text/plain)");
                // A profile's times and the order of its ops differ from run to run; its views have tests of their own.
                let profile = shown.starts_with("staged") || shown.starts_with("eager");
                text.push_str(if profile { "(profile)" } else { shown });
                text.push('\n');
            }
            _ => {}
        }
    };
    let mut execute = std::pin::pin!(session.execute(execution, &outputs));
    let outcome = loop {
        tokio::select! {
            Some(publication) = published.recv() => gather(publication),
            outcome = &mut execute => break outcome,
        }
    };
    while let Ok(publication) = published.try_recv() {
        gather(publication);
    }
    if let Outcome::Error(failure) = outcome {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&failure.traceback.join("\n"));
    }
    plain(&text).lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Runs every cell of a specification in one session; returns the differences.
async fn check(path: &Path, update: bool) -> Vec<String> {
    let mut parts = parse(&std::fs::read_to_string(path).expect("a specification can be read"));
    // Starts within the runtime that drives this check.
    let session = super::session();
    let mut differences = Vec::new();
    let mut count = 0;
    for part in &mut parts {
        let Part::Cell { code, answer: expected } = part else { continue };
        count += 1;
        let got = answer(&session, code, count).await;
        if !matches(expected.as_deref().unwrap_or_default(), &got) {
            differences.push(format!(
                "{}, cell {count}:\n{code}\n--- expected\n{}\n--- answered\n{got}\n",
                path.display(),
                expected.as_deref().unwrap_or("(nothing)")
            ));
            if update {
                *expected = (!got.is_empty()).then_some(got);
            }
        }
    }
    session.shutdown(false).await;
    if update && !differences.is_empty() {
        std::fs::write(path, unparse(&parts)).expect("a specification can be written");
        differences.clear();
    }
    differences
}

#[test]
fn every_cell_answers_as_specified() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cells");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("tests/cells is there").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    if let Ok(only) = std::env::var("ONLY") {
        paths.retain(|path| path.to_string_lossy().contains(&only));
    }
    paths.sort();
    assert!(!paths.is_empty(), "no specification found");
    let runtime = tokio::runtime::Runtime::new().expect("a tokio runtime");
    let update = std::env::var_os("UPDATE").is_some();
    let differences: Vec<String> = paths.iter().flat_map(|path| runtime.block_on(check(path, update))).collect();
    assert!(differences.is_empty(), "{}\nUPDATE=1 writes these answers into the files", differences.join("\n"));
}

#[test]
fn a_specification_survives_parsing() {
    let text = "# Title\n\n```rust\nlet x = 1;\n```\n\nProse.\n\n```rust\nx\n```\n\n```text\n1\n```\n\nEnd.\n";
    assert_eq!(unparse(&parse(text)), text);
}

#[test]
fn an_ellipsis_stands_for_text_in_its_line() {
    assert!(matches("took … ms\nend", "took 12 ms\nend"));
    assert!(matches("at …", "at /tmp/x"));
    assert!(!matches("took … ms", "took 12 s"));
    assert!(!matches("a", "a\nb"));
    assert!(!matches("a", "ab"));
}
