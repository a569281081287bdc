//! Tensors as pictures: a matrix as a heat map, a batch of matrices as a grid.
//!
//! Values around 0 are drawn from blue over white to orange; values of one sign from dark to light, as a photograph.

use super::colour::Map;
use super::html::png_picture;
use super::numbers::element;
use super::png::Pixels;
use super::summary::Summary;
use super::{Bundle, Show};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, OrRaise};
use crate::tensor::Tensor;

/// Pixels of a picture's side at most; elements are drawn larger while they fit.
const LARGEST: usize = 512;
/// Matrices in a grid at most.
const MOST: usize = 100;
/// Between pictures of a grid.
const GAP: [u8; 3] = [128, 136, 144];

/// A grid of pictures, one for each matrix of a tensor.
#[derive(Clone, Debug)]
pub struct Images {
    values: Vec<f64>,
    count: usize,
    left_out: usize,
    rows: usize,
    columns: usize,
    across: usize,
    summary: Summary,
    dtype: DType,
}

/// The matrices of a tensor of shape `[n, rows, columns]`, or one matrix, as pictures. At most 100 are drawn.
///
/// # Panics
/// With a typed error if it has fewer than two or more than three axes.
#[must_use]
#[track_caller]
pub fn images(tensor: &Tensor) -> Images {
    let shape = tensor.shape();
    let (count, rows, columns) = match shape[..] {
        [rows, columns] => (1, rows, columns),
        [count, rows, columns] => (count, rows, columns),
        _ => Error::new(ErrorKind::Shape, format!("images of a tensor of shape {shape}"))
            .advise("give a matrix, or several as [n, rows, columns]: reshape first")
            .raise(),
    };
    let drawn = count.min(MOST);
    let array = tensor.array().or_raise();
    let all = crate::dtype::with_dtype!(array.dtype(), T => {
        use crate::dtype::Element as _;
        array.to_vec::<T>().into_iter().take(drawn * rows * columns).map(|value| value.to_f64()).collect()
    });
    let summary = Summary::of(array).unwrap_or_default();
    let across = (drawn as f64).sqrt().ceil().max(1.0) as usize;
    Images { values: all, count: drawn, left_out: count - drawn, rows, columns, across, summary, dtype: array.dtype() }
}

impl Images {
    /// How many stand in a row.
    #[must_use]
    pub fn across(self, across: usize) -> Self {
        Self { across: across.max(1), ..self }
    }
}

impl Show for Images {
    fn show(&self) -> Bundle {
        let down = self.count.div_ceil(self.across);
        let side = (self.across * (self.columns + 1)).max(down * (self.rows + 1)).max(1);
        let scale = (LARGEST / side).clamp(1, 16);
        let gap = usize::from(self.count > 1) * scale.min(4);
        let width = self.across * (self.columns * scale + gap) + gap;
        let height = down * (self.rows * scale + gap) + gap;
        let colours = Map::of(self.summary.min, self.summary.max, Map::grey);
        let mut pixels = Pixels::new(width, height, GAP);
        for image in 0..self.count {
            let left = gap + image % self.across * (self.columns * scale + gap);
            let top = gap + image / self.across * (self.rows * scale + gap);
            for (at, &value) in self.values[image * self.rows * self.columns..][..self.rows * self.columns].iter().enumerate() {
                let (row, column) = (at / self.columns * scale, at % self.columns * scale);
                pixels.fill((left + column, top + row), (scale, scale), colours.colour(value));
            }
        }
        let alt = format!(
            "{} picture{} of {} by {} values from {} to {}",
            self.count,
            if self.count == 1 { "" } else { "s" },
            self.rows,
            self.columns,
            element(self.summary.min, self.dtype),
            element(self.summary.max, self.dtype)
        );
        let more = if self.left_out > 0 { format!(", {} more left out", self.left_out) } else { String::new() };
        let bytes = pixels.encode();
        let html = format!("<div>{}<br><small>{alt}{more}</small></div>", png_picture(&bytes, &alt, width as u32));
        Bundle::text(format!("[{alt}{more}]")).html(html).png(&bytes)
    }
}
