//! `execute_request`: runs a cell.

use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::{Context, Lane, Message, or_default};
use crate::outputs::Outputs;
use crate::session::{Execution, Failure, Outcome};

/// How long after its start a cell that fails at once waits with its error. A client that sends several cells in one go has them all
/// received by then, so that they can be aborted; what comes after the reply never is.
const IN_ONE_GO: Duration = Duration::from_millis(20);

/// The request.
#[derive(Deserialize)]
pub(crate) struct Request {
    code: String,
    #[serde(default, deserialize_with = "or_default")]
    silent: bool,
    store_history: Option<bool>,
    #[serde(default, deserialize_with = "or_default")]
    user_expressions: Map<String, Value>,
    #[serde(default, deserialize_with = "or_default")]
    allow_stdin: bool,
    stop_on_error: Option<bool>,
}

impl Message for Request {
    const TYPE: &'static str = "execute_request";
    const LANE: Lane = Lane::Queued;
    type Reply = Value;

    async fn handle(self, context: Context) -> Result<Value, Failure> {
        let began = Instant::now();
        let kernel = &context.kernel;
        let store_history = !self.silent && self.store_history.unwrap_or(true);
        let blank = self.code.trim().is_empty();
        let last = kernel.count.load(Ordering::Relaxed);
        let count = if store_history && !blank { last + 1 } else { last };
        kernel.count.store(count, Ordering::Relaxed);

        let parent = context.outputs.parent().clone();
        let outputs = Outputs::new(kernel.exits.clone(), parent, self.silent, self.allow_stdin);
        outputs.execute_input(self.code.as_str(), count).await;
        let outcome = if blank {
            Outcome::Ok { payload: Vec::new(), result: None }
        } else {
            let execution = Execution { code: self.code.clone(), count, silent: self.silent, store_history };
            kernel.session.execute(execution, &outputs).await
        };

        if store_history && !blank {
            let result = if let Outcome::Ok { result, .. } = &outcome { result.as_deref() } else { None };
            kernel.history.record(count, &self.code, result);
        }
        let reply = match outcome {
            Outcome::Ok { payload, .. } => {
                let expressions = evaluate(&context, self.user_expressions).await;
                json!({ "status": "ok", "execution_count": count, "payload": payload, "user_expressions": expressions })
            }
            Outcome::Error(failure) => {
                outputs.error(failure.ename.as_str(), failure.evalue.as_str(), failure.traceback.clone()).await;
                if self.stop_on_error.unwrap_or(true) {
                    tokio::time::sleep_until(began + IN_ONE_GO).await;
                    context.abort_queue();
                }
                error(&failure, count)
            }
            Outcome::Aborted => {
                let evalue = "the kernel is stopping".to_owned();
                error(&Failure { ename: "Aborted".to_owned(), evalue, traceback: Vec::new() }, count)
            }
        };
        outputs.flush().await;
        Ok(reply)
    }
}

fn error(Failure { ename, evalue, traceback }: &Failure, count: u32) -> Value {
    json!({ "status": "error", "execution_count": count, "ename": ename, "evalue": evalue, "traceback": traceback })
}

/// Each expression's value or failure, under its name.
async fn evaluate(context: &Context, expressions: Map<String, Value>) -> Map<String, Value> {
    let mut values = Map::new();
    for (name, expression) in expressions {
        let value = match expression.as_str() {
            Some(expression) => context.kernel.session.evaluate(expression).await,
            None => Err(super::failure("MalformedMessage", format!("the user expression {name:?} is {expression}, not a text"))),
        };
        let value = match value {
            Ok(data) => json!({ "status": "ok", "data": data, "metadata": {} }),
            Err(Failure { ename, evalue, traceback }) => {
                json!({ "status": "error", "ename": ename, "evalue": evalue, "traceback": traceback })
            }
        };
        values.insert(name, value);
    }
    values
}
