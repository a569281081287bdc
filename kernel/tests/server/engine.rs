//! A small engine for the server's tests: each line of a cell is a command.

use std::time::Duration;

use footlight_kernel::outputs::{Bundle, Outputs, StreamName};
use footlight_kernel::session::{Completeness, Engine, Execution, Failure, Outcome};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::Notify;

/// Runs commands: `print T`, `eprint T`, `lines N`, `flood`, `display T`, `clear`, `result T`, `big N`, `sleep MS`, `input P`, `fail`, `bug`.
#[derive(Default)]
pub(crate) struct Commands {
    interrupted: Notify,
}

fn text(text: impl Into<Value>) -> Bundle {
    [("text/plain".to_owned(), text.into())].into_iter().collect()
}

fn failure(ename: &str, evalue: &str) -> Failure {
    Failure { ename: ename.to_owned(), evalue: evalue.to_owned(), traceback: vec![format!("{ename}: {evalue}")] }
}

impl Commands {
    async fn run(&self, execution: &Execution, outputs: &Outputs) -> Result<Option<String>, Failure> {
        let mut shown = None;
        for line in execution.code.lines() {
            let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
            let number = rest.parse::<usize>().unwrap_or_default();
            match command {
                "print" => outputs.stream(StreamName::Stdout, rest).await,
                "eprint" => outputs.stream(StreamName::Stderr, rest).await,
                "lines" => {
                    for line in 0..number {
                        outputs.stream(StreamName::Stdout, format!("{line}\n")).await;
                    }
                }
                "flood" => loop {
                    outputs.stream(StreamName::Stdout, "again and again\n".repeat(1000)).await;
                    tokio::task::yield_now().await;
                },
                "display" => outputs.display(text(rest), Some("id".to_owned()), false).await,
                "update" => outputs.display(text(rest), Some("id".to_owned()), true).await,
                "clear" => outputs.clear_output(true).await,
                "result" => {
                    outputs.execute_result(execution.count, text(rest)).await;
                    shown = Some(rest.to_owned());
                }
                "big" => outputs.execute_result(execution.count, text("x".repeat(number))).await,
                "sleep" => tokio::time::sleep(Duration::from_millis(number as u64)).await,
                "input" => {
                    let answer = outputs.input(rest, false).await.map_err(|error| failure("InputError", &error.to_string()))?;
                    outputs.stream(StreamName::Stdout, answer).await;
                }
                "fail" => return Err(failure("Failed", rest)),
                "bug" => panic!("the engine has a bug"),
                other => return Err(failure("Unknown", other)),
            }
        }
        Ok(shown)
    }
}

impl Engine for Commands {
    fn execute<'a>(&'a self, execution: Execution, outputs: &'a Outputs) -> BoxFuture<'a, Outcome> {
        async move {
            let ran = tokio::select! {
                ran = self.run(&execution, outputs) => ran,
                () = self.interrupted.notified() => Err(failure("Interrupted", "on request")),
            };
            match ran {
                Ok(result) => Outcome::Ok { payload: Vec::new(), result },
                Err(failure) => Outcome::Error(failure),
            }
        }
        .boxed()
    }

    fn evaluate<'a>(&'a self, expression: &'a str) -> BoxFuture<'a, Result<Bundle, Failure>> {
        let value = if expression.contains('!') { Err(failure("Bad", expression)) } else { Ok(text(json!(expression))) };
        std::future::ready(value).boxed()
    }

    fn interrupt(&self) {
        self.interrupted.notify_waiters();
    }

    fn shutdown(&self, _restart: bool) -> BoxFuture<'_, ()> {
        self.interrupted.notify_waiters();
        std::future::ready(()).boxed()
    }

    fn is_complete(&self, code: &str) -> Completeness {
        match code.chars().last() {
            Some('{') => Completeness::Incomplete { indent: "    ".to_owned() },
            Some('}') => Completeness::Invalid,
            _ => Completeness::Complete,
        }
    }
}
