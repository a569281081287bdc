//! The stdout and stderr of a worker or another program: bytes to text as they come, and values that crates made for evcxr write between marker lines.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use serde_json::Value;
use tokio::net::unix::pipe::Receiver;

use super::report::Reports;
use crate::outputs::Bundle;

/// Bytes read at a time: a pipe's whole buffer on Linux.
const CHUNK: usize = 64 << 10;
/// The most that one drain reads: the largest buffer that a pipe may have unless root raises the limit. What a thread goes on writing
/// meanwhile is read later.
const DRAINED: usize = 1 << 20;
/// The line that begins a value in evcxr's form; its MIME type follows.
const BEGIN: &str = "EVCXR_BEGIN_CONTENT ";
/// The line that ends it.
const END: &str = "EVCXR_END_CONTENT";

/// A piece of what a pipe carried.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Content(Bundle),
}

/// One of the worker's pipes.
#[derive(Debug)]
pub(crate) struct Pipe {
    receiver: Receiver,
    /// The same pipe for reads that don't ask tokio first: it notices only a moment later that there is something to read.
    direct: File,
    open: bool,
    decoder: Decoder,
}

impl Pipe {
    /// Reads from `fd`; `contents` says whether values in evcxr's form are looked for.
    pub(crate) fn new(fd: OwnedFd, contents: bool) -> io::Result<Self> {
        let decoder = Decoder { contents, ..Decoder::default() };
        let direct = File::from(fd.try_clone()?);
        // This makes both not block, since they are one open file.
        Ok(Pipe { receiver: Receiver::from_owned_fd(fd)?, direct, open: true, decoder })
    }

    /// Whether something may still come.
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Waits until there is something to read; true if so. A closed pipe waits for ever.
    pub(crate) async fn readable(&self) -> bool {
        if self.open { self.receiver.readable().await.is_ok() } else { std::future::pending().await }
    }

    /// Reads what tokio knows to be there, at most one chunk.
    pub(crate) fn read_some(&mut self) {
        let mut chunk = [0; CHUNK];
        let read = self.receiver.try_read(&mut chunk);
        self.take_in(read, &chunk);
    }

    /// Reads all that was written before this call: until the pipe is empty, or as much as a pipe holds.
    pub(super) fn drain(&mut self) {
        let mut chunk = [0; CHUNK];
        let mut drained = 0;
        while self.open && drained < DRAINED {
            let read = self.direct.read(&mut chunk);
            drained += *read.as_ref().unwrap_or(&0);
            if !self.take_in(read, &chunk) {
                return;
            }
        }
    }

    /// Decodes what was read; false if there was nothing.
    fn take_in(&mut self, read: io::Result<usize>, chunk: &[u8]) -> bool {
        match read {
            Ok(0) => self.open = false,
            Ok(read) => {
                self.decoder.push(&chunk[..read]);
                return true;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.open = false,
        }
        false
    }

    /// The text and values read since the last call; `all` gives up on what may still be completed.
    pub(crate) fn take(&mut self, all: bool) -> VecDeque<Piece> {
        if all {
            self.decoder.finish();
        }
        std::mem::take(&mut self.decoder.pieces)
    }

    /// From now on holds back what Rust says of a process that it aborts.
    pub(super) fn hold_reports(mut self) -> Self {
        self.decoder.reports = Some(Reports::default());
        self
    }

    /// What Rust said of the process that it aborted, or nothing.
    pub(super) fn report(&self) -> &str {
        self.decoder.reports.as_ref().map_or("", Reports::report)
    }

    /// Drops the report, which [`Pipe::take`] would give out at last.
    pub(super) fn drop_report(&mut self) {
        self.decoder.reports = None;
    }
}

/// Bytes to pieces, whatever the borders of reads.
#[derive(Debug, Default)]
struct Decoder {
    contents: bool,
    bytes: Vec<u8>,
    held: String,
    pieces: VecDeque<Piece>,
    reports: Option<Reports>,
}

impl Decoder {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        let mut valid = 0;
        let mut text = String::new();
        for chunk in self.bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            valid += chunk.valid().len();
            // A character cut by the end of a read is completed by the next one; at most three bytes wait.
            let cut = valid + chunk.invalid().len() == self.bytes.len()
                && std::str::from_utf8(chunk.invalid()).is_err_and(|e| e.error_len().is_none());
            if chunk.invalid().is_empty() || cut {
                continue;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            valid += chunk.invalid().len();
        }
        self.bytes.drain(..valid);
        self.text(&text);
    }

    fn finish(&mut self) {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.bytes)).into_owned();
        self.text(&rest);
        let held = std::mem::take(&mut self.held);
        self.emit(held);
        let held = self.reports.as_mut().map(Reports::release).unwrap_or_default();
        self.emit(held);
    }

    fn text(&mut self, text: &str) {
        if !self.contents {
            let text = self.reports.as_mut().map_or_else(|| text.to_owned(), |reports| reports.pass(text));
            return self.emit(text);
        }
        self.held.push_str(text);
        while let Some(begin) = find_at_line_start(&self.held, BEGIN) {
            let Some(end) = self.held[begin..].find(&format!("\n{END}\n")).map(|end| begin + end) else {
                let before = self.held.drain(..begin).collect();
                return self.emit(before);
            };
            let before = self.held[..begin].to_owned();
            let (mime, data) = self.held[begin + BEGIN.len()..end].split_once('\n').unwrap_or_default();
            let content = content(mime.trim(), data);
            let rest = self.held[end + 1 + END.len() + 1..].to_owned();
            self.emit(before);
            self.pieces.push_back(Piece::Content(content));
            self.held = rest;
        }
        // A marker cut by the end of a read is completed by the next one.
        let line = self.held.rfind('\n').map_or(0, |newline| newline + 1);
        let keep = if line < self.held.len() && BEGIN.starts_with(&self.held[line..]) { line } else { self.held.len() };
        let ready = self.held.drain(..keep).collect();
        self.emit(ready);
    }

    fn emit(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        match self.pieces.back_mut() {
            Some(Piece::Text(last)) => last.push_str(&text),
            _ => self.pieces.push_back(Piece::Text(text)),
        }
    }
}

/// Where `marker` stands at the start of a line.
fn find_at_line_start(text: &str, marker: &str) -> Option<usize> {
    text.match_indices(marker).map(|(at, _)| at).find(|&at| at == 0 || text.as_bytes()[at - 1] == b'\n')
}

/// A bundle of one form, with a text beside it.
fn content(mime: &str, data: &str) -> Bundle {
    let mut bundle = Bundle::new();
    bundle.insert("text/plain".to_owned(), Value::from(format!("({mime})")));
    let data = if mime == "application/json" { serde_json::from_str(data).unwrap_or_else(|_| data.into()) } else { data.into() };
    bundle.insert(mime.to_owned(), data);
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(chunks: &[&[u8]]) -> Vec<Piece> {
        let mut decoder = Decoder { contents: true, ..Decoder::default() };
        for chunk in chunks {
            decoder.push(chunk);
        }
        decoder.finish();
        decoder.pieces.into()
    }

    #[test]
    fn characters_cut_by_a_read_come_whole_and_bad_bytes_are_marked() {
        let text = "naïve ✓".as_bytes();
        for cut in 0..text.len() {
            assert_eq!(pieces(&[&text[..cut], &text[cut..]]), [Piece::Text("naïve ✓".to_owned())], "cut at {cut}");
        }
        assert_eq!(pieces(&[b"a\xffb", b"\xe2\x9c"]), [Piece::Text("a\u{fffd}b\u{fffd}".to_owned())]);
    }

    #[test]
    fn values_in_evcxr_form_are_found_wherever_a_read_ends() {
        let text = b"before\nEVCXR_BEGIN_CONTENT text/html\n<b>x</b>\n<i>y</i>\nEVCXR_END_CONTENT\nafter";
        for cut in 0..text.len() {
            let found = pieces(&[&text[..cut], &text[cut..]]);
            let [Piece::Text(before), Piece::Content(bundle), Piece::Text(after)] = &found[..] else {
                panic!("{cut}: {found:?}")
            };
            assert_eq!((before.as_str(), after.as_str()), ("before\n", "after"));
            assert_eq!(bundle["text/html"], "<b>x</b>\n<i>y</i>");
        }
    }

    /// tokio has not looked at the pipe when it is drained, as happens when the event after the text is seen first.
    #[tokio::test]
    async fn what_was_written_is_read_at_once() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut pipe = Pipe::new(reader.into(), false).expect("nonblocking");
        for round in 0..100 {
            std::io::Write::write_all(&mut writer, b"text").expect("written");
            pipe.drain();
            assert_eq!(pipe.take(false), [Piece::Text("text".to_owned())], "round {round}");
        }
    }

    /// A thread of the user's may write without end; the turn goes on all the same.
    #[tokio::test]
    async fn a_drain_ends_though_the_writer_does_not() {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        let mut pipe = Pipe::new(reader.into(), false).expect("nonblocking");
        let endless = std::thread::spawn(move || while std::io::Write::write_all(&mut writer, &[b'x'; 4096]).is_ok() {});
        pipe.drain();
        drop(pipe);
        endless.join().expect("the writer ends with the pipe");
    }

    #[test]
    fn a_marker_in_the_middle_of_a_line_is_text() {
        assert_eq!(pieces(&[b"see EVCXR_BEGIN_CONTENT x\n"]), [Piece::Text("see EVCXR_BEGIN_CONTENT x\n".to_owned())]);
    }
}
