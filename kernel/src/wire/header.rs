//! Headers: who sent a message, when, and what it answers.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use serde_json::{Map, Value};

/// The version of the messaging protocol that the kernel speaks: 5.4 brought `iopub_welcome`, 5.5 `supported_features`.
pub const PROTOCOL_VERSION: &str = "5.5";

/// A message's header as it came, every field kept, with the ones that every header must have checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    fields: Map<String, Value>,
}

/// What a header lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its header has no text in `{0}`")]
pub struct HeaderError(pub &'static str);

impl Header {
    /// Checks that `msg_id` and `msg_type` are there.
    pub fn check(fields: Map<String, Value>) -> Result<Self, HeaderError> {
        for field in ["msg_id", "msg_type"] {
            if !fields.get(field).is_some_and(Value::is_string) {
                return Err(HeaderError(field));
            }
        }
        Ok(Header { fields })
    }

    /// The message's id; empty where the message has no header.
    pub fn msg_id(&self) -> &str {
        self.text("msg_id")
    }

    /// The message's type; empty where the message has no header.
    pub fn msg_type(&self) -> &str {
        self.text("msg_type")
    }

    /// All fields, as they came.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    fn text(&self, field: &str) -> &str {
        self.fields.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The request that a reply or an output answers: its header, sent back as it came, and the way to its sender. Clones are cheap.
#[derive(Clone, Debug, Default)]
pub struct Parent {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    identities: Vec<Bytes>,
    header: Header,
}

impl Parent {
    /// The parent with this header, whose replies go to `identities`.
    pub fn new(identities: Vec<Bytes>, header: Header) -> Self {
        Parent { inner: Arc::new(Inner { identities, header }) }
    }

    /// The routing frames that lead back to the sender.
    pub fn identities(&self) -> &[Bytes] {
        &self.inner.identities
    }

    /// The request's header.
    pub fn header(&self) -> &Header {
        &self.inner.header
    }
}

/// The present moment as ISO 8601 in UTC with microseconds, the form of a header's `date`.
pub fn date() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (seconds, micros) = (since.as_secs(), since.subsec_micros());
    let (year, month, day) = civil(seconds / 86_400);
    let of_day = seconds % 86_400;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{micros:06}Z", of_day / 3600, of_day / 60 % 60, of_day % 60)
}

/// Year, month and day of a day since 1970-01-01, by Howard Hinnant's `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let of_era_year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * of_era_year + of_era_year / 4 - of_era_year / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + of_era_year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_788), (2026, 12, 1));
        assert_eq!(date().len(), "2026-12-01T10:39:36.000000Z".len());
    }

    #[test]
    fn a_header_without_its_type_is_named() {
        let fields = serde_json::from_str(r#"{"msg_id":"a","msg_type":7}"#).expect("json");
        assert_eq!(Header::check(fields), Err(HeaderError("msg_type")));
    }
}
