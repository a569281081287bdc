//! A tensor: what it is, what its values are like, and the values.

use super::colour::Map;
use super::html::{Align, Table, escape, png_picture, stack};
use super::numbers::{Format, bytes, curve, element, percent, short};
use super::png::Pixels;
use super::summary::Summary;
use super::{Bundle, Show};
use crate::dtype::{DType, with_dtype};
use crate::error::OrRaise as _;
use crate::layout::{Layout, Strides};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;
use crate::tensor::text::{indices, text};
use crate::variable::Variable;

/// More elements than this along an axis of a table are summarised.
const LARGEST_TABLE: usize = 12;
/// Cells of a small heat map along an axis at most; larger matrices are averaged down.
const LARGEST_MAP: usize = 96;
/// Its pixels along the longer axis, roughly.
const MAP_SIDE: usize = 192;

/// The columns and the row of facts that tell of values, not of storage.
pub(super) fn of_values(summary: &Summary, dtype: DType) -> Vec<(&'static str, Align, String)> {
    if dtype == DType::Bool {
        return vec![(
            "true",
            Align::Right,
            format!("{:.0} ({})", summary.mean * summary.elements as f64, percent(summary.mean)),
        )];
    }
    let mut facts = vec![
        ("min", Align::Right, element(summary.min, dtype)),
        ("max", Align::Right, element(summary.max, dtype)),
        ("mean", Align::Right, short(summary.mean)),
        ("std", Align::Right, short(summary.std)),
    ];
    if !summary.bins.is_empty() {
        facts.push(("distribution", Align::Left, curve(&summary.bins)));
    }
    for (name, count) in [("NaN", summary.nan), ("inf", summary.infinite)] {
        if count > 0 {
            facts.push((name, Align::Right, count.to_string()));
        }
    }
    facts
}

/// The facts in one row.
fn facts(name: Option<&str>, array: &Array, summary: Option<&Summary>) -> Table {
    let mut facts = Vec::new();
    if let Some(name) = name {
        facts.push(("variable", Align::Left, name.to_owned()));
    }
    facts.extend([
        ("shape", Align::Left, array.shape().to_string()),
        ("dtype", Align::Left, array.dtype().to_string()),
        ("device", Align::Left, "cpu".to_owned()),
        ("bytes", Align::Right, bytes(array.bytes() as u64)),
    ]);
    if let Some(summary) = summary.filter(|summary| summary.elements > 1) {
        facts.extend(of_values(summary, array.dtype()));
    }
    let columns: Vec<(&str, Align)> = facts.iter().map(|(name, align, _)| (*name, *align)).collect();
    let mut table = Table::new(&columns);
    table.row(facts.into_iter().map(|(_, _, value)| value).collect());
    table
}

/// The last two axes of the first matrix: rows, columns, and their strides. A vector is one row.
fn matrix(array: &Array) -> (usize, usize, isize, isize) {
    let (shape, strides) = (array.shape(), &array.layout().strides);
    match shape.rank() {
        0 => (1, 1, 0, 0),
        1 => (1, shape[0], 0, strides[0]),
        rank => (shape[rank - 2], shape[rank - 1], strides[rank - 2], strides[rank - 1]),
    }
}

/// The values as a table: a vector as one row, a matrix as it is, more axes as their first matrix.
fn values(array: &Array) -> String {
    let rank = array.shape().rank();
    let (rows, columns, down, across) = matrix(array);
    let (shown_rows, shown_columns) = (indices(rows, rows > LARGEST_TABLE), indices(columns, columns > LARGEST_TABLE));
    let index = |at: &Option<usize>| at.map_or_else(|| "…".to_owned(), |at| at.to_string());
    let heads: Vec<String> = shown_columns.iter().map(index).collect();
    let mut names: Vec<(&str, Align)> = if rank > 1 { vec![("", Align::Head)] } else { Vec::new() };
    names.extend(heads.iter().map(|head| (if rank == 0 { "" } else { head.as_str() }, Align::Right)));
    let mut table = Table::new(&names);
    let at = |row: usize, column: usize| {
        let offset = array.layout().offset as isize + row as isize * down + column as isize * across;
        array.view(Layout { shape: Shape::default(), strides: Strides::default(), offset: offset as usize })
    };
    with_dtype!(array.dtype(), T => {
        use crate::dtype::Element as _;
        let shown: Vec<Vec<Option<T>>> = shown_rows
            .iter()
            .map(|row| shown_columns.iter().map(|column| Some(at((*row)?, (*column)?).to_vec::<T>()[0])).collect())
            .collect();
        let format = Format::of(shown.iter().flatten().flatten().map(|value| value.to_f64()));
        let write = |value: &Option<T>| match value {
            Some(value) if array.dtype().is_float() => format.write(value.to_f64()),
            Some(value) => format!("{value:?}"),
            None => "…".to_owned(),
        };
        for (row, cells) in shown_rows.iter().zip(&shown) {
            let head = (rank > 1).then(|| index(row));
            table.row(head.into_iter().chain(cells.iter().map(write)).collect());
        }
    });
    let caption = match rank {
        0..=2 => String::new(),
        _ => {
            let matrices: usize = array.shape()[..rank - 2].iter().product();
            format!("[{}…, …] is the first of {matrices} matrices:", "0, ".repeat(rank - 2))
        }
    };
    format!("{}{}", escape(&caption), table.html())
}

/// A matrix that a table can't hold, as a small heat map; `None` for what a table holds or no map could tell.
fn map(array: &Array, summary: &Summary) -> Option<String> {
    let (rows, columns, down, across) = matrix(array);
    let told = (rows > LARGEST_TABLE || columns > LARGEST_TABLE) && rows.min(columns) > 3;
    if !told || array.dtype() == DType::Bool || !summary.min.is_finite() {
        return None;
    }
    let (high, wide) = (rows.min(LARGEST_MAP), columns.min(LARGEST_MAP));
    let first = array.view(Layout {
        shape: Shape::from([rows, columns]),
        strides: Strides::from_slice(&[down, across]),
        offset: array.layout().offset,
    });
    let (mut sums, mut counts) = (vec![0.0; high * wide], vec![0usize; high * wide]);
    with_dtype!(array.dtype(), T => {
        use crate::dtype::Element as _;
        for (at, value) in first.to_vec::<T>().into_iter().enumerate() {
            let cell = at / columns * high / rows * wide + at % columns * wide / columns;
            sums[cell] += value.to_f64();
            counts[cell] += 1;
        }
    });
    let means: Vec<f64> = sums.iter().zip(&counts).map(|(sum, &count)| sum / count as f64).collect();
    let finite = || means.iter().copied().filter(|mean| mean.is_finite());
    let colours = Map::of(finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max), Map::sequential);
    let scale = (MAP_SIDE / high.max(wide)).clamp(1, 8);
    let mut pixels = Pixels::new(wide * scale, high * scale, [0; 3]);
    for (cell, &mean) in means.iter().enumerate() {
        pixels.fill((cell % wide * scale, cell / wide * scale), (scale, scale), colours.colour(mean));
    }
    let (low, top) = colours.ends();
    let is_averaged = high < rows || wide < columns;
    let averaged = if is_averaged { ", averaged down" } else { "" };
    // A mean of whole numbers need not be whole.
    let end = |value: f64| if is_averaged { short(value) } else { element(value, array.dtype()) };
    let alt = format!("heat map of {rows} by {columns} values{averaged}, colours from {} to {}", end(low), end(top));
    Some(png_picture(&pixels.encode(), &alt, (wide * scale) as u32))
}

/// A tensor's forms; `name` is a variable's.
fn bundle(name: Option<&str>, array: &Array) -> Bundle {
    let title = name.map(|name| format!("variable {name} ")).unwrap_or_default();
    let plain = format!("{title}{}{}\n{}", array.dtype(), array.shape(), text(array));
    let summary = Summary::of(array);
    let mut blocks = vec![facts(name, array, summary.as_ref()).html()];
    match &summary {
        None => blocks.push("no elements".to_owned()),
        Some(summary) => {
            blocks.push(values(array));
            blocks.extend(map(array, summary));
        }
    }
    Bundle::text(plain).html(stack(&blocks))
}

impl Show for Tensor {
    /// # Panics
    /// With the error of the graph that was to compute it: it is the cell's error where the cell's last expression shows the tensor.
    fn show(&self) -> Bundle {
        bundle(None, self.array().or_raise())
    }
}

impl Show for Variable {
    fn show(&self) -> Bundle {
        let name = self.name().unwrap_or_else(|| "unnamed".to_owned());
        bundle(Some(&name), self.read().array().or_raise())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(tensor: &Tensor) -> String {
        tensor.show().get("text/html").and_then(serde_json::Value::as_str).unwrap().to_owned()
    }

    #[test]
    fn a_tensor_says_what_it_is_and_counts_what_is_not_finite() {
        let x = Tensor::from_slice([2, 2], &[1f32, f32::NAN, f32::INFINITY, 3.0]);
        assert_eq!(x.show().plain(), "f32[2, 2]\n[[1.0, NaN],\n [inf, 3.0]]");
        let html = html(&x);
        for part in ["[2, 2]", "f32", "cpu", "16\u{a0}B", ">NaN</th>", ">inf</th>", ">2.0</td>"] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn whole_numbers_and_truths_are_told_as_such() {
        let whole = html(&Tensor::from_slice([3], &[1i64, 2, 11]));
        assert!(whole.contains(">11</td>") && !whole.contains("11.0"), "{whole}");
        let truths = html(&Tensor::from_slice([4], &[true, true, true, false]));
        assert!(truths.contains("3\u{a0}(75\u{a0}%)"), "{truths}");
    }

    #[test]
    fn what_is_shown_of_a_large_tensor_is_bounded() {
        crate::random::seed(1);
        for x in [crate::tensor::create::zeros([1000, 1000]), crate::ops::random::uniform::rand([4, 1000, 1000])] {
            assert!(x.show().plain().len() < 2000, "{}", x.show().plain().len());
            assert!(html(&x).len() < 60_000, "{}", html(&x).len());
        }
    }

    #[test]
    fn every_rank_and_layout_shows() {
        for shape in [vec![], vec![0], vec![3, 0], vec![1, 1, 1], vec![2, 3, 40, 50], vec![1, 5000], vec![5000, 1]] {
            let x = crate::tensor::create::ones(shape.as_slice());
            assert!(!html(&x).is_empty());
        }
        let x = crate::tensor::create::arange(0..2400).reshape([40, 60]).t();
        assert!(html(&x).contains("heat map of 60 by 40"));
    }
}
