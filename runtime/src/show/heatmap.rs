//! A matrix as a heat map with axes and a scale: values around 0 from blue over white to orange, values of one sign in viridis.

use super::colour::{Map, NOT_FINITE, hex, ink};
use super::html::{picture, png_data};
use super::numbers::{Format, element, tick};
use super::png::Pixels;
use super::svg::{NEUTRAL, Svg};
use super::{Bundle, Show};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, OrRaise};
use crate::tensor::Tensor;

/// Pixels of the field's longer side, roughly.
const SIDE: f64 = 384.0;
/// Cells along an axis at most; a larger matrix must be reduced by the user, who knows how.
const MOST: usize = 1024;
/// Up to so many cells along both axes each says its number.
const NUMBERED: usize = 12;
/// Width of the scale and of what stands beside it.
const SCALE: (f64, f64) = (14.0, 70.0);

/// A heat map in the making; as a cell's last expression it draws itself.
#[derive(Clone, Debug)]
pub struct Heatmap {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
    dtype: DType,
    title: String,
    axes: (String, String),
    names: Option<(Vec<String>, Vec<String>)>,
}

/// A matrix as a heat map; a vector is one row.
///
/// # Panics
/// With a typed error if the tensor has not one or two axes, or has an axis of 0 or of more than 1024.
#[must_use]
#[track_caller]
pub fn heatmap(tensor: &Tensor) -> Heatmap {
    let refuse =
        |advice: &str| Error::new(ErrorKind::Shape, format!("heatmap of a tensor of shape {}", tensor.shape())).advise(advice);
    let (rows, columns) = match tensor.shape()[..] {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => refuse("give a matrix: reshape, or slice").raise(),
    };
    if rows == 0 || columns == 0 || rows > MOST || columns > MOST {
        refuse("an axis has from 1 to 1024 elements: slice, or take means first").raise();
    }
    let array = tensor.array().or_raise();
    let values = crate::dtype::with_dtype!(array.dtype(), T => {
        use crate::dtype::Element as _;
        array.to_vec::<T>().into_iter().map(|value| value.to_f64()).collect()
    });
    Heatmap { rows, columns, values, dtype: array.dtype(), title: String::new(), axes: Default::default(), names: None }
}

impl Heatmap {
    /// The text above.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// What goes down and what goes across, as `labels("truth", "guess")`.
    #[must_use]
    pub fn labels(self, down: impl Into<String>, across: impl Into<String>) -> Self {
        Self { axes: (down.into(), across.into()), ..self }
    }

    /// Names of the rows and of the columns, in place of their numbers.
    #[must_use]
    pub fn names(self, rows: &[&str], columns: &[&str]) -> Self {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self { names: Some((owned(rows), owned(columns))), ..self }
    }

    fn finite(&self) -> impl Iterator<Item = f64> {
        self.values.iter().copied().filter(|value| value.is_finite())
    }

    fn colours(&self) -> Map {
        let (low, high) =
            self.finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high { Map::sequential(0.0, 1.0) } else { Map::of(low, high, Map::sequential) }
    }

    /// The names along an axis: given ones, or numbers at round steps.
    fn ticks(&self, given: Option<&Vec<String>>, count: usize, cell: f64) -> Vec<(usize, String)> {
        if let Some(names) = given {
            return names.iter().take(count).cloned().enumerate().collect();
        }
        let step = [1usize, 2, 5, 10, 20, 50, 100, 200].into_iter().find(|&step| step as f64 * cell >= 28.0).unwrap_or(500);
        (0..count).step_by(step).map(|at| (at, at.to_string())).collect()
    }

    fn svg(&self, alt: &str) -> (String, u32) {
        let colours = self.colours();
        let longest = self.rows.max(self.columns);
        let cell = (SIDE / longest as f64).min(44.0);
        let numbered = longest <= NUMBERED;
        let names = self.names.as_ref();
        let down = self.ticks(names.map(|names| &names.0), self.rows, cell);
        let across = self.ticks(names.map(|names| &names.1), self.columns, cell);
        let letters = down.iter().map(|(_, name)| name.chars().count()).max().unwrap_or(1);
        let left = 14.0 + 6.5 * letters as f64 + if self.axes.0.is_empty() { 0.0 } else { 20.0 };
        let top = if self.title.is_empty() { 6.0 } else { 30.0 };
        let (wide, high) = (cell * self.columns as f64, cell * self.rows as f64);
        let bottom = 22.0 + if self.axes.1.is_empty() { 0.0 } else { 18.0 };
        let width = left + wide + 18.0 + SCALE.0 + SCALE.1;
        let height = top + high.max(64.0) + bottom;
        let mut svg = Svg::new(width, height, alt);
        if !self.title.is_empty() {
            svg.text((left + wide / 2.0, 18.0), 14.0, NEUTRAL, &self.title);
        }
        if numbered {
            let format = Format::of(self.values.iter().copied());
            for (at, &value) in self.values.iter().enumerate() {
                let colour = colours.colour(value);
                let (x, y) = (left + (at % self.columns) as f64 * cell, top + (at / self.columns) as f64 * cell);
                svg.cell((x, y), (cell, cell), &hex(colour));
                let number = if self.dtype.is_float() { format.write(value) } else { element(value, self.dtype) };
                let size = (1.55 * cell / number.chars().count().max(3) as f64).clamp(7.0, 13.0);
                svg.text((x + cell / 2.0, y + cell / 2.0 + size * 0.35), size, ink(colour), &number);
            }
        } else {
            let scale = (cell as usize).max(1);
            let mut pixels = Pixels::new(self.columns * scale, self.rows * scale, [0; 3]);
            for (at, &value) in self.values.iter().enumerate() {
                pixels.fill((at % self.columns * scale, at / self.columns * scale), (scale, scale), colours.colour(value));
            }
            svg.image((left, top), (wide, high), &png_data(&pixels.encode()));
        }
        for (at, name) in &down {
            svg.text_end((left - 6.0, top + (*at as f64 + 0.5) * cell + 4.0), 11.0, NEUTRAL, name);
        }
        for (at, name) in &across {
            svg.text((left + (*at as f64 + 0.5) * cell, top + high + 15.0), 11.0, NEUTRAL, name);
        }
        svg.text((left + wide / 2.0, top + high + 34.0), 12.0, NEUTRAL, &self.axes.1);
        svg.text_up((14.0, top + high / 2.0), 12.0, NEUTRAL, &self.axes.0);
        self.scale(&mut svg, colours, (left + wide + 18.0, top), high.max(64.0));
        (svg.finish(), width.ceil() as u32)
    }

    /// The scale: colours from the highest value to the lowest, with numbers.
    fn scale(&self, svg: &mut Svg, colours: Map, (left, top): (f64, f64), high: f64) {
        const STEPS: usize = 48;
        let (low, highest) = colours.ends();
        for step in 0..STEPS {
            let value = highest + (low - highest) * (step as f64 + 0.5) / STEPS as f64;
            let step_high = high / STEPS as f64;
            // A little taller than its share, so that no seam shows between two.
            svg.cell((left, top + step as f64 * step_high), (SCALE.0, step_high + 0.5), &hex(colours.colour(value)));
        }
        for (part, value) in [(0.0, highest), (0.5, f64::midpoint(low, highest)), (1.0, low)] {
            let y = top
                + part * high
                + if part == 0.0 {
                    9.0
                } else if part == 1.0 {
                    0.0
                } else {
                    4.0
                };
            svg.text_start((left + SCALE.0 + 5.0, y), 11.0, NEUTRAL, &tick(value, highest - low));
        }
        if self.values.iter().any(|value| !value.is_finite()) {
            svg.cell((left, top + high + 8.0), (SCALE.0, 10.0), &hex(NOT_FINITE));
            svg.text_start((left + SCALE.0 + 5.0, top + high + 17.0), 11.0, NEUTRAL, "not finite");
        }
    }
}

impl Show for Heatmap {
    fn show(&self) -> Bundle {
        let (low, high) = self.finite().fold((f64::NAN, f64::NAN), |(low, high), value| (low.min(value), high.max(value)));
        let title = if self.title.is_empty() { String::new() } else { format!(" {}", self.title) };
        let alt = format!(
            "heat map{title} of {} by {} values from {} to {}",
            self.rows,
            self.columns,
            element(low, self.dtype),
            element(high, self.dtype)
        );
        let (svg, width) = self.svg(&alt);
        Bundle::text(format!("[{alt}]")).html(picture(&svg, &alt, width)).svg(svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(shown: &Heatmap) -> String {
        shown.show().get("image/svg+xml").and_then(serde_json::Value::as_str).unwrap().to_owned()
    }

    #[test]
    fn a_small_one_says_its_numbers_and_names() {
        let counts = Tensor::from_slice([2, 2], &[5i64, 1, 0, 7]);
        let svg = svg(&heatmap(&counts).labels("truth", "guess").names(&["cat", "dog"], &["cat", "dog"]));
        for part in [">5<", ">7<", ">truth<", ">guess<"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert_eq!(svg.matches(">cat<").count(), 2);
    }

    #[test]
    fn a_large_one_is_one_image() {
        let svg = svg(&heatmap(&crate::tensor::create::zeros([200, 300])));
        assert_eq!(svg.matches("<image").count(), 1);
        assert!(svg.len() < 20_000, "{}", svg.len());
    }

    #[test]
    fn what_it_cannot_draw_is_refused_with_the_way_out() {
        let error = crate::catch(|| heatmap(&crate::tensor::create::zeros([2, 2, 2]))).unwrap_err();
        assert_eq!(error.message, "heatmap of a tensor of shape [2, 2, 2]");
        assert!(crate::catch(|| heatmap(&crate::tensor::create::zeros([0, 2]))).is_err());
        assert!(!heatmap(&Tensor::from_slice([1], &[f32::NAN])).show().plain().is_empty());
    }
}
