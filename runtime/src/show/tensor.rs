//! A tensor: what it is, what its values are like, and the values.

use super::html::{Align, Table, bytes};
use super::{Bundle, Show};
use crate::dtype::with_dtype;
use crate::layout::{Layout, Strides};
use crate::shape::Shape;
use crate::storage::Array;
use crate::tensor::Tensor;
use crate::tensor::text::{element, indices, text};
use crate::variable::Variable;

/// More elements than this along an axis of a table are summarised.
const LARGEST_TABLE: usize = 12;

/// What a tensor's values are like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) mean: f64,
    pub(crate) nan: usize,
    pub(crate) infinite: usize,
}

impl Summary {
    /// Over the finite values; `None` without any element.
    pub(crate) fn of(array: &Array) -> Option<Self> {
        with_dtype!(array.dtype(), T => {
            use crate::dtype::Element as _;
            let values: Vec<f64> = array.to_vec::<T>().into_iter().map(|value| value.to_f64()).collect();
            let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
            let nan = values.iter().filter(|value| value.is_nan()).count();
            (!values.is_empty()).then(|| Self {
                min: finite.iter().copied().fold(f64::INFINITY, f64::min),
                max: finite.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                mean: finite.iter().sum::<f64>() / finite.len().max(1) as f64,
                nan,
                infinite: values.len() - finite.len() - nan,
            })
        })
    }
}

/// A number of a summary: four significant digits.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() { "–".to_owned() } else { element(value) }
}

/// The facts in one row.
fn facts(array: &Array) -> Table {
    let mut columns = vec![("shape", Align::Left), ("dtype", Align::Left), ("device", Align::Left), ("bytes", Align::Right)];
    let mut row = vec![array.shape().to_string(), array.dtype().to_string(), "cpu".to_owned(), bytes(array.bytes() as u64)];
    if let Some(summary) = Summary::of(array).filter(|_| array.shape().rank() > 0) {
        columns.extend([("min", Align::Right), ("max", Align::Right), ("mean", Align::Right)]);
        row.extend([short(summary.min), short(summary.max), short(summary.mean)]);
        for (name, count) in [("NaN", summary.nan), ("inf", summary.infinite)] {
            if count > 0 {
                columns.push((name, Align::Right));
                row.push(count.to_string());
            }
        }
    }
    let mut table = Table::new(&columns);
    table.row(row);
    table
}

/// The values as a table: a vector as one row, a matrix as it is, more axes as their first matrix.
fn values(array: &Array) -> String {
    let rank = array.shape().rank();
    let (rows, columns) = match rank {
        0 => (1, 1),
        1 => (1, array.shape()[0]),
        _ => (array.shape()[rank - 2], array.shape()[rank - 1]),
    };
    let (shown_rows, shown_columns) = (indices(rows, rows > LARGEST_TABLE), indices(columns, columns > LARGEST_TABLE));
    let heads: Vec<(&str, Align)> = shown_columns.iter().map(|_| ("", Align::Right)).collect();
    let mut table = Table::new(&heads);
    let strides = &array.layout().strides;
    let (down, across) = match rank {
        0 => (0, 0),
        1 => (0, strides[0]),
        _ => (strides[rank - 2], strides[rank - 1]),
    };
    for row in shown_rows {
        let cells = shown_columns.iter().map(|column| match (row, column) {
            (Some(row), Some(column)) => {
                let offset = array.layout().offset as isize + row as isize * down + *column as isize * across;
                let one = array.view(Layout { shape: Shape::default(), strides: Strides::default(), offset: offset as usize });
                with_dtype!(one.dtype(), T => element(one.to_vec::<T>()[0]))
            }
            _ => "…".to_owned(),
        });
        table.row(cells.collect());
    }
    let html = table.html();
    if rank > 2 { format!("the first of {} matrices:{html}", array.shape()[..rank - 2].iter().product::<usize>()) } else { html }
}

fn bundle(kind: &str, array: &Array) -> Bundle {
    let facts = facts(array);
    let title = if kind.is_empty() { String::new() } else { format!("{kind} ") };
    let plain = format!("{title}{}{}\n{}", array.dtype(), array.shape(), text(array));
    let empty = array.shape().elements() == 0;
    let values = if empty { "no elements".to_owned() } else { values(array) };
    Bundle::text(plain).html(format!("<div>{}{}{values}</div>", super::html::escape(&title), facts.html()))
}

impl Show for Tensor {
    fn show(&self) -> Bundle {
        match self.array() {
            Ok(array) => bundle("", array),
            Err(error) => Bundle::text(format!("a tensor of {} without a value: {error}", self.spec())),
        }
    }
}

impl Show for Variable {
    fn show(&self) -> Bundle {
        let name = self.name().map_or_else(|| "variable".to_owned(), |name| format!("variable {name}"));
        match self.read().array() {
            Ok(array) => bundle(&name, array),
            Err(error) => Bundle::text(format!("{name}: {error}")),
        }
    }
}

/// A list of tensors, such as gradients: one row each.
impl Show for [Tensor] {
    fn show(&self) -> Bundle {
        let mut table = Table::new(&[
            ("", Align::Right),
            ("shape", Align::Left),
            ("dtype", Align::Left),
            ("norm", Align::Right),
            ("min", Align::Right),
            ("max", Align::Right),
            ("mean", Align::Right),
            ("NaN", Align::Right),
        ]);
        for (number, tensor) in self.iter().enumerate() {
            let Ok(array) = tensor.array() else { continue };
            let summary = Summary::of(array).unwrap_or_default();
            let norm = with_dtype!(array.dtype(), T => {
                use crate::dtype::Element as _;
                array.to_vec::<T>().into_iter().map(|value| value.to_f64().powi(2)).sum::<f64>().sqrt()
            });
            table.row(vec![
                number.to_string(),
                array.shape().to_string(),
                array.dtype().to_string(),
                short(norm),
                short(summary.min),
                short(summary.max),
                short(summary.mean),
                summary.nan.to_string(),
            ]);
        }
        Bundle::text(table.text()).html(table.html())
    }
}

impl Show for Vec<Tensor> {
    fn show(&self) -> Bundle {
        self.as_slice().show()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_says_what_it_is_and_counts_what_is_not_finite() {
        let x = Tensor::from_slice([2, 2], &[1f32, f32::NAN, f32::INFINITY, 3.0]);
        let shown = x.show();
        assert_eq!(shown.plain(), "f32[2, 2]\n[[1.0, NaN],\n [inf, 3.0]]");
        let html = shown.get("text/html").and_then(serde_json::Value::as_str).unwrap();
        for part in ["[2, 2]", "f32", "cpu", "16\u{a0}B", "<th style=\"text-align:right\">NaN</th>", "2.0"] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn what_is_shown_of_a_large_tensor_is_bounded() {
        let x = crate::tensor::create::zeros([1000, 1000]);
        let shown = x.show();
        assert!(shown.plain().len() < 1000, "{}", shown.plain().len());
        assert!(shown.get("text/html").and_then(serde_json::Value::as_str).unwrap().len() < 10_000);
    }
}
