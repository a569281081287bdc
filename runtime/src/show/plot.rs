//! Lines, points, bars and histograms, drawn by plotters as SVG with a see-through background and colours that read on white and on dark.
//!
//! [`plot`] makes one; [`super::live_plot`] holds one that grows while a cell runs, and [`drawing`] shows what a user draws with plotters.

use super::html::picture;
use super::numbers::tick;
use super::thin::{by_column, evenly};
use super::{Bundle, Show};
use crate::tensor::Tensor;
use plotters::prelude::*;

/// Pixels.
const SIZE: (u32, u32) = (640, 360);
/// Circles of one plot; more are a blot, and make a page slow.
const MOST_POINTS: usize = 3000;
/// Corners of one line. One that goes to and fro has more of them than [`by_column`] can spare.
const MOST_CORNERS: usize = 8000;
/// Axes, labels and grid.
const GREY: RGBColor = RGBColor(128, 136, 144);
/// Okabe and Ito's colours that stand out on white and on dark, the first two lightened for dark.
const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 131, 200),
    RGBColor(222, 104, 16),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Numbers to plot: a vector, array or slice of them, or a tensor or several, whose elements are taken in order.
pub trait Values {
    /// The numbers.
    fn numbers(&self) -> Vec<f64>;
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        impl Values for [$ty] {
            #[allow(clippy::cast_lossless, clippy::cast_precision_loss, reason = "a drawing has no more digits")]
            fn numbers(&self) -> Vec<f64> {
                self.iter().map(|&value| value as f64).collect()
            }
        }

        impl Values for Vec<$ty> {
            fn numbers(&self) -> Vec<f64> {
                self.as_slice().numbers()
            }
        }

        impl<const N: usize> Values for [$ty; N] {
            fn numbers(&self) -> Vec<f64> {
                self.as_slice().numbers()
            }
        }
    )*};
}

numbers!(f32 f64 i32 i64 u64 usize);

impl Values for Tensor {
    #[track_caller]
    fn numbers(&self) -> Vec<f64> {
        self.cast(crate::dtype::DType::F64).to_vec()
    }
}

/// Losses that were kept as tensors.
impl Values for [Tensor] {
    #[track_caller]
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(Values::numbers).collect()
    }
}

impl Values for Vec<Tensor> {
    #[track_caller]
    fn numbers(&self) -> Vec<f64> {
        self.as_slice().numbers()
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Line,
    Points,
    /// Bars of this width from 0 to the value.
    Bars(f64),
}

/// Points across and up.
type Points = Vec<(f64, f64)>;
/// So many points of so many, where a drawing of some does not look like one of all.
type Part = Option<(usize, usize)>;

/// One series of points.
#[derive(Clone, Debug)]
pub(super) struct Series {
    name: String,
    pub(super) points: Vec<(f64, f64)>,
    mark: Mark,
}

/// A plot in the making; as a cell's last expression it draws itself.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    title: String,
    x: String,
    y: String,
    log_y: bool,
    names: Vec<String>,
    pub(super) series: Vec<Series>,
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
        self.with(name.into(), points, Mark::Line)
    }

    /// A line through points.
    #[must_use]
    pub fn curve(self, name: impl Into<String>, x: &(impl Values + ?Sized), y: &(impl Values + ?Sized)) -> Self {
        let points = x.numbers().into_iter().zip(y.numbers()).collect();
        self.with(name.into(), points, Mark::Line)
    }

    /// Points.
    #[must_use]
    pub fn scatter(self, name: impl Into<String>, x: &(impl Values + ?Sized), y: &(impl Values + ?Sized)) -> Self {
        let points = x.numbers().into_iter().zip(y.numbers()).collect();
        self.with(name.into(), points, Mark::Points)
    }

    /// A bar for each value, at 0, 1, 2, …; [`Plot::names`] gives them names.
    #[must_use]
    pub fn bars(self, name: impl Into<String>, values: &(impl Values + ?Sized)) -> Self {
        let points = values.numbers().into_iter().enumerate().map(|(at, value)| (at as f64, value)).collect();
        self.with(name.into(), points, Mark::Bars(0.8))
    }

    /// How many of the values lie in each of `bins` equal steps from the least to the greatest.
    #[must_use]
    pub fn histogram(self, name: impl Into<String>, values: &(impl Values + ?Sized), bins: usize) -> Self {
        let values: Vec<f64> = values.numbers().into_iter().filter(|value| value.is_finite()).collect();
        let (low, high) = range(values.iter().copied(), 0.0);
        let bins = bins.max(1);
        let step = (high - low) / bins as f64;
        let mut counts = vec![0usize; bins];
        for value in values {
            counts[(((value - low) / step) as usize).min(bins - 1)] += 1;
        }
        let points = counts.into_iter().enumerate().map(|(at, count)| (low + (at as f64 + 0.5) * step, count as f64)).collect();
        self.with(name.into(), points, Mark::Bars(step))
    }

    /// Names of the places 0, 1, 2, … of the axis across.
    #[must_use]
    pub fn names(self, names: &[&str]) -> Self {
        Self { names: names.iter().map(|&name| name.to_owned()).collect(), ..self }
    }

    /// A logarithmic axis upwards; values that are not above 0 are left out.
    #[must_use]
    pub fn log_y(self) -> Self {
        Self { log_y: true, ..self }
    }

    /// A line without points yet.
    pub(super) fn empty_line(self, name: &str) -> Self {
        self.with(name.to_owned(), Vec::new(), Mark::Line)
    }

    fn with(mut self, name: String, points: Vec<(f64, f64)>, mark: Mark) -> Self {
        self.series.push(Series { name, points, mark });
        self
    }

    /// A series' points as they are drawn: finite ones, of their logarithms on a logarithmic axis.
    fn drawn(&self, series: &Series) -> Vec<(f64, f64)> {
        let height = |y: f64| if self.log_y { y.log10() } else { y };
        series.points.iter().map(|&(x, y)| (x, height(y))).filter(|(x, y)| x.is_finite() && y.is_finite()).collect()
    }

    /// The ranges of both axes.
    fn ranges(&self, all: &[Vec<(f64, f64)>]) -> ((f64, f64), (f64, f64)) {
        let halves = self.series.iter().map(|series| if let Mark::Bars(width) = series.mark { width / 2.0 } else { 0.0 });
        let across =
            all.iter().zip(halves).flat_map(|(points, half)| points.iter().flat_map(move |&(x, _)| [x - half, x + half]));
        let barred = self.series.iter().any(|series| matches!(series.mark, Mark::Bars(_))) && !self.log_y;
        let ground = barred.then_some(0.0);
        let up = range(all.iter().flatten().map(|point| point.1).chain(ground), 0.05);
        // Bars stand on the axis.
        let up = if barred && up.0 < 0.0 && all.iter().flatten().all(|point| point.1 >= 0.0) { (0.0, up.1) } else { up };
        (range(across, if barred { 0.02 } else { 0.0 }), up)
    }

    /// What is drawn of each series' points.
    fn thinned(&self, all: Vec<Points>, across: (f64, f64)) -> (Vec<Points>, Vec<Part>) {
        let scattered = self.series.iter().zip(&all).filter(|(series, _)| series.mark == Mark::Points);
        let circles: usize = scattered.map(|(_, points)| points.len()).sum();
        let thin = |(series, points): (&Series, Points)| {
            let count = points.len();
            let (points, most) = match series.mark {
                Mark::Points => (points, (count * MOST_POINTS / circles.max(MOST_POINTS)).max(1)),
                Mark::Line | Mark::Bars(_) => (by_column(points, across, SIZE.0), MOST_CORNERS),
            };
            let part = (points.len() > most).then_some((most, count));
            (evenly(points, most), part)
        };
        self.series.iter().zip(all).map(thin).unzip()
    }

    /// Draws itself, and returns which part of each series it drew.
    fn draw(&self, svg: &mut String) -> Result<Vec<Part>, Box<dyn std::error::Error>> {
        let all: Vec<Points> = self.series.iter().map(|series| self.drawn(series)).collect();
        let (x, y) = self.ranges(&all);
        let (all, parts) = self.thinned(all, x);
        let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let text = |size: i32| ("sans-serif", size).into_font().color(&GREY);
        let mut builder = ChartBuilder::on(&root);
        builder.margin(12).x_label_area_size(40).y_label_area_size(60);
        if !self.title.is_empty() {
            builder.caption(&self.title, text(18));
        }
        let mut chart = builder.build_cartesian_2d(x.0..x.1, y.0..y.1)?;
        let across = |at: &f64| match self.names.get(at.round().max(0.0) as usize) {
            _ if self.names.is_empty() => tick(*at, x.1 - x.0),
            Some(name) if (at - at.round()).abs() < 1e-6 && *at > -0.5 => name.clone(),
            _ => String::new(),
        };
        let up = |at: &f64| if self.log_y { tick(10f64.powf(*at), 0.0) } else { tick(*at, y.1 - y.0) };
        chart
            .configure_mesh()
            .bold_line_style(GREY.mix(0.25))
            .light_line_style(TRANSPARENT)
            .axis_style(GREY)
            .label_style(text(13))
            .axis_desc_style(text(14))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_labels(if self.names.is_empty() { 8 } else { 2 * self.names.len() })
            .y_labels(7)
            .x_label_formatter(&across)
            .y_label_formatter(&up)
            .draw()?;
        let mut named = false;
        for (number, (series, points)) in self.series.iter().zip(&all).enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let points = points.iter().copied();
            let drawn = match series.mark {
                Mark::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
                Mark::Points => chart.draw_series(points.map(|point| Circle::new(point, 3, colour.mix(0.8).filled())))?,
                Mark::Bars(width) => {
                    // One narrower than a pixel would be rounded away.
                    let half = (width * 0.48).max((x.1 - x.0) / 1000.0);
                    let bar = |(x, y)| Rectangle::new([(x - half, 0.0), (x + half, y)], colour.mix(0.75).filled());
                    chart.draw_series(points.map(bar))?
                }
            };
            let name = match parts[number] {
                None => series.name.clone(),
                Some((part, whole)) => format!("{} ({part} of {whole} points)", series.name).trim_start().to_owned(),
            };
            if !name.is_empty() {
                named = true;
                drawn.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
            }
        }
        if named {
            let place = emptiest(&all, x, y);
            chart.configure_series_labels().position(place).label_font(text(14)).border_style(TRANSPARENT).draw()?;
        }
        drop(chart);
        root.present()?;
        Ok(parts)
    }
}

/// The corner with the fewest points, where the legend hides the least.
fn emptiest(all: &[Vec<(f64, f64)>], x: (f64, f64), y: (f64, f64)) -> SeriesLabelPosition {
    let part = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
    let corners = [
        (SeriesLabelPosition::UpperRight, 1.0, 1.0),
        (SeriesLabelPosition::UpperLeft, 0.0, 1.0),
        (SeriesLabelPosition::LowerRight, 1.0, 0.0),
        (SeriesLabelPosition::LowerLeft, 0.0, 0.0),
    ];
    let covered = |right: f64, top: f64| {
        let hidden = |&&(px, py): &&(f64, f64)| (part(px, x) - right).abs() < 0.3 && (part(py, y) - top).abs() < 0.3;
        all.iter().flatten().filter(hidden).count()
    };
    let best = corners.into_iter().min_by_key(|&(_, right, top)| covered(right, top));
    best.map_or(SeriesLabelPosition::UpperRight, |(place, _, _)| place)
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

/// A drawing made with plotters, shown as [`Plot`] is: `draw` gets the whole area, on a see-through ground.
///
/// ```
/// use footlight::show::{drawing, plotters::prelude::*};
/// let shown = drawing((200, 100), |area| {
///     area.draw(&Circle::new((100, 50), 20, RED.filled()))?;
///     Ok(())
/// });
/// assert!(shown.unwrap().get("image/svg+xml").is_some());
/// ```
///
/// # Errors
/// What `draw` returns, and what plotters can't draw.
pub fn drawing(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn std::error::Error>>,
) -> Result<Bundle, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    draw(&area)?;
    area.present()?;
    drop(area);
    let alt = "drawing";
    Ok(Bundle::text(format!("[{alt}]")).html(picture(&svg, alt, size.0)).svg(svg))
}

/// What [`drawing`] draws on.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

impl Show for Plot {
    fn show(&self) -> Bundle {
        let mut svg = String::new();
        let parts = match self.draw(&mut svg) {
            Ok(parts) => parts,
            Err(error) => return Bundle::text(format!("the plot could not be drawn: {error}")),
        };
        let names: Vec<String> = self
            .series
            .iter()
            .zip(parts)
            .map(|(series, part)| {
                let drawn = part.map_or(String::new(), |(part, _)| format!(", {part} of them drawn"));
                let points = match (series.points.last(), series.points.len()) {
                    (Some((_, last)), 1) => format!("1 point, {}", tick(*last, 0.0)),
                    (Some((_, last)), count) => format!("{count} points{drawn}, the last {}", tick(*last, 0.0)),
                    (None, _) => "no points".to_owned(),
                };
                if series.name.is_empty() { points } else { format!("{} ({points})", series.name) }
            })
            .collect();
        let title = if self.title.is_empty() { String::new() } else { format!("{}: ", self.title) };
        let alt = format!("plot: {title}{}", names.join(", "));
        Bundle::text(format!("[{alt}]")).html(picture(&svg, &alt, SIZE.0)).svg(svg)
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
    fn numbers_come_in_many_forms() {
        let expected = vec![2.0, 1.0];
        let tensors = vec![crate::prelude::scalar(2.0), crate::prelude::scalar(1.0)];
        assert_eq!([2.0, 1.0].numbers(), expected);
        assert_eq!([2.0f32, 1.0][..].numbers(), expected);
        assert_eq!(vec![2usize, 1].numbers(), expected);
        assert_eq!([2, 1].numbers(), expected);
        assert_eq!(tensors.numbers(), expected);
        assert_eq!(crate::tensor![[2], [1]].numbers(), expected);
    }

    #[test]
    fn nothing_and_one_value_draw_too() {
        for values in [vec![], vec![2.0], vec![5.0, 5.0], vec![f64::NAN]] {
            let shown = plot().line("x", &values).show();
            assert!(shown.get("image/svg+xml").is_some(), "{values:?}: {}", shown.plain());
        }
    }

    #[test]
    fn bars_histograms_and_logarithms() {
        let svg = |plot: Plot| plot.show().get("image/svg+xml").and_then(serde_json::Value::as_str).unwrap().to_owned();
        let bars = svg(plot().bars("n", &vec![3.0, 1.0]).names(&["cat", "dog"]));
        assert!(bars.contains("cat") && bars.contains("dog"), "{bars}");
        let histogram = plot().histogram("x", &vec![0.0, 0.1, 0.9, 1.0, f64::NAN], 2);
        assert_eq!(histogram.series[0].points, [(0.25, 2.0), (0.75, 2.0)]);
        assert!(svg(histogram).contains("<rect"));
        let log = svg(plot().line("loss", &vec![100.0, 1.0, 0.01, 0.0]).log_y());
        assert!(log.contains("100") && log.contains("0.01"), "{log}");
    }

    #[test]
    fn the_size_is_bounded_whatever_the_data() {
        let wave = |count: usize| (0..count).map(|at| (at as f64 * 0.37).sin()).collect::<Vec<_>>();
        let at = wave(100_000).into_iter().rev().collect::<Vec<_>>();
        let shown = |plot: Plot| {
            let shown = plot.show();
            let svg = shown.get("image/svg+xml").and_then(serde_json::Value::as_str).unwrap();
            assert!(svg.len() < 500_000, "{} bytes: {}", svg.len(), shown.plain());
            (svg.to_owned(), shown.plain().to_owned())
        };
        let (_, whole) = shown(plot().line("b", &wave(1_000_000)));
        assert!(whole.contains("b (1000000 points, the last"), "{whole}");
        let (svg, _) = shown(plot().bars("n", &vec![1.0; 100_000]));
        assert!(!svg.contains("width=\"0\""), "no bar is rounded away");
        let (svg, part) = shown(plot().scatter("s", &wave(100_000), &at));
        assert!(part.contains("s (100000 points, 3000 of them drawn, the last"), "{part}");
        assert!(svg.contains("s (3000 of 100000 points)"), "the legend says it too");
        let (svg, part) = shown(plot().curve("", &at, &wave(100_000)));
        assert!(part.contains("100000 points, 8000 of them drawn"), "{part}");
        assert!(svg.contains("(8000 of 100000 points)"), "a series without a name says it too");
    }

    #[test]
    fn the_legend_stands_where_nothing_is() {
        let falling = vec![vec![(0.0, 1.0), (0.1, 0.9), (0.9, 0.1), (1.0, 0.0)]];
        assert!(matches!(emptiest(&falling, (0.0, 1.0), (0.0, 1.0)), SeriesLabelPosition::UpperRight));
        let rising = vec![vec![(0.0, 0.0), (1.0, 1.0)]];
        assert!(matches!(emptiest(&rising, (0.0, 1.0), (0.0, 1.0)), SeriesLabelPosition::UpperLeft));
    }
}
