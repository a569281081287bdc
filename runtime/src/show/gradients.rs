//! Gradients, and lists of tensors in general: one row each, so that one that vanishes, explodes or is not finite stands out.

use super::html::{Align, Table, stack};
use super::numbers::{curve, element, short};
use super::summary::Summary;
use super::{Bundle, Show};
use crate::storage::Array;
use crate::tensor::Tensor;
use crate::variable::Variable;

/// Gradients beside the variables that they are of.
#[derive(Clone, Debug)]
pub struct Gradients {
    rows: Vec<(Variable, Tensor)>,
}

/// Gradients beside their variables, with the size of each against its variable's: a step of much more than a hundredth of a variable
/// often diverges, one of much less than a millionth does nothing.
///
/// ```
/// use footlight::prelude::*;
/// let w = Variable::new(tensor![1.0, 2.0]).named("w");
/// let (_, grads) = value_and_grad(|| (&w * &w).sum(()), &[&w]);
/// assert!(gradients(&[&w], &grads).show().plain().contains("w"));
/// ```
///
/// # Panics
/// With a typed error if there are not as many gradients as variables.
#[must_use]
#[track_caller]
pub fn gradients(variables: &[&Variable], gradients: &[Tensor]) -> Gradients {
    if variables.len() != gradients.len() {
        crate::error::Error::new(
            crate::error::ErrorKind::Value,
            format!("{} variables and {} gradients", variables.len(), gradients.len()),
        )
        .advise("give the variables that the gradients were taken of, in the same order")
        .raise();
    }
    Gradients { rows: variables.iter().map(|&variable| variable.clone()).zip(gradients.iter().cloned()).collect() }
}

/// Columns that tell of a tensor's values.
const OF_VALUES: [(&str, Align); 7] = [
    ("norm", Align::Right),
    ("min", Align::Right),
    ("max", Align::Right),
    ("mean", Align::Right),
    ("distribution", Align::Left),
    ("NaN", Align::Right),
    ("inf", Align::Right),
];

fn of_values(array: &Array) -> Vec<String> {
    let Some(summary) = Summary::of(array) else {
        // Without elements there is no least one, and no 0 either.
        return ["–", "–", "–", "–", "", "", ""].map(str::to_owned).to_vec();
    };
    let count = |count: usize| if count > 0 { count.to_string() } else { String::new() };
    vec![
        short(summary.norm),
        element(summary.min, array.dtype()),
        element(summary.max, array.dtype()),
        short(summary.mean),
        curve(&summary.bins),
        count(summary.nan),
        count(summary.infinite),
    ]
}

/// Rows of one table; what comes after is counted.
const MOST_ROWS: usize = 200;

/// The table of the first of `count` things.
fn bundle(table: Table, count: usize, things: &str) -> Bundle {
    let table = table.compact();
    let (text, html) = (table.text(), table.html());
    if count <= MOST_ROWS {
        return Bundle::text(text).html(format!("<div>{html}</div>"));
    }
    let rest = format!("… {} {things} more are not shown", count - MOST_ROWS);
    Bundle::text(format!("{text}\n{rest}")).html(stack(&[html, rest]))
}

impl Show for Gradients {
    fn show(&self) -> Bundle {
        let mut columns = vec![("gradient of", Align::Left), ("shape", Align::Left)];
        columns.extend(OF_VALUES);
        columns.push(("norm / variable's", Align::Right));
        let mut table = Table::new(&columns);
        for (variable, gradient) in self.rows.iter().take(MOST_ROWS) {
            let Ok(array) = gradient.array() else { continue };
            let norm = |array: &Array| Summary::of(array).map_or(0.0, |summary| summary.norm);
            let part = variable.stored().array().map(|value| norm(array) / norm(value)).unwrap_or(f64::NAN);
            let mut row = vec![variable.name().unwrap_or_else(|| "unnamed".to_owned()), array.shape().to_string()];
            row.extend(of_values(array));
            row.push(short(part));
            table.row(row);
        }
        bundle(table, self.rows.len(), "gradients")
    }
}

impl Show for [Tensor] {
    fn show(&self) -> Bundle {
        let mut columns = vec![("", Align::Head), ("shape", Align::Left), ("dtype", Align::Left)];
        columns.extend(OF_VALUES);
        let mut table = Table::new(&columns);
        for (number, tensor) in self.iter().take(MOST_ROWS).enumerate() {
            let Ok(array) = tensor.array() else { continue };
            let mut row = vec![number.to_string(), array.shape().to_string(), array.dtype().to_string()];
            row.extend(of_values(array));
            table.row(row);
        }
        bundle(table, self.len(), "tensors")
    }
}

impl Show for Vec<Tensor> {
    fn show(&self) -> Bundle {
        self.as_slice().show()
    }
}

impl<const N: usize> Show for [Tensor; N] {
    fn show(&self) -> Bundle {
        self.as_slice().show()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gradient_stands_beside_its_variable() {
        let w = Variable::new(Tensor::from_slice([2], &[3f32, 4.])).named("w");
        let shown = gradients(&[&w], &[Tensor::from_slice([2], &[0.3f32, f32::NAN])]).show();
        let row = shown.plain().lines().nth(1).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(row, "w [2] 0.3 0.3 0.3 0.3 1 0.06");
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let list = vec![Tensor::from_slice([1], &[3f32]); 5000];
        let shown = list.show();
        assert!(shown.plain().ends_with("\n… 4800 tensors more are not shown"), "{}", shown.plain());
        let html = shown.get("text/html").and_then(serde_json::Value::as_str).unwrap();
        assert!(html.contains("… 4800 tensors more are not shown") && html.len() < 150_000, "{}", html.len());
        assert!(!list[..200].show().plain().contains("not shown"));
    }

    #[test]
    fn as_many_gradients_as_variables() {
        let w = Variable::new(Tensor::from_slice([1], &[3f32]));
        let error = crate::catch(|| gradients(&[&w], &[])).unwrap_err();
        assert_eq!(error.message, "1 variables and 0 gradients");
    }
}
