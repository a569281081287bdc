//! Whether a text is a whole cell, for consoles that must know whether to run a line or ask for more.

use std::ops::Range;

use crate::cell::split::{SplitError, split};
use crate::cell::without;
use crate::session::Completeness;

/// Judges a text with what of it is no Rust: whole, to be continued, or past mending by more lines.
pub fn judge(text: &str, blanks: &[Range<usize>]) -> Completeness {
    // As in IPython: a magic that takes the whole cell takes lines until one is empty.
    if text.starts_with("%%") && text.lines().next_back().is_some_and(|line| !line.trim().is_empty()) && !text.ends_with('\n') {
        return Completeness::Incomplete { indent: String::new() };
    }
    let text = without(text, blanks);
    match split(&text, &|_| false) {
        Ok(_) => Completeness::Complete,
        Err(SplitError::Syntax { at_end: true, .. }) => Completeness::Incomplete { indent: String::new() },
        Err(SplitError::Syntax { .. } | SplitError::TooLong(_) | SplitError::TooDeep(_) | SplitError::Nul(_)) => {
            Completeness::Invalid
        }
        Err(SplitError::Tokens(_)) => open(&text),
    }
}

/// What is open at the end of a text that makes no tokens: a bracket, a string, a comment; or closed without being open.
fn open(text: &str) -> Completeness {
    let mut brackets = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            match comment(rest) {
                Some(end) => end,
                None => return Completeness::Incomplete { indent: String::new() },
            }
        } else if let Some(hashes) = raw_string(rest) {
            let close = format!("\"{}", "#".repeat(hashes));
            let start = hashes + 2;
            match rest[start..].find(&close) {
                Some(end) => start + end + close.len(),
                None => return Completeness::Incomplete { indent: String::new() },
            }
        } else if first == '"' {
            match string(rest) {
                Some(end) => end,
                None => return Completeness::Incomplete { indent: String::new() },
            }
        } else if first == '\'' {
            character(rest)
        } else {
            match first {
                '(' => brackets.push(')'),
                '[' => brackets.push(']'),
                '{' => brackets.push('}'),
                ')' | ']' | '}' if brackets.pop() != Some(first) => return Completeness::Invalid,
                _ => {}
            }
            first.len_utf8()
        };
        rest = &rest[skip..];
    }
    match brackets.len() {
        0 => Completeness::Invalid,
        depth => Completeness::Incomplete { indent: "    ".repeat(depth) },
    }
}

/// The end of a nested comment.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    loop {
        let next = text[at..].find(['/', '*']).map(|found| at + found)?;
        match text.get(next..next + 2) {
            Some("/*") => (depth, at) = (depth + 1, next + 2),
            Some("*/") if depth == 1 => return Some(next + 2),
            Some("*/") => (depth, at) = (depth - 1, next + 2),
            _ => at = next + 1,
        }
    }
}

/// The number of hashes of a raw string that starts here.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
    after[hashes..].starts_with('"').then_some(hashes)
}

/// The end of a string.
fn string(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a character literal, or 1 for a lifetime's quote.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text.char_indices().skip(3).find(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 1),
        Some(_) => chars.next().filter(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 1),
        None => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(text: &str) -> Completeness {
        super::judge(text, &[])
    }

    #[test]
    fn tells_whole_open_and_broken_apart() {
        for whole in ["", "1", "let x = 1;", "fn f() {}", "println!(\"{}\", 1)", "'{'", "r#\"{\"#"] {
            assert_eq!(judge(whole), Completeness::Complete, "{whole}");
        }
        for open in [
            "fn f() {",
            "let x = (1,",
            "println!(\"open",
            "/* open",
            "match x {",
            "let x = 1",
            "r#\"open\"",
            "f('(', [",
            "/* /* */",
        ] {
            assert!(matches!(judge(open), Completeness::Incomplete { .. }), "{open}");
        }
        for broken in ["let x = );", "fn f() }", "f(]", "let 3 x;"] {
            assert_eq!(judge(broken), Completeness::Invalid, "{broken}");
        }
        let staged = |text| super::judge(text, &[0..7]);
        for open in ["%%stage", "%%stage\nlet y = 2;", "%%stage\nf(\n"] {
            assert!(matches!(staged(open), Completeness::Incomplete { .. }), "{open}");
        }
        assert_eq!(staged("%%stage\nlet y = 2;\n"), Completeness::Complete);
        assert_eq!(judge("fn f() {\n    if x {"), Completeness::Incomplete { indent: " ".repeat(8) });
    }
}
