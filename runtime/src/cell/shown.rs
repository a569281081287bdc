//! How a cell's last expression, and what a cell gives to `display`, shows itself: through `Show`, else `evcxr_display`, else `Debug`,
//! else by the name of its type.
//!
//! Which of them a type has is found at compile time, in the cell: an inherent method wins over a trait's, and a method that needs
//! fewer references wins over one that needs more. Each way is in a closure that the way before it drops uncalled, so that a cell compiles
//! only the one that its value goes.

use crate::show::cut::{MOST, bounded};
use crate::show::{Bundle, Show};
use std::fmt::Debug;

/// Shows `&expression` as the cell's result; `display (&expression)` shows it now.
#[doc(hidden)]
#[macro_export]
macro_rules! show_value {
    (display ($value:expr $(,)?)) => {
        $crate::show_value!(@ $value, Display)
    };
    ($value:expr) => {
        $crate::show_value!(@ $value, Result)
    };
    (@ $value:expr, $to:ident) => {
        match $value {
            value => {
                #[allow(unused_imports)]
                use $crate::cell::shown::{ByDebug as _, ByName as _, ByShow as _, NoShow as _, Otherwise as _};
                // Every type has this one in here, and a type's own inherent method wins over it. It is the cell's, not the runtime's:
                // evcxr would find it on tensors.
                trait NotEvcxr {
                    fn evcxr_display(&self) -> $crate::cell::shown::Missing {
                        $crate::cell::shown::Missing
                    }
                }
                impl<T: ?::core::marker::Sized> NotEvcxr for T {}
                let probe = $crate::cell::shown::Probe(value, $crate::cell::shown::To::$to);
                (&&probe).by_show().otherwise(|| value.evcxr_display().otherwise(|| (&&probe).by_debug()));
            }
        }
    };
}

/// A value whose traits are asked for, and what it is shown as.
#[derive(Debug)]
pub struct Probe<'a, T: ?Sized>(pub &'a T, pub To);

/// What a value is shown as.
#[derive(Clone, Copy, Debug)]
pub enum To {
    /// The cell's result.
    Result,
    /// A display, before the cell goes on.
    Display,
}

impl To {
    fn show(self, bundle: Bundle) {
        match self {
            Self::Result => crate::worker::output::result(bundle),
            Self::Display => crate::worker::output::display(bundle, None, false),
        }
    }
}

/// The way of types that implement [`Show`].
pub trait ByShow {
    /// Shows it.
    fn by_show(&self);
}

impl<T: Show + ?Sized> ByShow for &Probe<'_, T> {
    fn by_show(&self) {
        self.1.show(self.0.show());
    }
}

/// The way of types that don't implement [`Show`].
pub trait NoShow {
    /// Shows nothing.
    fn by_show(&self) -> Missing {
        Missing
    }
}

impl<T: ?Sized> NoShow for Probe<'_, T> {}

/// What a way returns that a type does not have; one that it has returns `()`.
#[derive(Debug)]
pub struct Missing;

/// Goes the next way if this one is missing; which, is known from the type alone.
pub trait Otherwise {
    /// Calls `next` if the value has not shown itself.
    fn otherwise(self, next: impl FnOnce());
}

impl Otherwise for () {
    fn otherwise(self, _next: impl FnOnce()) {}
}

impl Otherwise for Missing {
    fn otherwise(self, next: impl FnOnce()) {
        next();
    }
}

/// The way of types that implement `Debug`.
pub trait ByDebug {
    /// Shows its debug text.
    fn by_debug(&self);
}

impl<T: Debug + ?Sized> ByDebug for &Probe<'_, T> {
    fn by_debug(&self) {
        // A statement's value is `()`; showing it as the result would follow every `if` and every call.
        if matches!(self.1, To::Display) || std::any::type_name::<T>() != "()" {
            debug(&self.0, self.1);
        }
    }
}

fn debug(value: &dyn Debug, to: To) {
    to.show(Bundle::text(bounded(format_args!("{value:?}"), MOST)));
}

/// The way of types that have none of these.
pub trait ByName {
    /// Shows the type's name and what to add.
    fn by_debug(&self);
}

impl<T: ?Sized> ByName for Probe<'_, T> {
    fn by_debug(&self) {
        name(std::any::type_name::<T>(), self.1);
    }
}

fn name(type_name: &str, to: To) {
    let short = type_name.rsplit("::").next().unwrap_or(type_name);
    to.show(Bundle::text(format!("a value of type {short}, which has no text: add #[derive(Debug)] to it, or impl Show for it")));
}
