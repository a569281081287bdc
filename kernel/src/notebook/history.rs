//! What was run, in this session and in earlier ones, for `history_request` and consoles' arrow keys.
//!
//! Two files in the user's data folder: `history/sessions` holds the number of the last session, `history/cells.jsonl` a line a cell, appended
//! as cells run. Kernels that run at once share both: numbers are given out, and lines appended, under a file lock. This session's cells are
//! in memory too, so that a folder that can't be written costs the memory across runs and nothing else.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::journal;

/// When the file is longer than this at a session's start, its older half goes.
const FILE_LIMIT: u64 = 32 << 20;

/// The most of a result that is kept, in bytes.
const OUTPUT_LIMIT: usize = 4096;

/// A cell that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The session's number, from 1.
    pub session: i64,
    /// The cell's number in its session.
    pub line: u32,
    /// Its text.
    pub input: String,
    /// Its result's `text/plain`, cut where it is long.
    pub output: Option<String>,
}

/// Which cells are asked for. Answers are ordered from the oldest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// The cells `start` to before `stop` of a session.
    Range {
        /// A session's number; 0 is this one, -1 the one before.
        session: i64,
        /// The first cell.
        start: i64,
        /// The cell after the last; none for all.
        stop: Option<i64>,
    },
    /// The last cells.
    Tail {
        /// How many; none for all.
        n: Option<usize>,
    },
    /// The cells whose text matches.
    Search {
        /// A glob: `*` is any text, `?` any character.
        pattern: String,
        /// At most how many, the last ones.
        n: Option<usize>,
        /// Each text once, where it was run last.
        unique: bool,
    },
}

/// The history of this session and, where its folder can be used, of earlier ones.
#[derive(Debug)]
pub struct History {
    session: i64,
    /// This session's cells.
    own: Mutex<Vec<Record>>,
    /// `cells.jsonl`; none once it could not be written.
    file: Mutex<Option<PathBuf>>,
}

impl History {
    /// Begins a session in `folder`. Where that fails, the history holds this session only, and the log says why.
    pub fn begin(folder: Option<&Path>) -> Self {
        let begun = folder.map(begin_in).transpose().unwrap_or_else(|error| {
            journal::note(format_args!("history is kept for this session only: {error}"));
            None
        });
        let (session, file) = begun.map_or((1, None), |(session, file)| (session, Some(file)));
        History { session, own: Mutex::new(Vec::new()), file: Mutex::new(file) }
    }

    /// Keeps a cell.
    pub fn record(&self, line: u32, input: &str, output: Option<&str>) {
        let output = output.map(|output| output[..output.floor_char_boundary(OUTPUT_LIMIT)].to_owned());
        let record = Record { session: self.session, line, input: input.to_owned(), output };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = file.as_deref()
            && let Err(error) = append(path, &record)
        {
            journal::note(format_args!("history is kept for this session only: {}: {error}", path.display()));
            *file = None;
        }
        self.own.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    /// The cells that a query asks for, the oldest first.
    pub fn find(&self, query: &Query) -> Vec<Record> {
        match query {
            Query::Range { session, start, stop } => {
                let session = if *session <= 0 { self.session + session } else { *session };
                let wanted = |line: i64| line >= *start && stop.is_none_or(|stop| line < stop);
                let mut found = if session == self.session { self.own() } else { self.earlier() };
                found.retain(|record| record.session == session && wanted(record.line.into()));
                found
            }
            Query::Tail { n } => last(self.all(), *n),
            Query::Search { pattern, n, unique } => {
                let mut found = self.all();
                found.retain(|record| matches(pattern, &record.input));
                if *unique {
                    let mut seen = HashSet::new();
                    found.reverse();
                    found.retain(|record| seen.insert(record.input.clone()));
                    found.reverse();
                }
                last(found, *n)
            }
        }
    }

    fn own(&self) -> Vec<Record> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn all(&self) -> Vec<Record> {
        let mut all = self.earlier();
        all.extend(self.own());
        all
    }

    /// Cells of other sessions. Lines that don't parse (a disk that was full) are skipped.
    fn earlier(&self) -> Vec<Record> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(Ok(file)) = file.map(File::open) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let records = lines.filter_map(|line| serde_json::from_slice::<Record>(&line).ok());
        records.filter(|record| record.session != self.session).collect()
    }
}

/// Takes the next session's number, and drops old lines where there are many.
fn begin_in(folder: &Path) -> io::Result<(i64, PathBuf)> {
    let at = |path: &Path, error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
    let path = folder.join("sessions");
    let mut counter =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(|error| at(&path, error))?;
    counter.lock().map_err(|error| at(&path, error))?;
    let mut text = String::new();
    counter.read_to_string(&mut text).map_err(|error| at(&path, error))?;
    let session = text.trim().parse::<i64>().unwrap_or(0) + 1;
    counter.rewind()?;
    counter.write_all(format!("{session}\n").as_bytes()).map_err(|error| at(&path, error))?;
    let cells = folder.join("cells.jsonl");
    shorten(&cells).map_err(|error| at(&cells, error))?;
    Ok((session, cells))
}

/// Keeps the later half of a file that grew too long.
fn shorten(path: &Path) -> io::Result<()> {
    if fs::metadata(path).map_or(0, |data| data.len()) <= FILE_LIMIT {
        return Ok(());
    }
    let lock = File::open(path)?;
    lock.lock()?;
    let text = fs::read(path)?;
    let middle = text.len() / 2;
    let cut = text[middle..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |newline| middle + newline + 1);
    // In place, so that other kernels' lock is on the file that is there afterwards.
    fs::write(path, &text[cut..])
}

fn append(path: &Path, record: &Record) -> io::Result<()> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    // Cells may hold what is nobody else's business.
    let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.lock()?;
    file.write_all(&line)
}

fn last(mut records: Vec<Record>, n: Option<usize>) -> Vec<Record> {
    let extra = n.map_or(0, |n| records.len().saturating_sub(n));
    records.split_off(extra)
}

/// Whether a glob matches the whole text. Goes back to the last `*` only, so its time is at most the product of both lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(records: Vec<Record>) -> Vec<String> {
        records.into_iter().map(|record| record.input).collect()
    }

    #[test]
    fn sessions_are_numbered_and_seen_by_later_ones() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = History::begin(Some(folder.path()));
        first.record(1, "let x = 1;", None);
        first.record(2, "x + 1", Some("2"));
        let second = History::begin(Some(folder.path()));
        second.record(1, "x * 2", Some("2"));
        first.record(3, "late", None);
        assert_eq!(inputs(second.find(&Query::Range { session: -1, start: 1, stop: Some(3) })), ["let x = 1;", "x + 1"]);
        assert_eq!(inputs(second.find(&Query::Range { session: 0, start: 0, stop: None })), ["x * 2"]);
        assert_eq!(inputs(second.find(&Query::Tail { n: Some(2) })), ["late", "x * 2"]);
        assert_eq!(second.find(&Query::Tail { n: Some(1) })[0].session, 2);
    }

    #[test]
    fn search_is_a_glob_over_whole_cells() {
        let history = History::begin(None);
        for (line, input) in (1..).zip(["let a = 1;", "a", "let b = a;", "a", "println!(\"é\")"]) {
            history.record(line, input, None);
        }
        let search = |pattern: &str, n, unique| inputs(history.find(&Query::Search { pattern: pattern.to_owned(), n, unique }));
        assert_eq!(search("let*", None, false), ["let a = 1;", "let b = a;"]);
        assert_eq!(search("?", None, false), ["a", "a"]);
        assert_eq!(search("?", None, true), ["a"]);
        assert_eq!(search("*", Some(2), true), ["a", "println!(\"é\")"]);
        assert!(search("b", None, false).is_empty());
    }

    #[test]
    fn a_damaged_file_costs_its_damaged_lines_only() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        History::begin(Some(folder.path())).record(1, "whole", None);
        let path = folder.path().join("cells.jsonl");
        let mut text = fs::read(&path).expect("read");
        text.extend(b"{\"session\":1,\"li\n\xff\xfe\n");
        fs::write(&path, text).expect("written");
        fs::write(folder.path().join("sessions"), "nonsense").expect("written");
        let next = History::begin(Some(folder.path()));
        assert_eq!(next.session, 1);
        fs::write(folder.path().join("sessions"), "7").expect("written");
        assert_eq!(inputs(History::begin(Some(folder.path())).find(&Query::Tail { n: None })), ["whole"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_leaves_this_session() {
        let history = History::begin(Some(Path::new("/proc/no/such")));
        history.record(1, "kept", None);
        assert_eq!(inputs(history.find(&Query::Tail { n: None })), ["kept"]);
    }
}
