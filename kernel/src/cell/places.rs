//! From the generated source back to the cells: offsets, ranges and lines.

use std::ops::Range;
use std::sync::Arc;

use super::edits::{CellText, Origin, Purpose, Segment};

/// A stretch of a cell's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSpan {
    /// The cell.
    pub cell: Arc<CellText>,
    /// Bytes of its text.
    pub range: Range<usize>,
}

/// What a stretch of the generated source is to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mapped {
    /// The user's own text (as much of the stretch as is theirs).
    User(UserSpan),
    /// Wholly generated, beside this offset of a cell.
    Generated(Purpose, Arc<CellText>, usize),
}

/// Maps a stretch of the generated source to the user's text. A stretch that starts or ends in generated text is narrowed to the
/// user's part; one with no such part is [`Mapped::Generated`].
pub fn map(segments: &[Segment], range: Range<usize>) -> Option<Mapped> {
    let first = segments.partition_point(|segment| segment.range.end <= range.start);
    let touched = &segments[first.min(segments.len())..];
    let mut found: Option<UserSpan> = None;
    for segment in touched.iter().take_while(|s| s.range.start < range.end.max(range.start + 1)) {
        let Origin::User(cell, start) = &segment.origin else { continue };
        let from = range.start.max(segment.range.start);
        let to = range.end.min(segment.range.end).max(from);
        let part = start + (from - segment.range.start)..start + (to - segment.range.start);
        match &mut found {
            None => found = Some(UserSpan { cell: cell.clone(), range: part }),
            Some(span) if Arc::ptr_eq(&span.cell, cell) && part.start >= span.range.end => span.range.end = part.end,
            Some(_) => break,
        }
    }
    if let Some(span) = found {
        return Some(Mapped::User(span));
    }
    touched.first().or(segments.last()).map(|segment| match &segment.origin {
        Origin::Generated(purpose, cell, near) => Mapped::Generated(purpose.clone(), cell.clone(), *near),
        Origin::User(cell, start) => {
            let end = start + segment.range.len();
            Mapped::User(UserSpan { cell: cell.clone(), range: end..end })
        }
    })
}

/// Maps a line and column (from 1, in characters) of the generated source to the cell's own line and column.
pub fn map_place(text: &str, segments: &[Segment], line: usize, column: usize) -> Option<(Arc<CellText>, usize, usize)> {
    let start = if line <= 1 { 0 } else { text.match_indices('\n').nth(line - 2)?.0 + 1 };
    let row = text[start..].lines().next().unwrap_or("");
    let offset = start + row.char_indices().nth(column.saturating_sub(1)).map_or(row.len(), |(at, _)| at);
    let (cell, at) = match map(segments, offset..offset + 1)? {
        Mapped::User(span) => (span.cell, span.range.start),
        Mapped::Generated(_, cell, near) => (cell, near),
    };
    let before = &cell.text[..at.min(cell.text.len())];
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    let line = before.matches('\n').count() + 1;
    Some((cell, line, column))
}

#[cfg(test)]
mod tests {
    use super::super::edits::{Edits, Writer};
    use super::*;

    #[test]
    fn maps_through_insertions() {
        let cell = CellText::new(7, "a\nlet y = boom();\n");
        let mut edits = Edits::default();
        edits.insert(10, "guard(");
        edits.insert(16, ")");
        let mut writer = Writer::default();
        writer.generate("use x; ", Purpose::Frame, &cell, 0);
        writer.copy_edited(&cell, 0..cell.text.len(), &edits);
        let at = writer.text.find("boom").unwrap();
        assert_eq!(map(&writer.segments, at..at + 6), Some(Mapped::User(UserSpan { cell: cell.clone(), range: 10..16 })));
        // A stretch that takes in generated text on both sides is the user's text between.
        assert_eq!(map(&writer.segments, at - 3..at + 7), Some(Mapped::User(UserSpan { cell: cell.clone(), range: 10..16 })));
        assert!(matches!(map(&writer.segments, 0..3), Some(Mapped::Generated(Purpose::Frame, _, 0))));
        let (_, line, column) = map_place(&writer.text, &writer.segments, 2, 15).unwrap();
        assert_eq!((line, column), (2, 9));
    }
}
