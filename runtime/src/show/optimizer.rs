//! Optimizers: what they are set to, and what they remember of which variable.

use super::html::{Align, Table, stack};
use super::numbers::short;
use super::summary::Summary;
use super::{Bundle, Show};
use crate::optim::{Adam, LearningRate, Memory, Sgd};
use crate::variable::Variable;

/// Rows of what is remembered; what comes after is counted.
const MOST_ROWS: usize = 100;

/// The value of a variable with one element.
fn number(variable: &Variable) -> String {
    variable.stored().array().ok().and_then(Summary::of).map_or_else(|| "–".to_owned(), |summary| short(summary.mean))
}

fn rate(rate: &LearningRate) -> String {
    match rate {
        LearningRate::Fixed(rate) => format!("{rate:?}"),
        LearningRate::Variable(rate) => {
            let name = rate.name().map_or_else(|| "a variable".to_owned(), |name| format!("variable {name}"));
            format!("{}, of {name}", number(rate))
        }
    }
}

fn bundle(name: &str, settings: Vec<(&str, String)>, memory: &[Memory]) -> Bundle {
    let mut told = Table::new(&[("optimizer", Align::Left), (name, Align::Left)]);
    for (setting, value) in settings {
        told.row(vec![setting.to_owned(), value]);
    }
    let mut kept =
        Table::new(&[("variable", Align::Left), ("shape", Align::Left), ("remembers", Align::Left), ("norm", Align::Right)]);
    for Memory { variable, what, value } in memory.iter().take(MOST_ROWS) {
        let stored = value.stored();
        let norm = stored.array().ok().and_then(Summary::of).map_or_else(|| "–".to_owned(), |summary| short(summary.norm));
        kept.row(vec![variable.clone(), value.shape().to_string(), (*what).to_owned(), norm]);
    }
    let (mut text, mut html) = (vec![told.text()], vec![told.html()]);
    if !memory.is_empty() {
        text.push(kept.text());
        html.push(kept.html());
    }
    if memory.len() > MOST_ROWS {
        let rest = format!("… {} more are not shown", memory.len() - MOST_ROWS);
        text.push(rest.clone());
        html.push(rest);
    }
    Bundle::text(text.join("\n\n")).html(stack(&html))
}

impl Show for Adam {
    fn show(&self) -> Bundle {
        let (first, second) = self.decay();
        let settings = vec![
            ("learning rate", rate(self.learning_rate())),
            ("betas", format!("{first:?}, {second:?}")),
            ("epsilon", format!("{:?}", self.divisor())),
            ("steps taken", number(self.steps()).trim_end_matches(".0").to_owned()),
        ];
        bundle("Adam", settings, &self.memory())
    }
}

impl Show for Sgd {
    fn show(&self) -> Bundle {
        let momentum = if self.mass() == 0.0 { "none".to_owned() } else { format!("{:?}", self.mass()) };
        bundle("Sgd", vec![("learning rate", rate(self.learning_rate())), ("momentum", momentum)], &self.memory())
    }
}
