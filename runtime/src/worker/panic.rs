//! The panic hook. On the thread of cells it is silent and notes the place, as the notebook shows one error and nothing besides; other
//! threads of the user print to stderr, as Rust does, with the place in the cell.

use std::cell::RefCell;
use std::io::Write as _;

/// File, line and column, from 1.
type Place = (String, u32, u32);

thread_local! {
    static PLACE: RefCell<Option<Place>> = const { RefCell::new(None) };
}

/// Installs the hook.
pub(crate) fn install_hook() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() == Some("cell") {
            let place = info.location().map(|at| (at.file().to_owned(), at.line(), at.column()));
            // A panic while the last one's place is being read can't happen: reading takes it in one step.
            PLACE.with_borrow_mut(|slot| *slot = place);
        } else {
            match info.location().filter(|at| at.file().starts_with("In[")) {
                // The column is of the generated text, and so are the names in a backtrace.
                Some(at) => {
                    let thread = std::thread::current();
                    let (name, said) = (thread.name().unwrap_or("<unnamed>"), info.payload_as_str().unwrap_or("(no text)"));
                    let text = format!("thread '{name}' panicked at {}:{}:\n{said}\n", at.file(), at.line());
                    // In one piece; where nobody reads it there is nothing to do.
                    let _ = std::io::stderr().write_all(text.as_bytes());
                }
                None => default(info),
            }
        }
    }));
}

/// Where the last panic of this thread was.
pub(crate) fn take_place() -> Option<Place> {
    PLACE.take()
}
