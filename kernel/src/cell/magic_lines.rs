//! Takes magics off the top of a cell, and keeps the offsets of the Rust that follows.

use std::ops::Range;

/// One magic line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MagicLine {
    /// What it begins with: `%%`, `%`, `:` or `!`.
    pub sigil: &'static str,
    /// The name after the sigil; empty for `!`.
    pub name: String,
    /// The rest of the line, trimmed.
    pub rest: String,
    /// Its bytes, without the line's end.
    pub range: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
}

impl MagicLine {
    /// The name as the user wrote it, sigil included.
    pub fn called(&self) -> String {
        format!("{}{}", self.sigil, self.name)
    }
}

/// The magic lines at the top of a cell: all up to the first line of Rust. Blank lines and `//` lines between them don't end them.
pub fn magic_lines(text: &str) -> Vec<MagicLine> {
    let mut magics = Vec::new();
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        let trimmed = text[start..end].trim().trim_start_matches('\u{feff}');
        if let Some(magic) = parse(trimmed, start..end, index + 1) {
            magics.push(magic);
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            break;
        }
        start += line.len();
    }
    magics
}

fn parse(line: &str, range: Range<usize>, number: usize) -> Option<MagicLine> {
    let sigil = ["%%", "%", ":", "!"].into_iter().find(|sigil| line.starts_with(sigil))?;
    let after = &line[sigil.len()..];
    if sigil == "!" {
        // `!x` alone is Rust's negation; a command has a letter, a path or a variable after it and Rust would not parse.
        let is_command = after.starts_with(|c: char| c.is_alphabetic() || "./~$".contains(c) || c.is_whitespace());
        // `!ls -l | head` and `!ls /tmp` would be Rust too; an option tells it from a difference, a path from a quotient.
        let is_option = |word: &str| word.starts_with('-') && word.trim_start_matches('-').starts_with(char::is_alphabetic);
        let is_path = |word: &str| word.len() > 1 && word.starts_with('/');
        let has_argument = after.split_whitespace().skip(1).any(|word| is_option(word) || is_path(word));
        let is_rust = !has_argument && syn::parse_str::<syn::Expr>(line.trim_end_matches(';')).is_ok();
        return (is_command && !is_rust || is_word(after) && !after.is_empty()).then(|| MagicLine {
            sigil,
            name: String::new(),
            rest: after.trim().to_owned(),
            range,
            line: number,
        });
    }
    let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    if name.is_empty() {
        return None;
    }
    Some(MagicLine { sigil, name: name.to_owned(), rest: rest.trim().to_owned(), range, line: number })
}

/// One lower-case word, as `ls` or `nvidia-smi`: read as a command, since a cell that only negates a variable is of little use.
fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(text: &str) -> Vec<String> {
        magic_lines(text).into_iter().map(|magic| format!("{} {}", magic.called(), magic.rest)).collect()
    }

    #[test]
    fn only_the_top_is_magic() {
        assert_eq!(called("%%stage --compare\nx % y"), ["%%stage --compare"]);
        assert_eq!(called("\n// note\n%time\n:dep image = \"0.25\"\nlet a = 1;\n%late"), ["%time ", ":dep image = \"0.25\""]);
        assert_eq!(called("!ls -l | head\n!pwd"), ["! ls -l | head", "! pwd"]);
        for command in ["ls /tmp", "nvidia-smi", "python3", "cargo --version", "git status", "cat a.csv", "./run"] {
            assert_eq!(called(&format!("!{command}")), [format!("! {command}")]);
        }
        for rust in ["!flag.get()", "!a && b", "!(a - b)", "!x / y", "!x - y"] {
            assert_eq!(called(rust), [""; 0], "{rust}");
        }
        assert_eq!(called("::std::mem::drop(x)"), [""; 0]);
    }

    #[test]
    fn ranges_are_whole_lines() {
        let text = "%%stage\r\nx";
        assert_eq!(magic_lines(text)[0].range, 0..7);
    }
}
