//! What `%timeit` needs at run time: runs a piece of code until its time is known, and prints best and median.
//!
//! The kernel wraps the user's text in a closure, as [`timeit!`](crate::timeit) does; all else is compiled here once.

use super::Error;
use crate::context::poll;
use crate::show::numbers::seconds;
use std::time::{Duration, Instant};

/// How long all rounds together take, for code that is quicker than that.
const BUDGET: Duration = Duration::from_millis(500);
/// The most rounds: enough for a median that one slow round does not move.
const ROUNDS: u32 = 7;
/// The fewest, however slow the code is.
const FEWEST: usize = 2;

/// Runs `code` in rounds and prints the time of one run.
///
/// # Panics
/// If the code returns an error, with that error as the payload: rustc then need not know of one where it explains what is wrong with
/// the code.
pub fn timeit(code: &mut dyn FnMut() -> Result<(), Error>) {
    let (rounds, runs) = match measure(code, BUDGET) {
        Ok(measured) => measured,
        Err(error) => match error.into_failure() {
            Some(failure) => std::panic::resume_unwind(Box::new(failure)),
            None => return,
        },
    };
    let best = rounds.first().copied().unwrap_or_default();
    let median = rounds.get(rounds.len() / 2).copied().unwrap_or_default();
    let plural = |count: u64, word: &str| if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") };
    let how = format!("{} of {}", plural(rounds.len() as u64, "round"), plural(u64::from(runs), "run"));
    println!("best {}, median {} per run ({how})", seconds(best), seconds(median));
}

/// The seconds of one run in each round, least first, and the runs of a round.
fn measure(code: &mut dyn FnMut() -> Result<(), Error>, budget: Duration) -> Result<(Vec<f64>, u32), Error> {
    // The first run pays for what later ones find ready: caches, pages, traces of staged functions.
    code()?;
    let began = Instant::now();
    let share = budget / ROUNDS;
    let mut runs = 1;
    let mut took = round(code, runs)?;
    while took < share / 2 && runs < u32::MAX / 2 {
        // Twice as many, or as many as a round is short of where the clock can tell.
        let short_of = share.as_secs_f64() / took.as_secs_f64().max(1e-9);
        runs = if took > share / 100 { (f64::from(runs) * short_of) as u32 } else { runs * 2 };
        took = round(code, runs)?;
    }
    let mut rounds = vec![took];
    while rounds.len() < ROUNDS as usize && (rounds.len() < FEWEST || began.elapsed() < budget) {
        rounds.push(round(code, runs)?);
    }
    let mut rounds: Vec<f64> = rounds.into_iter().map(|took| took.as_secs_f64() / f64::from(runs)).collect();
    rounds.sort_by(f64::total_cmp);
    Ok((rounds, runs))
}

fn round(code: &mut dyn FnMut() -> Result<(), Error>, runs: u32) -> Result<Duration, Error> {
    let began = Instant::now();
    for _ in 0..runs {
        // The code itself may have no loop, and then nothing else looks for an interrupt.
        poll();
        code()?;
    }
    Ok(began.elapsed())
}

/// Times its tokens. `%timeit` on a line becomes this call, which takes as many columns, so that the user's text stays where it was.
#[doc(hidden)]
#[macro_export]
macro_rules! timeit {
    ($($code:tt)*) => {
        $crate::cell::timeit(&mut || -> ::core::result::Result<(), $crate::cell::Error> {
            ::core::hint::black_box({ $($code)* });
            ::core::result::Result::Ok(())
        })
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_code_runs_often_and_slow_code_seldom() {
        let mut calls = 0;
        let budget = Duration::from_millis(70);
        let (rounds, runs) = measure(
            &mut || {
                calls += 1;
                Ok(())
            },
            budget,
        )
        .expect("it returns no error");
        assert!(runs > 1000, "{runs}");
        assert!(!rounds.is_empty() && rounds.is_sorted() && rounds[0] > 0.0);
        assert!(calls as f64 >= f64::from(runs) * rounds.len() as f64);

        let mut calls = 0;
        let (rounds, runs) = measure(
            &mut || {
                calls += 1;
                std::thread::sleep(budget);
                Ok(())
            },
            budget,
        )
        .expect("it returns no error");
        assert_eq!((runs, rounds.len(), calls), (1, FEWEST, 1 + FEWEST));
        assert!(rounds[0] >= budget.as_secs_f64());
    }

    #[test]
    fn an_error_ends_it() {
        let mut calls = 0;
        let mut once = || {
            calls += 1;
            crate::timeit!("x".parse::<i32>()?);
        };
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut once)).expect_err("no number");
        assert_eq!(crate::cell::failure(payload).name, "ParseIntError");
        assert_eq!(calls, 1);
    }
}
