//! The only writer of SVG, besides plotters: shapes with presentation attributes alone, in colours that read on white and on dark and that
//! the colour-blind can tell apart (Okabe and Ito's).

use super::html::escape;
use std::fmt::Write as _;

/// Lines and labels outside of boxes: of equal contrast to white and to JupyterLab's dark.
pub(crate) const NEUTRAL: &str = "#7c848c";
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
    /// An empty picture that says what it shows.
    pub(crate) fn new(width: f64, height: f64, title: &str) -> Self {
        Self { width, height, body: format!("<title>{}</title>", escape(title)) }
    }

    /// A rounded box.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\"/>"
        );
    }

    /// A box with sharp corners, that stands close to others.
    pub(crate) fn cell(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        let _ =
            write!(self.body, "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>");
    }

    /// A frame behind what stands in it: a tint that darkens white and lightens dark.
    pub(crate) fn frame(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\" fill=\"#808890\" fill-opacity=\"0.1\" \
             stroke=\"#808890\" stroke-opacity=\"0.35\"/>"
        );
    }

    /// A thin straight line.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{NEUTRAL}\" stroke-opacity=\"0.4\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// A text around a middle point.
    pub(crate) fn text(&mut self, at: (f64, f64), size: f64, fill: &str, text: &str) {
        self.write(at, size, "sans-serif", "middle", fill, "", text);
    }

    /// A text that starts at a point.
    pub(crate) fn text_start(&mut self, at: (f64, f64), size: f64, fill: &str, text: &str) {
        self.write(at, size, "sans-serif", "start", fill, "", text);
    }

    /// A text that ends at a point.
    pub(crate) fn text_end(&mut self, at: (f64, f64), size: f64, fill: &str, text: &str) {
        self.write(at, size, "sans-serif", "end", fill, "", text);
    }

    /// Source text on a plate of its own, `width` wide, so that what passes below does not cross it.
    pub(crate) fn plate(&mut self, (x, y): (f64, f64), width: f64, text: &str) {
        self.rect((x, y), (width, 18.0), "#5b6770");
        self.write((x + 7.0, y + 13.0), 11.0, "monospace", "start", ON_COLOUR, "", text);
    }

    /// A text around a middle point that reads upwards.
    pub(crate) fn text_up(&mut self, at: (f64, f64), size: f64, fill: &str, text: &str) {
        let turn = format!(" transform=\"rotate(-90 {:.1} {:.1})\"", at.0, at.1);
        self.write(at, size, "sans-serif", "middle", fill, &turn, text);
    }

    #[expect(clippy::too_many_arguments, reason = "one place writes every text's attributes")]
    fn write(&mut self, (x, y): (f64, f64), size: f64, family: &str, anchor: &str, fill: &str, more: &str, text: &str) {
        if !text.is_empty() {
            let _ = write!(
                self.body,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.3}\" font-family=\"{family}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{more}>{}</text>",
                escape(text)
            );
        }
    }

    /// A picture of pixels, as a `data:` URI.
    pub(crate) fn image(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), data: &str) {
        let _ =
            write!(self.body, "<image x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" href=\"{data}\"/>");
    }

    /// A smooth way down through points, with an arrow's head at its end.
    pub(crate) fn edge(&mut self, points: &[(f64, f64)]) {
        let (Some(&(x, y)), Some(&(end_x, end_y))) = (points.first(), points.last()) else { return };
        let mut path = format!("M{x:.1} {y:.1}");
        for (at, pair) in points.windows(2).enumerate() {
            let ((from_x, from_y), (to_x, to_y)) = (pair[0], pair[1]);
            // The head begins where the line ends.
            let to_y = if at + 2 == points.len() { to_y - 5.0 } else { to_y };
            let bend = (to_y - from_y) / 2.0;
            let _ = write!(path, "C{from_x:.1} {:.1} {to_x:.1} {:.1} {to_x:.1} {to_y:.1}", from_y + bend, to_y - bend);
        }
        let _ = write!(self.body, "<path d=\"{path}\" fill=\"none\" stroke=\"{NEUTRAL}\" stroke-width=\"1.3\"/>");
        let _ = write!(self.body, "<path d=\"M{end_x:.1} {end_y:.1}l-3.5 -6h7z\" fill=\"{NEUTRAL}\"/>");
    }

    /// The whole picture.
    pub(crate) fn finish(self) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">{2}</svg>",
            self.width.ceil(),
            self.height.ceil(),
            self.body
        )
    }
}
