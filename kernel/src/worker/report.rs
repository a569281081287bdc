//! What Rust's own handlers write to stderr before they abort: held back, since the cell's error says the same.
//!
//! Nothing can be held back that a living program writes, but for a line that reads like such a report: it is given back at the end of the turn.

/// The most that is held back; a program that writes more after such a line lives on.
const MOST: usize = 64 << 10;
/// How the line of a stack overflow begins and ends; Rust writes an empty line before it.
const OVERFLOW: (&str, &str) = ("thread '", "has overflowed its stack");
/// How the line of an allocation that failed begins and ends. A backtrace may follow.
const MEMORY: (&str, &str) = ("memory allocation of ", " bytes failed");

/// Text on its way, of which a report is held back.
#[derive(Debug, Default)]
pub(super) struct Reports {
    /// A line that may become a report, or a report and all that followed.
    held: String,
    reported: bool,
    /// Whether the text passed on ended within a line.
    within: bool,
}

impl Reports {
    /// Takes text in; what may go on.
    pub(super) fn pass(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let mut passed = 0;
        while !self.reported {
            let rest = &self.held[passed..];
            let line = rest.split_inclusive('\n').next().unwrap_or_default();
            let whole = line.ends_with('\n');
            let may_begin = !whole && !self.within && may_begin(line);
            self.reported = whole && !self.within && is_report(line);
            if line.is_empty() || may_begin || self.reported {
                // The newline before an overflow's line is Rust's, which ends what the program may have left open.
                let newline = !line.is_empty() && !line.starts_with(MEMORY.0) && self.held[..passed].ends_with('\n');
                passed -= usize::from(newline);
                break;
            }
            passed += line.len();
            self.within = !whole;
        }
        if self.reported && self.held.len() > MOST {
            return self.release();
        }
        self.held.drain(..passed).collect()
    }

    /// Gives up: all that is held back.
    pub(super) fn release(&mut self) -> String {
        let held = std::mem::take(self).held;
        self.within = !held.is_empty() && !held.ends_with('\n');
        held
    }

    /// The report that is held back, or nothing.
    pub(super) fn report(&self) -> &str {
        if self.reported { &self.held } else { "" }
    }
}

/// Whether a line that is not yet whole may become a report's.
fn may_begin(line: &str) -> bool {
    [OVERFLOW.0, MEMORY.0].iter().any(|begin| line.starts_with(begin) || begin.starts_with(line))
}

fn is_report(line: &str) -> bool {
    let line = line.trim_end();
    let number = line.strip_prefix(MEMORY.0).and_then(|rest| rest.strip_suffix(MEMORY.1));
    number.is_some_and(|number| number.parse::<u64>().is_ok()) || line.starts_with(OVERFLOW.0) && line.ends_with(OVERFLOW.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERFLOWED: &str = "\nthread 'cell' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
    const EXHAUSTED: &str = "memory allocation of 1152921504606846976 bytes failed\nstack backtrace:\n   0: main\n";

    /// What passes of a text whose reads end anywhere, and the report.
    fn passed(text: &str) -> Vec<(String, String)> {
        let cuts = (0..=text.len()).filter(|&cut| text.is_char_boundary(cut));
        let passed = cuts.map(|cut| {
            let mut reports = Reports::default();
            let passed = reports.pass(&text[..cut]) + &reports.pass(&text[cut..]);
            (passed, reports.report().to_owned())
        });
        passed.collect()
    }

    #[test]
    fn reports_are_held_back_wherever_a_read_ends() {
        for (text, report) in passed(&format!("mine\n{EXHAUSTED}")) {
            assert_eq!((text.as_str(), report.as_str()), ("mine\n", EXHAUSTED));
        }
        for (cut, (text, report)) in passed(&format!("mine\n{OVERFLOWED}")).into_iter().enumerate() {
            // Rust writes the empty line and what follows in one; a read that ends between them lets it pass.
            assert!(text == "mine\n" || text == "mine\n\n" && cut == 6, "{cut}: {text:?}");
            assert!(report.contains("has overflowed its stack"));
        }
    }

    #[test]
    fn what_a_program_writes_passes() {
        let program = "\nthread 'x' (3) panicked at src/main.rs:1:1:\nwhy\nmemory allocation of pages\nsee: memory allocation of 5 bytes failed\n…";
        for (text, report) in passed(program) {
            assert_eq!((text.as_str(), report.as_str()), (program, ""));
        }
    }

    #[test]
    fn a_program_that_lives_on_gets_its_text_back() {
        let mut reports = Reports::default();
        assert_eq!(reports.pass(EXHAUSTED), "");
        assert_eq!(reports.release(), EXHAUSTED);
        assert_eq!(reports.pass(EXHAUSTED), "");
        let more = "x".repeat(MOST);
        assert_eq!(reports.pass(&more), format!("{EXHAUSTED}{more}"));
        assert_eq!(reports.pass("after\n"), "after\n");
    }
}
