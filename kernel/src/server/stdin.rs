//! Questions to the user, and their answers.
//!
//! One question is open at a time, since one cell runs at a time. An answer counts if it comes from the client that was asked and, where it
//! names the question that it answers, names this one: after an interrupt, a client may still send the answer to an older question.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use zeromq::{RouterRecvHalf, RouterSendHalf, SocketRecv};

use super::replies;
use crate::journal;
use crate::outputs::InputRequest;
use crate::wire::{Envelope, Wire};

struct Open {
    id: String,
    identities: Vec<Bytes>,
    answer: oneshot::Sender<String>,
}

/// Asks what comes out of `requests`, until the socket or every `Outputs` is gone.
pub(crate) async fn run(
    mut socket: RouterRecvHalf,
    wire: Arc<Wire>,
    mut sends: RouterSendHalf,
    mut requests: mpsc::UnboundedReceiver<InputRequest>,
) {
    let mut open: Option<Open> = None;
    loop {
        tokio::select! {
            request = requests.recv() => {
                let Some(InputRequest { parent, prompt, password, answer }) = request else { return };
                let content = json!({ "prompt": prompt, "password": password });
                // A client that can't be reached drops the answer, which ends the wait.
                open = replies::send(&mut sends, &wire, &parent, "input_request", &content).await
                    .map(|id| Open { id, identities: parent.identities().to_vec(), answer });
            }
            message = socket.recv() => {
                let Ok(message) = message else { return };
                match wire.read(message.into_vec()) {
                    Ok(envelope) => open = reply(open, &envelope),
                    Err(error) => journal::note(format_args!("dropped a message on stdin: {error}")),
                }
            }
        }
    }
}

/// Gives the open question its answer; returns the question if this is not it.
fn reply(open: Option<Open>, envelope: &Envelope) -> Option<Open> {
    let header = envelope.parent.header();
    let (Some(question), "input_reply") = (open, header.msg_type()) else {
        journal::note(format_args!("dropped a message of type {:?} on stdin: nothing was asked", header.msg_type()));
        return None;
    };
    let names_another = envelope.answers.get("msg_id").is_some_and(|id| id.as_str() != Some(&question.id));
    if names_another || envelope.parent.identities() != question.identities {
        journal::note("dropped an answer to another question");
        return Some(question);
    }
    let Some(value) = envelope.content.get("value").and_then(Value::as_str) else {
        journal::note("dropped an input_reply whose content has no text in `value`");
        return Some(question);
    };
    // A cell that was interrupted in the meantime no longer waits.
    let _ = question.answer.send(value.to_owned());
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Header, Parent};

    fn answer(client: &'static str, question: Value, content: Value) -> Envelope {
        let header = json!({ "msg_id": "x", "msg_type": "input_reply" });
        let header = Header::check(header.as_object().expect("an object").clone()).expect("whole");
        let answers = question.as_object().expect("an object").clone();
        Envelope { parent: Parent::new(vec![Bytes::from_static(client.as_bytes())], header), answers, content }
    }

    #[tokio::test]
    async fn only_the_asked_client_answers_and_only_this_question() {
        let (sender, mut receiver) = oneshot::channel();
        let mut open = Some(Open { id: "q2".to_owned(), identities: vec![Bytes::from_static(b"a")], answer: sender });
        for wrong in [
            answer("b", json!({}), json!({ "value": "theirs" })),
            answer("a", json!({ "msg_id": "q1" }), json!({ "value": "older" })),
            answer("a", json!({}), json!({ "value": 7 })),
        ] {
            open = reply(open, &wrong);
            assert!(open.is_some());
        }
        assert!(receiver.try_recv().is_err());
        assert!(reply(open, &answer("a", json!({ "msg_id": "q2" }), json!({ "value": "right" }))).is_none());
        assert_eq!(receiver.await, Ok("right".to_owned()));
    }
}
