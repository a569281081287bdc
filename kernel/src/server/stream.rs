//! Joins bursts of text into few messages, and paces them.
//!
//! A cell that flushes 2,000 lines makes 2,000 texts; jupyter_server drops what exceeds 1,000 messages or 1 MB of stream text a second
//! (over 3 s; counted anew when the kernel goes idle). So text that follows other text within [`BURST`] waits and is joined, and the bytes
//! are held to a rate that stays below that limit. The first text after a pause goes out at once.
//!
//! Pure bookkeeping: no clock of its own, no sockets. `iopub.rs` asks [`Joiner::due`] when to come back.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;

use crate::outputs::StreamName;
use crate::wire::Parent;

/// Text within this time of the last message waits to be joined: at most 50 messages a second.
pub(crate) const BURST: Duration = Duration::from_millis(20);

/// The most text in one message, in bytes.
const MESSAGE: usize = 128 << 10;

/// Bytes that may go out at once after a pause. With [`RATE`] and what a display may push out, 2.8 MB in any 3 s.
const ALLOWANCE: f64 = 500e3;

/// Bytes a second in the long run.
const RATE: f64 = 700e3;

/// Text of one request and stream, waiting.
struct Pending {
    parent: Parent,
    name: StreamName,
    text: String,
    /// Given back, and so the writer woken, when the text is sent.
    room: Option<OwnedSemaphorePermit>,
}

/// Text to send now.
pub(crate) struct Joined {
    pub(crate) parent: Parent,
    pub(crate) name: StreamName,
    pub(crate) text: String,
}

/// The texts that wait to be sent.
pub(crate) struct Joiner {
    pending: VecDeque<Pending>,
    last: Option<Instant>,
    /// What may be sent now, in bytes; negative after a display pushed text out early.
    allowance: f64,
    counted: Instant,
}

impl Joiner {
    pub(crate) fn new(now: Instant) -> Self {
        Joiner { pending: VecDeque::new(), last: None, allowance: ALLOWANCE, counted: now }
    }

    /// Takes text in.
    pub(crate) fn push(&mut self, parent: Parent, name: StreamName, text: &str, room: Option<OwnedSemaphorePermit>) {
        let id = parent.header().msg_id();
        let joins = |last: &Pending| last.name == name && last.parent.header().msg_id() == id && last.text.len() < MESSAGE;
        if !self.pending.back().is_some_and(joins) {
            self.pending.push_back(Pending { parent, name, text: String::new(), room: None });
        }
        if let Some(last) = self.pending.back_mut() {
            last.text.push_str(text);
            match (&mut last.room, room) {
                (Some(held), Some(more)) => held.merge(more),
                (held, more) => *held = held.take().or(more),
            }
        }
    }

    /// When the next text should go out; `None` while there is none.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.pending.front()?;
        let joined = self.last.map_or(self.counted, |last| last + BURST);
        let missing = (-self.allowance).max(0.0);
        Some(joined.max(self.counted + Duration::from_secs_f64(missing / RATE)))
    }

    /// The next message's text, if it is due.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<Joined> {
        if self.due()? > now {
            return None;
        }
        self.take(now)
    }

    /// All text of the request `id`, due or not: something else of that request comes after it.
    pub(crate) fn pop_all(&mut self, id: &str, now: Instant) -> Vec<Joined> {
        let mut all = Vec::new();
        while self.pending.iter().any(|text| text.parent.header().msg_id() == id) {
            all.extend(self.take(now));
        }
        all
    }

    /// All text.
    pub(crate) fn pop_rest(&mut self, now: Instant) -> Vec<Joined> {
        std::iter::from_fn(|| self.take(now)).collect()
    }

    /// The kernel went idle, where jupyter_server starts to count anew.
    pub(crate) fn idle(&mut self) {
        self.allowance = ALLOWANCE;
    }

    fn take(&mut self, now: Instant) -> Option<Joined> {
        let front = self.pending.front_mut()?;
        let cut = front.text.floor_char_boundary(MESSAGE);
        let joined = if cut < front.text.len() {
            let rest = front.text.split_off(cut);
            Joined { parent: front.parent.clone(), name: front.name, text: std::mem::replace(&mut front.text, rest) }
        } else {
            let Pending { parent, name, text, .. } = self.pending.pop_front()?;
            Joined { parent, name, text }
        };
        let passed = now.saturating_duration_since(self.counted).as_secs_f64();
        self.allowance = (self.allowance + passed * RATE).min(ALLOWANCE) - joined.text.bytes().map(encoded).sum::<f64>();
        self.counted = now;
        self.last = Some(now);
        Some(joined)
    }
}

/// The length of a byte of text in JSON, in bytes.
fn encoded(byte: u8) -> f64 {
    match byte {
        b'\n' | b'\r' | b'\t' | b'"' | b'\\' => 2.0,
        0..0x20 => 6.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Header;

    fn parent(id: &str) -> Parent {
        let fields = serde_json::json!({ "msg_id": id, "msg_type": "execute_request" });
        Parent::new(Vec::new(), Header::check(fields.as_object().expect("an object").clone()).expect("whole"))
    }

    #[test]
    fn the_first_text_goes_at_once_and_a_burst_is_joined() {
        let start = Instant::now();
        let mut joiner = Joiner::new(start);
        joiner.push(parent("a"), StreamName::Stdout, "0\n", None);
        assert_eq!(joiner.pop(start).expect("at once").text, "0\n");
        for line in 1..2000 {
            joiner.push(parent("a"), StreamName::Stdout, &format!("{line}\n"), None);
        }
        assert!(joiner.pop(start).is_none());
        let text = joiner.pop(start + BURST).expect("due").text;
        assert_eq!(text, (1..2000).map(|line| format!("{line}\n")).collect::<String>());
        assert!(joiner.due().is_none());
    }

    #[test]
    fn streams_and_requests_keep_their_order() {
        let now = Instant::now();
        let mut joiner = Joiner::new(now);
        for (id, name, text) in [
            ("a", StreamName::Stdout, "1"),
            ("a", StreamName::Stderr, "2"),
            ("a", StreamName::Stdout, "3"),
            ("b", StreamName::Stdout, "4"),
        ] {
            joiner.push(parent(id), name, text, None);
        }
        let texts = |all: Vec<Joined>| all.into_iter().map(|joined| joined.text).collect::<Vec<_>>();
        assert_eq!(texts(joiner.pop_all("a", now)), ["1", "2", "3"]);
        assert!(joiner.pop_all("a", now).is_empty());
        assert_eq!(texts(joiner.pop_rest(now)), ["4"]);
    }

    #[test]
    fn endless_text_stays_below_jupyter_servers_limit_and_none_is_lost() {
        let mut now = Instant::now();
        let mut joiner = Joiner::new(now);
        let text = "é".repeat(4 << 20);
        joiner.push(parent("a"), StreamName::Stdout, &text, None);
        let (mut sent, mut got) = (Vec::new(), String::new());
        while let Some(due) = joiner.due() {
            now = now.max(due);
            let joined = joiner.pop(now).expect("due");
            sent.push((now, joined.text.len()));
            got += &joined.text;
        }
        assert_eq!(got, text);
        for &(end, _) in &sent {
            let window = sent.iter().filter(|(at, _)| *at <= end && end.duration_since(*at) < Duration::from_secs(3));
            let bytes: usize = window.map(|(_, bytes)| bytes).sum();
            assert!(bytes < 3_000_000, "{bytes} bytes in 3 s");
        }
    }
}
