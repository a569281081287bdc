//! Line and point plots, drawn by plotters as SVG with a see-through background and colours that read on white and on dark.
//!
//! [`plot`] makes one, [`LivePlot`] one that grows while a cell runs.

use super::html::picture;
use super::{Bundle, DisplayId, Show, display_id, update_display};
use crate::tensor::Tensor;
use plotters::prelude::*;
use std::time::{Duration, Instant};

/// Pixels.
const SIZE: (u32, u32) = (640, 360);
/// A live plot is drawn at most this often, so that drawing never slows a training loop.
const REDRAW: Duration = Duration::from_millis(150);
/// Axes, labels and grid.
const GREY: RGBColor = RGBColor(128, 136, 144);
/// Okabe and Ito's colours that stand out on white and on dark.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Numbers to plot: a vector or slice of floats, or a tensor, whose elements are taken in order.
pub trait Values {
    /// The numbers.
    fn numbers(&self) -> Vec<f64>;
}

impl Values for [f64] {
    fn numbers(&self) -> Vec<f64> {
        self.to_vec()
    }
}

impl Values for [f32] {
    fn numbers(&self) -> Vec<f64> {
        self.iter().map(|&value| f64::from(value)).collect()
    }
}

impl Values for Vec<f64> {
    fn numbers(&self) -> Vec<f64> {
        self.clone()
    }
}

impl Values for Vec<f32> {
    fn numbers(&self) -> Vec<f64> {
        self.as_slice().numbers()
    }
}

impl Values for Tensor {
    #[track_caller]
    fn numbers(&self) -> Vec<f64> {
        self.cast(crate::dtype::DType::F64).to_vec()
    }
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    joined: bool,
}

/// A plot in the making; as a cell's last expression it draws itself.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    title: String,
    x: String,
    y: String,
    series: Vec<Series>,
}

/// An empty plot.
#[must_use]
pub fn plot() -> Plot {
    Plot::default()
}

impl Plot {
    /// The text above.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// The names of the two axes.
    #[must_use]
    pub fn labels(self, x: impl Into<String>, y: impl Into<String>) -> Self {
        Self { x: x.into(), y: y.into(), ..self }
    }

    /// A line through values at 0, 1, 2, …
    #[must_use]
    pub fn line(self, name: impl Into<String>, values: &(impl Values + ?Sized)) -> Self {
        let points = values.numbers().into_iter().enumerate().map(|(at, value)| (at as f64, value)).collect();
        self.with(name.into(), points, true)
    }

    /// A line through points.
    #[must_use]
    pub fn curve(self, name: impl Into<String>, x: &(impl Values + ?Sized), y: &(impl Values + ?Sized)) -> Self {
        let points = x.numbers().into_iter().zip(y.numbers()).collect();
        self.with(name.into(), points, true)
    }

    /// Points.
    #[must_use]
    pub fn scatter(self, name: impl Into<String>, x: &(impl Values + ?Sized), y: &(impl Values + ?Sized)) -> Self {
        let points = x.numbers().into_iter().zip(y.numbers()).collect();
        self.with(name.into(), points, false)
    }

    fn with(mut self, name: String, points: Vec<(f64, f64)>, joined: bool) -> Self {
        self.series.push(Series { name, points, joined });
        self
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let points = || self.series.iter().flat_map(|series| &series.points).filter(|(x, y)| x.is_finite() && y.is_finite());
        let (x, y) = (range(points().map(|point| point.0), 0.0), range(points().map(|point| point.1), 0.05));
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let text = |size: i32| ("sans-serif", size).into_font().color(&GREY);
        let mut builder = ChartBuilder::on(&root);
        builder.margin(12).x_label_area_size(40).y_label_area_size(56);
        if !self.title.is_empty() {
            builder.caption(&self.title, text(18));
        }
        let mut chart = builder.build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        chart
            .configure_mesh()
            .bold_line_style(GREY.mix(0.25))
            .light_line_style(TRANSPARENT)
            .axis_style(GREY)
            .label_style(text(13))
            .axis_desc_style(text(14))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_labels(8)
            .y_labels(7)
            .draw()?;
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let points: Vec<(f64, f64)> = series.points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
            let drawn = if series.joined {
                chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            } else {
                chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?
            };
            if !series.name.is_empty() {
                drawn.label(&series.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
            }
        }
        if self.series.iter().any(|series| !series.name.is_empty()) {
            chart.configure_series_labels().label_font(text(14)).border_style(TRANSPARENT).draw()?;
        }
        drop(chart);
        root.present()?;
        Ok(())
    }
}

/// The smallest and largest value with some room, never an empty range.
fn range(values: impl Iterator<Item = f64>, room: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (0.0, 1.0);
    }
    let span = if high > low { high - low } else { low.abs().max(1.0) };
    (low - span * room, if high > low { high + span * room } else { high + span * 0.5 })
}

impl Show for Plot {
    fn show(&self) -> Bundle {
        let mut svg = String::new();
        if let Err(error) = self.draw(&mut svg) {
            return Bundle::text(format!("the plot could not be drawn: {error}"));
        }
        let names: Vec<String> = self
            .series
            .iter()
            .map(|series| match series.points.last() {
                Some((_, last)) => format!("{} ({} points, the last {last:.4})", series.name, series.points.len()),
                None => format!("{} (no points)", series.name),
            })
            .collect();
        let alt = format!("plot {} of {}", self.title, names.join(", "));
        Bundle::text(format!("[{alt}]")).html(picture(&svg, &alt, SIZE.0)).svg(svg)
    }
}

/// A plot that grows while a cell runs: it is shown when made and drawn anew, at most some times a second, as numbers are pushed.
#[derive(Debug)]
pub struct LivePlot {
    plot: Plot,
    id: DisplayId,
    drawn: Instant,
    pending: bool,
}

impl LivePlot {
    /// Shows an empty plot with a series for each name.
    #[must_use]
    pub fn new(title: impl Into<String>, names: &[&str]) -> Self {
        let series = names.iter().map(|name| Series { name: (*name).to_owned(), points: Vec::new(), joined: true }).collect();
        let plot = Plot { title: title.into(), series, ..Plot::default() }.labels("step", "");
        let id = display_id(&plot);
        Self { plot, id, drawn: Instant::now(), pending: false }
    }

    /// Adds a point to each series: the step, and a value for each name.
    pub fn push(&mut self, step: usize, values: &[f64]) {
        for (series, &value) in self.plot.series.iter_mut().zip(values) {
            series.points.push((step as f64, value));
        }
        self.pending = true;
        if self.drawn.elapsed() >= REDRAW {
            self.draw();
        }
    }

    fn draw(&mut self) {
        update_display(&self.id, &self.plot);
        self.drawn = Instant::now();
        self.pending = false;
    }
}

impl Drop for LivePlot {
    // The last points are shown when the plot goes.
    fn drop(&mut self) {
        if self.pending {
            self.draw();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_a_picture_with_words_for_those_who_cannot_see_it() {
        let shown = plot().title("loss").labels("step", "loss").line("train", &vec![3.0, 2.0, 1.0, f64::NAN]).show();
        let svg = shown.get("image/svg+xml").and_then(serde_json::Value::as_str).unwrap();
        assert!(svg.contains("<polyline") && svg.contains("loss") && svg.contains("train"), "{svg}");
        assert!(shown.plain().contains("train (4 points"), "{}", shown.plain());
    }

    #[test]
    fn nothing_and_one_value_draw_too() {
        for values in [vec![], vec![2.0], vec![5.0, 5.0], vec![f64::NAN]] {
            let shown = plot().line("x", &values).show();
            assert!(shown.get("image/svg+xml").is_some(), "{values:?}: {}", shown.plain());
        }
    }
}
