//! `%time`: how long the cell took to compile and to run.

use std::time::{Duration, Instant};

use super::{Act, Magic};
use crate::outputs::{Outputs, StreamName};

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%time", "%%time"],
    syntax: &["%time", "%time expression"],
    doc: "prints how long the cell took to compile and to run",
    help: "Alone on its line it times the cell below. Code behind it is run and timed, with what follows it in the cell. The run's time counts from the \
           moment the worker is told to load the cell to its last output. For times of microseconds use %timeit.",
    example: "%time x.matmul(&y)",
    accepts: |_| true,
    act: Act::Order(|call, _, orders| {
        orders.timed = true;
        if call.line.rest.is_empty() { Ok(()) } else { orders.keep_rest(call) }
    }),
};

/// Takes the times of a cell that asks for them.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    on: bool,
    began: Instant,
    compiled: Option<Duration>,
}

impl Stopwatch {
    /// Begins; does nothing further where it is not `on`.
    pub(crate) fn start(on: bool) -> Self {
        Stopwatch { on, began: Instant::now(), compiled: None }
    }

    /// The cell is compiled, and about to run.
    pub(crate) fn compiled(&mut self) {
        self.compiled = Some(self.began.elapsed());
    }

    /// The cell is done; prints what it took. `ran` says whether there was something to run.
    pub(crate) async fn print(&self, ran: bool, outputs: &Outputs) {
        if let Some(compiled) = self.compiled.filter(|_| self.on) {
            outputs.stream(StreamName::Stdout, line(compiled, ran.then(|| self.began.elapsed().saturating_sub(compiled)))).await;
        }
    }
}

fn line(compiled: Duration, ran: Option<Duration>) -> String {
    let compiled = short(compiled);
    match ran {
        Some(ran) => format!("compiled in {compiled}, ran in {}\n", short(ran)),
        None => format!("compiled in {compiled}, and there was nothing to run\n"),
    }
}

/// A duration in the unit that reads best, two digits at least.
fn short(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        let line = |compiled, ran| line(Duration::from_micros(compiled), Some(Duration::from_micros(ran)));
        assert_eq!(line(61_300, 1_230), "compiled in 61 ms, ran in 1.2 ms\n");
        assert_eq!(line(1_500_000, 450), "compiled in 1.5 s, ran in 450 µs\n");
    }
}
