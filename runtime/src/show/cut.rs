//! Text of values of any size: whole where it is short, else its beginning and how much more there is.

use super::numbers::bytes;
use std::fmt::{self, Arguments, Write};

/// Bytes of text that are shown.
const MOST: usize = 16 << 10;

/// The text, cut where it is long.
pub(crate) fn bounded(text: Arguments<'_>) -> String {
    let mut cut = Cut { kept: String::new(), left_out: 0 };
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
    left_out: usize,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = if self.left_out == 0 { MOST.saturating_sub(self.kept.len()) } else { 0 };
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
        assert_eq!(bounded(format_args!("{:?}", [1, 2])), "[1, 2]");
        let shown = bounded(format_args!("{:?}", vec![7; 100_000]));
        assert!(shown.starts_with("[7, 7, 7") && shown.len() < MOST + 200, "{}", shown.len());
        assert!(
            shown.ends_with("283.6 kB more of this text are not shown: take a part of the value, or write it to a file"),
            "{}",
            &shown[MOST..]
        );
        let shown = bounded(format_args!("{}", "ä".repeat(MOST)));
        assert!(shown.contains("ä …\n[footlight] 16.4 kB more"), "{}", &shown[MOST - 2..]);
    }
}
