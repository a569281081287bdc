//! The only writer of SVG, besides plotters: shapes with presentation attributes alone, in colours that read on white and on dark and that
//! the colour-blind can tell apart (Okabe and Ito's).

use super::html::escape;
use std::fmt::Write as _;

/// Lines and labels outside of boxes: between black and white, so that both backgrounds show it.
pub(crate) const NEUTRAL: &str = "#808890";
/// Text inside of boxes.
pub(crate) const ON_COLOUR: &str = "#ffffff";

/// Okabe and Ito's palette, darkened enough for white text.
pub(crate) const PALETTE: [&str; 7] = ["#0072b2", "#b65300", "#00795a", "#9c4a80", "#3a7ca5", "#8a6d00", "#5b6770"];

/// A picture in the making.
#[derive(Debug)]
pub(crate) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty picture.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// A rounded box.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\"/>"
        );
    }

    /// A text around a middle point.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), size: f64, fill: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-family=\"sans-serif\" text-anchor=\"middle\" fill=\"{fill}\">{}</text>",
            escape(text)
        );
    }

    /// A curve that leaves downwards and arrives from above, with an arrow's head.
    pub(crate) fn edge(&mut self, from: (f64, f64), to: (f64, f64)) {
        let bend = ((to.1 - from.1) / 2.0).max(8.0);
        let _ = write!(
            self.body,
            "<path d=\"M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"{NEUTRAL}\" stroke-width=\"1.3\"/>",
            from.0,
            from.1,
            from.0,
            from.1 + bend,
            to.0,
            to.1 - bend - 4.0,
            to.0,
            to.1 - 4.0
        );
        let _ = write!(self.body, "<path d=\"M{:.1} {:.1}l-4 -6h8z\" fill=\"{NEUTRAL}\"/>", to.0, to.1);
    }

    /// The whole picture.
    pub(crate) fn finish(self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">{2}</svg>",
            self.width, self.height, self.body
        )
    }
}
