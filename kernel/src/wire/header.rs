//! Headers: who sent a message, when, and what it answers.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

/// The request that a reply or an output answers: its header, sent back as it came, and the way to its sender.
#[derive(Clone, Debug, Default)]
pub struct Parent {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    identities: Vec<Bytes>,
    header: Map<String, Value>,
}

impl Parent {
    /// The parent with this header, whose replies go to `identities`.
    pub fn new(identities: Vec<Bytes>, header: Map<String, Value>) -> Self {
        Parent { inner: Arc::new(Inner { identities, header }) }
    }

    /// The routing frames that lead back to the sender.
    pub fn identities(&self) -> &[Bytes] {
        &self.inner.identities
    }

    /// The header as it came.
    pub fn header(&self) -> &Map<String, Value> {
        &self.inner.header
    }
}
