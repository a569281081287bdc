//! `%timeit`: how long a piece of code takes, run again and again. The loop is the runtime's: `footlight::cell::timeit`.

use footlight_channel::Mode;

use super::{Act, Call, Magic, Orders};
use crate::notebook::Notebook;
use crate::session::Failure;

/// The magic.
pub(super) static MAGIC: Magic = Magic {
    called: &["%timeit", "%%timeit"],
    syntax: &["%timeit expression", "%%timeit, with the code on the lines below"],
    doc: "runs code again and again, and prints the best and the median time of a run",
    help: "The code runs for half a second in all, or a few times if it is slow. What it defines is gone afterwards, and what it prints \
           comes as often as it runs. It can't move a variable of the notebook away: borrow it, or clone it.",
    example: "%timeit x.matmul(&y)",
    accepts: |_| true,
    act: Act::Order(order),
};

fn order(call: &Call<'_>, _: &Notebook, orders: &mut Orders) -> Result<(), Failure> {
    orders.run_as(call, Mode::Eager)?;
    let whole = call.line.sigil == "%%";
    let below = &call.cell.text[call.line.range.end..];
    match (whole, call.line.rest.as_str()) {
        (true, "") if !below.trim().is_empty() => orders.wrap(call, OPEN, CLOSE),
        // As wide as the name and a space, so that the code stays in its columns.
        (false, rest) if !rest.is_empty() => orders.wrap_rest(call, "timeit!(", ");"),
        _ => {
            let said = "write `%timeit expression`, or `%%timeit` alone on its line with the code on the lines below";
            Err(call.failure("MagicError", said))
        }
    }
}

/// A closure and not the macro, so that the kernel sees the loops in it and an interrupt ends them.
const OPEN: &str =
    "::footlight::cell::timeit(&mut || -> ::core::result::Result<(), ::footlight::cell::Error> { ::core::hint::black_box({";
const CLOSE: &str = "}); ::core::result::Result::Ok(()) });";
