//! How values show themselves: [`Show`], the [`Bundle`] of forms, and the ways to show one from a cell.
//!
//! A bundle goes to the notebook through the worker's outlet; a plain Rust program has none and sees the text on its stdout.
//!
//! Must not know: Jupyter's messages, who shows a value where.

mod colour;
pub mod compare;
pub(crate) mod cut;
pub mod gradients;
mod graph;
mod graph_layout;
pub mod heatmap;
mod html;
pub mod images;
pub mod live_plot;
pub(crate) mod numbers;
mod op_table;
mod optimizer;
pub mod plot;
mod png;
pub mod profile;
pub mod staged_source;
mod summary;
mod svg;
mod tensor;
mod thin;
mod timeline;

pub use compare::Comparison;
pub use gradients::{Gradients, gradients};
pub use heatmap::{Heatmap, heatmap};
pub use images::{Images, images};
pub use live_plot::LivePlot;
pub use plot::{Plot, Values, drawing, plot};
pub use plotters;
pub use profile::CellProfile;
pub use staged_source::Source;

use serde_json::{Map, Value};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A value in its several forms, by MIME type. Text is always there; a viewer takes the richest form that it knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle(Map<String, Value>);

impl Bundle {
    /// A bundle of plain text; add other forms to it.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().with("text/plain", text.into())
    }

    /// Adds a form.
    #[must_use]
    pub fn with(mut self, mime: &str, data: impl Into<Value>) -> Self {
        self.0.insert(mime.to_owned(), data.into());
        self
    }

    /// Adds HTML: tables, `<details>` and pictures as `data:` URIs; no scripts, styles or `<svg>`, which viewers strip.
    #[must_use]
    pub fn html(self, html: impl Into<String>) -> Self {
        self.with("text/html", html.into())
    }

    /// Adds an SVG picture.
    #[must_use]
    pub fn svg(self, svg: impl Into<String>) -> Self {
        self.with("image/svg+xml", svg.into())
    }

    /// Adds a PNG picture, given its bytes.
    #[must_use]
    pub fn png(self, bytes: &[u8]) -> Self {
        use base64::Engine as _;
        self.with("image/png", base64::engine::general_purpose::STANDARD.encode(bytes))
    }

    /// The form of a MIME type, if it is there.
    #[must_use]
    pub fn get(&self, mime: &str) -> Option<&Value> {
        self.0.get(mime)
    }

    /// The plain text.
    #[must_use]
    pub fn plain(&self) -> &str {
        self.get("text/plain").and_then(Value::as_str).unwrap_or_default()
    }

    /// MIME types and data.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

/// A value that shows itself richly as a cell's last expression, or through [`display`].
///
/// ```
/// use footlight::prelude::*;
/// struct Greeting(&'static str);
/// impl Show for Greeting {
///     fn show(&self) -> Bundle {
///         Bundle::text(self.0).html(format!("<b>{}</b>", self.0))
///     }
/// }
/// assert_eq!(Greeting("hello").show().plain(), "hello");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Show`",
    label = "this can't show itself",
    note = "impl Show for its type, or show its debug text: Bundle::text(format!(\"{{value:?}}\"))"
)]
pub trait Show {
    /// Its forms.
    fn show(&self) -> Bundle;
}

impl Show for Bundle {
    fn show(&self) -> Bundle {
        self.clone()
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self) -> Bundle {
        (**self).show()
    }
}

impl<T: Show + ?Sized> Show for Box<T> {
    fn show(&self) -> Bundle {
        (**self).show()
    }
}

/// Shows a value now, before the cell goes on. In a cell it may be any that a last expression may be: one without [`Show`] shows its debug
/// text.
pub fn display(value: &(impl Show + ?Sized)) {
    crate::worker::output::display(value.show(), None, false);
}

/// A shown value that can be replaced in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisplayId(String);

/// Shows a value that [`update_display`] can replace.
pub fn display_id(value: &(impl Show + ?Sized)) -> DisplayId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // The process's number keeps ids of a restarted worker apart from those still on the page.
    let id = format!("footlight-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
    crate::worker::output::display(value.show(), Some(id.clone()), false);
    DisplayId(id)
}

/// Replaces what is shown under `id`.
pub fn update_display(id: &DisplayId, value: &(impl Show + ?Sized)) {
    crate::worker::output::display(value.show(), Some(id.0.clone()), true);
}

/// Removes what the cell has shown so far; with `wait`, when the next output comes, so that the page doesn't flicker.
pub fn clear_output(wait: bool) {
    crate::worker::output::clear(wait);
}
