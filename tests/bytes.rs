//! What comes from outside, whatever it is: frames of the channel between kernel and worker, and the text of cells. (Frames of Jupyter's
//! wire have their properties in `kernel/src/wire.rs`.)

use std::collections::BTreeSet;

use footlight_kernel::cell::edits::{CellText, Origin};
use footlight_kernel::cell::foresee::foresee;
use footlight_kernel::cell::magic_lines::magic_lines;
use footlight_kernel::cell::source::source;
use footlight_kernel::cell::split::split;
use footlight_kernel::cell::{Plan, whole};
use footlight_kernel::notebook::Notebook;
use proptest::prelude::*;

/// Pieces that cells are made of, and some that break them.
const PIECES: &[&str] = &[
    "%%stage --compare",
    "%time",
    "!ls -l",
    ":dep image = \"1\"",
    "#![allow(unused)]",
    "// é ✓",
    "/* open",
    "let a = 1;",
    "let mut b = tensor![1.0, 2.0];",
    "let (x, Some(y)) = (1, z) else { return };",
    "a + b",
    "b = b * 2.0;",
    "for i in 0..3 { b = step(b, i); }",
    "fn f(n: u64) -> u64 { if n == 0 { 0 } else { f(n - 1) } }",
    "pub(crate) struct P<'a> { x: &'a str, é: i32 }",
    "impl<'a> P<'a> { const K: i32 = 1; fn new() -> Self { todo!() } }",
    "thread_local! { static T: u8 = 1; pub static U: u8 = 2; }",
    "macro_rules! m { ($x:expr) => { $x } }",
    "use std::collections::{BTreeMap as Map, *};",
    "let c = |x: i32| -> i32 { return x };",
    "loop { break }",
    "r#\"raw\"#",
    "'\\u{1F600}'",
    "b\"\\xff\"",
    "x?.y",
    "}",
    "(",
    "\"",
    ";",
    "\r",
    "\u{feff}",
    "\t",
    "",
];

fn cells() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let between = proptest::sample::select(&["\n", " ", "\r\n", ""][..]);
    proptest::collection::vec((piece, between), 0..8)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, between)| [piece, between.to_owned()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_frame_of_any_bytes_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        use footlight_channel::{Event, Request, frame};
        let _ = frame::read_frame::<Request>(&mut bytes.as_slice());
        let _ = frame::decode::<Event>(&bytes);
    }

    #[test]
    fn any_text_is_split_or_refused(text in cells()) {
        whole::judge(&text, &[]);
        for magic in magic_lines(&text) {
            prop_assert!(text.get(magic.range.clone()).is_some(), "{magic:?} of {text:?}");
        }
        if let Ok(split) = split(&text, &|_| false) {
            let mut end = 0;
            for statement in &split.statements {
                prop_assert!(text.get(statement.range.clone()).is_some(), "{:?} of {text:?}", statement.range);
                prop_assert!(end <= statement.range.start, "in order: {text:?}");
                end = statement.range.end;
            }
            for (_, range) in &split.items {
                prop_assert!(text.get(range.clone()).is_some(), "{range:?} of {text:?}");
            }
        }
    }

    /// The generated text is covered by its segments, and the user's stretches hold the user's own bytes, or spaces where they were blanked.
    #[test]
    fn generated_text_leads_back_to_the_cell(text in cells()) {
        let cell = CellText::new(1, text.clone());
        let blanks = magic_lines(&text).into_iter().map(|magic| magic.range).collect();
        let Ok(plan) = Plan::new(&cell, blanks, &Notebook::default(), &BTreeSet::new()) else { return Ok(()) };
        let made = source(&plan, &foresee(&plan));
        let mut end = 0;
        for segment in &made.segments {
            prop_assert_eq!(segment.range.start, end);
            end = segment.range.end;
            let Origin::User(own, start) = &segment.origin else { continue };
            let copied = &made.text[segment.range.clone()];
            let original = own.text.get(*start..*start + copied.len());
            let same = original.is_some_and(|original| original == copied || copied.trim().is_empty());
            prop_assert!(same, "{copied:?} is said to be {original:?} of {text:?}");
        }
        prop_assert_eq!(end, made.text.len());
    }
}
