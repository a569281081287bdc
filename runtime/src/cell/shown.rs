//! How a cell's last expression shows itself: through `Show`, else `evcxr_display`, else `Debug`, else by the name of its type.
//!
//! Which of them a type has is found at compile time, in the cell: an inherent method wins over a trait's, and a method that needs
//! fewer references wins over one that needs more.

use crate::show::{Bundle, Show};
use std::fmt::Debug;

/// Shows `&expression` as the cell's result.
#[doc(hidden)]
#[macro_export]
macro_rules! show_value {
    ($value:expr) => {
        match $value {
            value => {
                #[allow(unused_imports)]
                use $crate::cell::shown::{ByDebug as _, ByName as _, ByShow as _, NoShow as _, NotEvcxr as _, WasShown as _};
                let probe = $crate::cell::shown::Probe(value);
                if !(&&probe).by_show() && !value.evcxr_display().was_shown() {
                    (&&probe).by_debug();
                }
            }
        }
    };
}

/// A value whose traits are asked for.
#[derive(Debug)]
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// The way of types that implement [`Show`].
pub trait ByShow {
    /// Shows it; true.
    fn by_show(&self) -> bool;
}

impl<T: Show + ?Sized> ByShow for &Probe<'_, T> {
    fn by_show(&self) -> bool {
        crate::worker::output::result(self.0.show());
        true
    }
}

/// The way of types that don't implement [`Show`].
pub trait NoShow {
    /// False.
    fn by_show(&self) -> bool {
        false
    }
}

impl<T: ?Sized> NoShow for Probe<'_, T> {}

/// What `evcxr_display` of a type without one returns.
#[derive(Debug)]
pub struct Missing;

/// Gives every type an `evcxr_display`; a type's own inherent method wins over it.
pub trait NotEvcxr {
    /// Shows nothing.
    fn evcxr_display(&self) -> Missing {
        Missing
    }
}

impl<T: ?Sized> NotEvcxr for T {}

/// Tells the two kinds of `evcxr_display` apart by what they return.
pub trait WasShown {
    /// Whether the value has shown itself.
    fn was_shown(&self) -> bool;
}

impl WasShown for () {
    fn was_shown(&self) -> bool {
        true
    }
}

impl WasShown for Missing {
    fn was_shown(&self) -> bool {
        false
    }
}

/// The way of types that implement `Debug`.
pub trait ByDebug {
    /// Shows its debug text.
    fn by_debug(&self);
}

impl<T: Debug + ?Sized> ByDebug for &Probe<'_, T> {
    fn by_debug(&self) {
        // A statement's value is `()`; showing it would follow every `if` and every call.
        if std::any::type_name::<T>() != "()" {
            debug(&self.0);
        }
    }
}

fn debug(value: &dyn Debug) {
    crate::worker::output::result(Bundle::text(format!("{value:?}")));
}

/// The way of types that have none of these.
pub trait ByName {
    /// Shows the type's name and what to add.
    fn by_debug(&self);
}

impl<T: ?Sized> ByName for Probe<'_, T> {
    fn by_debug(&self) {
        name(std::any::type_name::<T>());
    }
}

fn name(type_name: &str) {
    let short = type_name.rsplit("::").next().unwrap_or(type_name);
    crate::worker::output::result(Bundle::text(format!(
        "a value of type {short}, which has no text: add #[derive(Debug)] to it, or impl Show for it"
    )));
}
