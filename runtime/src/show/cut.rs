//! Text of values of any size: whole where it is short, else its beginning and how much more there is.

use super::numbers::bytes;
use std::fmt::{self, Arguments, Write};

/// Bytes of a value's text that are shown: as many as a cell may print.
pub(crate) const MOST: usize = 10 << 20;

/// The text, cut behind `most` bytes.
pub(crate) fn bounded(text: Arguments<'_>, most: usize) -> String {
    let mut cut = Cut { kept: String::new(), most, left_out: 0 };
    // An implementation that fails has written what it could.
    let _ = cut.write_fmt(text);
    if cut.left_out > 0 {
        let rest = bytes(cut.left_out as u64);
        let _ = write!(
            cut.kept,
            " …\n[footlight] {rest} more of this text are not shown: take a part of the value, or write it to a file"
        );
    }
    cut.kept
}

/// Keeps the beginning of what is written and counts the rest, so that memory does not grow with the value.
struct Cut {
    kept: String,
    most: usize,
    left_out: usize,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = if self.left_out == 0 { self.most.saturating_sub(self.kept.len()) } else { 0 };
        let fits = text.floor_char_boundary(room);
        self.kept.push_str(&text[..fits]);
        self.left_out += text.len() - fits;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_says_how_much_is_left() {
        assert_eq!(bounded(format_args!("{:?}", [1, 2]), 100), "[1, 2]");
        let shown = bounded(format_args!("{:?}", vec![7; 100_000]), 16 << 10);
        assert!(shown.starts_with("[7, 7, 7") && shown.len() < (16 << 10) + 200, "{}", shown.len());
        assert!(
            shown.ends_with("283.6 kB more of this text are not shown: take a part of the value, or write it to a file"),
            "{}",
            &shown[16 << 10..]
        );
        let shown = bounded(format_args!("{}", "ä".repeat(16 << 10)), 16 << 10);
        assert!(shown.contains("ä …\n[footlight] 16.4 kB more"), "{}", &shown[(16 << 10) - 2..]);
    }
}
