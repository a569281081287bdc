//! Jupyter's messages as they stand on the wire, and back.
//!
//! A message is a list of frames: routing identities, the delimiter `<IDS|MSG>`, a signature, four JSON objects (header, parent header,
//! metadata, content), then raw buffers. [`Wire::read`] turns frames into an [`Envelope`], raw JSON first, since clients send legal
//! messages that stricter types refuse; [`Wire::write`] goes back. Reading never panics, whatever the bytes (see the proptests).
//!
//! Must not know: sockets, what a message means.

pub mod header;
pub mod signature;

use bytes::Bytes;
use serde_json::{Map, Value, json};

pub use header::{Header, PROTOCOL_VERSION, Parent};
use signature::Signer;

/// The frame between the routing identities and the signature.
pub const DELIMITER: &[u8] = b"<IDS|MSG>";

/// A message that was received, its signature checked.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Its header, and the way back to its sender.
    pub parent: Parent,
    /// The header of the message that it answers; empty for requests.
    pub answers: Map<String, Value>,
    /// Its content, an object in every legal message.
    pub content: Value,
}

/// Why frames are not a message. The sender can't be answered, since its header is unknown or not to be trusted.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Not a Jupyter message at all.
    #[error("no <IDS|MSG> delimiter among its {0} frames")]
    NoDelimiter(usize),
    /// Frames are missing.
    #[error("{0} frames after the delimiter; a signature and four JSON frames were expected")]
    TooFewFrames(usize),
    /// It was not signed with the connection file's key.
    #[error("wrong signature ({0} dropped so far): its sender does not have this kernel's key")]
    Signature(u64),
    /// A frame is not a JSON object.
    #[error("its {part} is not a JSON object: {error}")]
    Json {
        /// Which frame.
        part: &'static str,
        /// What the parser said.
        error: serde_json::Error,
    },
    /// The header lacks a field.
    #[error(transparent)]
    Header(#[from] header::HeaderError),
}

/// Reads and writes messages under one key, as one session.
#[derive(Debug)]
pub struct Wire {
    signer: Signer,
    session: String,
}

impl Wire {
    /// For the connection file's key.
    pub fn new(key: &str) -> Self {
        Wire { signer: Signer::new(key), session: uuid::Uuid::new_v4().to_string() }
    }

    /// Frames to a message.
    pub fn read(&self, frames: Vec<Bytes>) -> Result<Envelope, WireError> {
        let total = frames.len();
        let split = frames.iter().position(|frame| frame.as_ref() == DELIMITER).ok_or(WireError::NoDelimiter(total))?;
        let (identities, rest) = frames.split_at(split);
        let rest = &rest[1..];
        if rest.len() < 5 {
            return Err(WireError::TooFewFrames(rest.len()));
        }
        if !self.signer.verify(&rest[0], &rest[1..5]) {
            return Err(WireError::Signature(self.signer.refused()));
        }
        let header = Header::check(object("header", &rest[1])?)?;
        let answers = object("parent header", &rest[2])?;
        object("metadata", &rest[3])?;
        // A content that is no object is reported to its sender, who is known by now.
        let content = serde_json::from_slice(&rest[4]).unwrap_or(Value::Null);
        Ok(Envelope { parent: Parent::new(identities.to_vec(), header), answers, content })
    }

    /// A message to frames, led by `route`: the sender's identities for a reply, a topic for iopub. Returns its id too.
    pub fn write(&self, route: &[Bytes], msg_type: &str, parent: &Parent, content: &Value) -> (String, Vec<Bytes>) {
        let id = uuid::Uuid::new_v4().to_string();
        let header = json!({
            "msg_id": id, "msg_type": msg_type, "session": self.session, "username": "kernel",
            "date": header::date(), "version": PROTOCOL_VERSION,
        });
        let parent = serde_json::to_vec(parent.header().fields()).unwrap_or_else(|_| b"{}".to_vec());
        let parts = [header.to_string().into_bytes(), parent, b"{}".to_vec(), content.to_string().into_bytes()];
        let signature = self.signer.sign(parts.iter().map(Vec::as_slice));
        let mut frames = Vec::with_capacity(route.len() + 6);
        frames.extend_from_slice(route);
        frames.push(Bytes::from_static(DELIMITER));
        frames.push(Bytes::from(signature));
        frames.extend(parts.map(Bytes::from));
        (id, frames)
    }
}

fn object(part: &'static str, frame: &[u8]) -> Result<Map<String, Value>, WireError> {
    serde_json::from_slice(frame).map_err(|error| WireError::Json { part, error })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Parent {
        let fields = json!({ "msg_id": "7", "msg_type": "execute_request", "session": "s", "extra": [1, null] });
        let Value::Object(fields) = fields else { unreachable!("an object literal") };
        Parent::new(vec![Bytes::from_static(b"client")], Header::check(fields).expect("whole"))
    }

    #[test]
    fn what_is_written_reads_back_with_the_parent_untouched() {
        let wire = Wire::new("secret");
        let parent = request();
        let (id, frames) = wire.write(parent.identities(), "execute_reply", &parent, &json!({ "status": "ok" }));
        let read = wire.read(frames).expect("own message");
        assert_eq!(read.parent.header().msg_id(), id);
        assert_eq!(read.parent.header().msg_type(), "execute_reply");
        assert_eq!(read.parent.identities(), parent.identities());
        assert_eq!(&read.answers, parent.header().fields());
        assert_eq!(read.content, json!({ "status": "ok" }));
    }

    #[test]
    fn another_key_is_refused_and_counted() {
        let (_, frames) = Wire::new("theirs").write(&[], "x", &Parent::default(), &json!({}));
        let ours = Wire::new("ours");
        for count in 1..=3 {
            assert!(matches!(ours.read(frames.clone()), Err(WireError::Signature(n)) if n == count));
        }
    }

    #[test]
    fn each_kind_of_malformed_message_is_named() {
        let wire = Wire::new("");
        let read = |frames: &[&'static str]| {
            let frames = frames.iter().map(|frame| Bytes::from_static(frame.as_bytes())).collect();
            wire.read(frames).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(read(&[]).contains("delimiter among its 0 frames"));
        assert!(read(&["<IDS|MSG>", ""]).contains("1 frames after"));
        assert!(read(&["<IDS|MSG>", "", "[1]", "{}", "{}", "{}"]).contains("its header is not a JSON object"));
        assert!(read(&["<IDS|MSG>", "", "{}", "{}", "{}", "{}"]).contains("no text in `msg_id`"));
        let header = r#"{"msg_id":"a","msg_type":"b"}"#;
        assert!(read(&["<IDS|MSG>", "", header, "nope", "{}", "{}"]).contains("parent header"));
        assert!(read(&["<IDS|MSG>", "", header, "{}", "{}", "nope"]).is_empty());
    }

    proptest! {
        #[test]
        fn reading_never_panics(
            frames in prop::collection::vec(prop_oneof![
                Just(DELIMITER.to_vec()),
                Just(b"{}".to_vec()),
                Just(br#"{"msg_id":"a","msg_type":"b"}"#.to_vec()),
                prop::collection::vec(any::<u8>(), 0..40),
            ], 0..12),
            key in prop_oneof![Just(""), Just("key")],
        ) {
            let total = frames.len();
            let read = Wire::new(key).read(frames.into_iter().map(Bytes::from).collect());
            if let Ok(envelope) = read {
                prop_assert!(total >= 6);
                prop_assert!(!envelope.parent.header().msg_type().is_empty());
            }
        }

        #[test]
        fn any_content_goes_there_and_back(text in ".*", identity in prop::collection::vec(any::<u8>(), 1..20)) {
            prop_assume!(identity != DELIMITER);
            let wire = Wire::new("k");
            let (_, frames) = wire.write(&[Bytes::from(identity.clone())], "m", &request(), &json!({ "text": text }));
            let read = wire.read(frames).expect("own message");
            prop_assert_eq!(read.content, json!({ "text": text }));
            prop_assert_eq!(read.parent.identities(), &[Bytes::from(identity)]);
        }
    }
}
