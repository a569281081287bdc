//! What goes wrong with tensors, as one typed value.
//!
//! Inside the crate a rule returns `Result<_, Error>`; at the edge (a `Tensor` method) the error is
//! given its place in the user's source and raised as a panic payload, as ndarray's methods panic.
//! [`catch`] turns it back into a `Result`; the worker turns it into a notebook error.

use std::fmt;
use std::panic::Location;

/// The result of a rule or a fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A line and column of the user's source, as `In[7]:3:5`.
///
/// Lines and columns count from 1, as rustc counts them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file, `In[7]` for a cell.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Place {
    /// The place of the caller of a `#[track_caller]` function.
    #[must_use]
    #[track_caller]
    pub fn caller() -> Self {
        Location::caller().into()
    }
}

impl From<&'static Location<'static>> for Place {
    fn from(location: &'static Location<'static>) -> Self {
        Self { file: location.file(), line: location.line(), column: location.column() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A cell's columns are those of its generated crate; only the kernel can lead them back to the user's.
        if self.file.starts_with("In[") {
            return write!(f, "{}:{}", self.file, self.line);
        }
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What kind of rule was broken; its name is the notebook's error name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Shapes that do not fit each other or the op.
    Shape,
    /// A dtype that the op does not take.
    DType,
    /// An axis that the tensor does not have.
    Axis,
    /// An index out of range.
    Index,
    /// A value that the op cannot compute with, such as a division of an integer by zero.
    Value,
    /// A tape asked for what it cannot give.
    Tape,
    /// A staged function or cell asked for what a trace cannot give.
    Stage,
    /// Memory that could not be had.
    Memory,
    /// A file that could not be read or written.
    Data,
}

impl ErrorKind {
    /// The name shown in a notebook, such as `ShapeError`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shape => "ShapeError",
            Self::DType => "DTypeError",
            Self::Axis => "AxisError",
            Self::Index => "IndexError",
            Self::Value => "ValueError",
            Self::Tape => "TapeError",
            Self::Stage => "StageError",
            Self::Memory => "MemoryError",
            Self::Data => "DataError",
        }
    }
}

/// A broken rule: what was given, what was expected, where, and the way out.
#[derive(Clone, thiserror::Error)]
#[error("{message}{}", advice.as_ref().map(|a| format!("\n  = help: {a}")).unwrap_or_default())]
pub struct Error {
    /// The kind of rule.
    pub kind: ErrorKind,
    /// What was given and what was expected.
    pub message: String,
    /// What would make it right.
    pub advice: Option<String>,
    /// Where in the user's source, once known.
    pub place: Option<Place>,
}

impl fmt::Debug for Error {
    /// As the notebook shows it: name, message, place and help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)?;
        if let Some(place) = self.place {
            write!(f, "\n --> {place}")?;
        }
        self.advice.as_ref().map_or(Ok(()), |advice| write!(f, "\n  = help: {advice}"))
    }
}

impl Error {
    /// An error of `kind` whose message names what was given and what was expected.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: None, place: None }
    }

    /// Adds what would make it right.
    #[must_use]
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Adds the name of the op whose rule was broken, for rules that several ops share.
    #[must_use]
    pub(crate) fn of(mut self, op: &str) -> Self {
        self.message = format!("{op}: {}", self.message);
        self
    }

    /// Adds the place, unless one is known already.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Panics with this error as the payload, at the caller's place.
    #[track_caller]
    pub fn raise(self) -> ! {
        let place = crate::context::asked().unwrap_or(Place::caller());
        std::panic::panic_any(self.at(place))
    }
}

/// Unwraps the result of a rule, raising its error at the caller's place.
pub(crate) trait OrRaise<T> {
    /// The value, or a panic with the typed error.
    fn or_raise(self) -> T;
}

impl<T> OrRaise<T> for Result<T> {
    #[track_caller]
    #[inline]
    fn or_raise(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => error.raise(),
        }
    }
}

/// Runs `f` and returns the typed error that a tensor method raised inside it.
///
/// # Errors
/// The [`Error`] raised in `f`. Any other panic goes on unwinding.
///
/// ```
/// use footlight::prelude::*;
/// let error = footlight::catch(|| zeros([2]) + zeros([3])).unwrap_err();
/// assert_eq!(error.kind, footlight::ErrorKind::Shape);
/// ```
pub fn catch<T>(f: impl FnOnce() -> T) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).map_err(|payload| match payload.downcast::<Error>() {
        Ok(error) => *error,
        Err(other) => std::panic::resume_unwind(other),
    })
}
