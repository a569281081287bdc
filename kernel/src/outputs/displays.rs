//! How much one request may show. Past the bound values are dropped and one line says so; what replaces something on the page makes it no
//! larger, and is only slowed down.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The most values that stand on the page for one request. A browser with more of them hardly answers.
pub const DISPLAY_LIMIT: usize = 1000;

/// The most bytes of them together.
pub const DISPLAY_BYTES: usize = 32 << 20;

/// Between the messages of a request that has sent [`DISPLAY_LIMIT`] of them: faster than a page needs for a moving picture.
const PACE: Duration = Duration::from_millis(20);

/// What a request has shown so far.
#[derive(Debug, Default)]
pub(super) struct Displays(Mutex<Shown>);

#[derive(Debug, Default)]
struct Shown {
    messages: usize,
    values: usize,
    bytes: usize,
    full: bool,
}

/// What to do with a value.
#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    /// Show it, after so long.
    Show(Duration),
    /// Drop it; the first time, say this.
    Drop(Option<String>),
}

impl Displays {
    /// A value of this many bytes is to be shown, or (`update`) to replace one that is.
    pub(super) fn admit(&self, size: usize, update: bool) -> Verdict {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = size <= DISPLAY_BYTES && (update || shown.values < DISPLAY_LIMIT && shown.bytes + size <= DISPLAY_BYTES);
        if !update && shown.full {
            return Verdict::Drop(None);
        }
        if !fits {
            let said = std::mem::replace(&mut shown.full, true);
            return Verdict::Drop((!said).then(notice));
        }
        if !update {
            shown.values += 1;
            shown.bytes += size;
        }
        Verdict::Show(shown.pace())
    }

    /// The page is cleared; returns how long to wait first.
    pub(super) fn clear(&self) -> Duration {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = Shown { messages: shown.messages, ..Shown::default() };
        shown.pace()
    }
}

impl Shown {
    fn pace(&mut self) -> Duration {
        self.messages += 1;
        if self.messages > DISPLAY_LIMIT { PACE } else { Duration::ZERO }
    }
}

fn notice() -> String {
    format!(
        "\n[footlight] this cell showed more than {DISPLAY_LIMIT} values or {} MiB; the rest is not shown. Interrupt it if it does not end, \
         or replace a value in its place with update_display.\n",
        DISPLAY_BYTES >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bounded_and_it_is_said_once() {
        let displays = Displays::default();
        for _ in 0..DISPLAY_LIMIT {
            assert_eq!(displays.admit(10, false), Verdict::Show(Duration::ZERO));
        }
        assert!(matches!(displays.admit(10, false), Verdict::Drop(Some(notice)) if notice.contains("1000 values or 32 MiB")));
        assert_eq!(displays.admit(10, false), Verdict::Drop(None));
        assert_eq!(displays.admit(10, true), Verdict::Show(PACE), "what replaces goes on, slower");
        assert_eq!(displays.clear(), PACE);
        assert_eq!(displays.admit(10, false), Verdict::Show(PACE), "a cleared page has room");
    }

    #[test]
    fn bytes_are_bounded() {
        let displays = Displays::default();
        assert_eq!(displays.admit(DISPLAY_BYTES, false), Verdict::Show(Duration::ZERO));
        assert!(matches!(displays.admit(1, false), Verdict::Drop(Some(_))));
        assert_eq!(displays.admit(DISPLAY_BYTES + 1, true), Verdict::Drop(None));
    }
}
