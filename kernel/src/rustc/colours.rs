//! The colours of drawn errors.
//!
//! A viewer's own sixteen are of no use: JupyterLab makes bold ones darker, and shows errors on pink or, in its dark theme, on dark red. These
//! stand midway between the two, and between white and black.

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{RgbColor, Style};

const RED: RgbColor = RgbColor(224, 60, 49);
const BLUE: RgbColor = RgbColor(38, 122, 214);
const GREEN: RgbColor = RgbColor(14, 138, 96);
const CYAN: RgbColor = RgbColor(14, 136, 136);
const AMBER: RgbColor = RgbColor(178, 110, 10);

/// Draws as rustc does.
pub(crate) fn renderer() -> Renderer {
    let of = |colour: RgbColor| Style::new().fg_color(Some(annotate_snippets::renderer::Color::Rgb(colour)));
    Renderer::styled()
        .error(of(RED).bold())
        .warning(of(AMBER).bold())
        .info(of(BLUE).bold())
        .note(of(GREEN).bold())
        .help(of(CYAN).bold())
        .line_num(of(BLUE).bold())
        .context(of(BLUE).bold())
        .addition(of(GREEN))
        .removal(of(RED))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WCAG 2.1's relative luminance.
    fn luminance(RgbColor(r, g, b): RgbColor) -> f64 {
        let linear = |byte: u8| {
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    #[test]
    fn every_colour_reads_on_every_background() {
        let [pink, dark_red] = [RgbColor(255, 221, 221), RgbColor(78, 28, 24)];
        for colour in [RED, BLUE, GREEN, CYAN, AMBER] {
            for behind in [pink, dark_red, RgbColor(255, 255, 255), RgbColor(17, 17, 17)] {
                let (a, b) = (luminance(colour), luminance(behind));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                // What WCAG asks of bold and large text.
                assert!(contrast >= 3.0, "{colour:?} on {behind:?}: {contrast:.2}");
            }
        }
    }
}
