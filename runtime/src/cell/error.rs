//! What `?` at top level turns into.

use footlight_channel::{Failure, FailureKind};

/// An error returned by a top-level statement, or the cell's early end.
#[derive(Debug)]
pub struct Error(Reason);

#[derive(Debug)]
enum Reason {
    Returned { error: Box<dyn std::error::Error>, name: &'static str },
    Stop,
}

impl<E: Into<Box<dyn std::error::Error>>> From<E> for Error {
    fn from(error: E) -> Self {
        Self::returned(error.into(), std::any::type_name::<E>())
    }
}

/// The end of a cell by `return`: not a failure.
#[must_use]
pub fn stop() -> Error {
    Error(Reason::Stop)
}

impl Error {
    fn returned(error: Box<dyn std::error::Error>, name: &'static str) -> Self {
        Self(Reason::Returned { error, name })
    }

    /// What failed; `None` for an early end.
    pub(crate) fn into_failure(self) -> Option<Failure> {
        match self.0 {
            Reason::Stop => None,
            Reason::Returned { error, name } => {
                let typed = error.downcast_ref::<crate::error::Error>();
                let mut message = typed.map_or_else(|| error.to_string(), |typed| typed.message.clone());
                let mut source = error.source();
                while let Some(cause) = source {
                    message.push_str("\ncaused by: ");
                    message.push_str(&cause.to_string());
                    source = cause.source();
                }
                Some(Failure {
                    kind: FailureKind::Error,
                    name: typed.map_or_else(|| short_name(name), |typed| typed.kind.name().to_owned()),
                    message,
                    place: typed.and_then(|typed| typed.place).map(|place| (place.file.to_owned(), place.line, place.column)),
                    statement: None,
                    advice: typed.and_then(|typed| typed.advice.clone()),
                })
            }
        }
    }
}

/// The last word of a type's path: `ParseIntError` of `core::num::error::ParseIntError`. Text and boxes are just an `Error`.
fn short_name(type_name: &str) -> String {
    if type_name.starts_with(['&', '(']) || type_name.contains('<') || type_name.ends_with("::String") {
        return "Error".to_owned();
    }
    type_name.rsplit("::").next().unwrap_or("Error").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure_of(statement: impl FnOnce() -> Result<(), Error>) -> Failure {
        statement().unwrap_err().into_failure().unwrap()
    }

    #[test]
    fn every_common_error_converts() {
        let parse = failure_of(|| {
            "twelve".parse::<i32>()?;
            Ok(())
        });
        assert_eq!((parse.name.as_str(), parse.message.as_str()), ("ParseIntError", "invalid digit found in string"));
        let text = failure_of(|| Err("plain text")?);
        assert_eq!((text.name.as_str(), text.message.as_str()), ("Error", "plain text"));
        let boxed = failure_of(|| Err(Box::<dyn std::error::Error>::from("boxed"))?);
        assert_eq!(boxed.message, "boxed");
        assert!(stop().into_failure().is_none());
    }
}
