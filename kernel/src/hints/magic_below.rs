//! A magic below the first line of Rust, where rustc reads it as Rust.
//!
//! ```text
//! let y = x.exp();
//! %%stage
//! ```

use super::Scene;
use crate::cell::magic_lines::magic_lines;
use crate::magics::Magic;

/// Only the lines above the Rust are magics, since `%` and `!` are operators and `:` stands before types.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let Some(place) = scene.place() else { return Vec::new() };
    let (text, at) = (&place.cell.text, place.range.start);
    // `%time 1 +` is on top, and wrong in its Rust.
    if magic_lines(text).iter().any(|magic| magic.range.contains(&at) || magic.range.end == at) {
        return Vec::new();
    }
    let line = text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..].lines().next().unwrap_or_default();
    // An indented `!done` goes on with the line above it.
    let magic = magic_lines(line).into_iter().next().filter(|_| !line.starts_with(char::is_whitespace));
    let Some(magic) = magic.filter(|magic| Magic::find(&magic.called()).is_some()) else { return Vec::new() };
    let called = if magic.name.is_empty() { line.trim().to_owned() } else { magic.called() };
    vec![format!("`{called}` is a magic, and magics go on top of the cell, above its first line of Rust")]
}
