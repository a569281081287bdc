//! Optimizers: they change variables by their gradients. What they remember is in variables too, so a step stages like any other code.
//!
//! Must not know: graphs, devices.

mod adam;
mod sgd;

pub use adam::Adam;
pub use sgd::Sgd;

use crate::error::{Error, ErrorKind};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A rule that changes variables by their gradients.
pub trait Optimizer {
    /// Changes one variable.
    #[doc(hidden)]
    fn update(&self, variable: &Variable, gradient: &Tensor);

    /// Called once before a step's updates.
    #[doc(hidden)]
    fn begin_step(&self) {}

    /// One step: changes each variable by its gradient.
    ///
    /// # Panics
    /// With a typed error if there are not as many gradients as variables.
    #[track_caller]
    fn step(&self, variables: &[&Variable], gradients: &[Tensor]) {
        if variables.len() != gradients.len() {
            Error::new(ErrorKind::Shape, format!("a step with {} variables and {} gradients", variables.len(), gradients.len()))
                .advise("give the gradients of just these variables, in their order")
                .raise();
        }
        self.begin_step();
        for (variable, gradient) in variables.iter().zip(gradients) {
            self.update(variable, gradient);
        }
    }
}

/// A variable of zeros for each variable that is optimized, made when it is first asked for. Cloning shares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots(Arc<Mutex<HashMap<u64, Variable>>>);

impl Slots {
    /// The slot of a variable.
    pub(crate) fn of(&self, variable: &Variable, name: &str) -> Variable {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots
            .entry(variable.id())
            .or_insert_with(|| {
                let zeros = crate::tensor::create::zeros_of(variable.spec());
                Variable::new(zeros).named(format!("{}/{name}", variable.name().unwrap_or_else(|| "variable".to_owned())))
            })
            .clone()
    }
}
