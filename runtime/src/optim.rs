//! Optimizers: they change variables by their gradients. What they remember is in variables too, so a step stages like any other code.
//!
//! Must not know: graphs, devices.

pub mod adam;
mod rate;
pub mod sgd;

pub use adam::Adam;
pub use rate::LearningRate;
pub use sgd::Sgd;

use crate::context;
use crate::error::{Error, ErrorKind, Place};
use crate::tape::value_and_grad;
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, PoisonError};

/// A rule that changes variables by their gradients.
///
/// ```
/// use footlight::prelude::*;
/// let w = Variable::new(tensor![5.0]);
/// let sgd = Sgd::new(0.1);
/// for _ in 0..100 {
///     sgd.minimize(|| (&w - 2.0).square().sum(()), &[&w]);
/// }
/// assert!((w.read().item::<f32>() - 2.0).abs() < 1e-3);
/// ```
pub trait Optimizer {
    /// One step by the optimizer's rule, on variables each with its gradient. [`Optimizer::step`] checks and calls it.
    // Without #[track_caller] in its impls: a cell that makes an optimizer a trait object would need a shim that no dylib exports, and
    // not link. The step says which line asked.
    fn apply(&self, pairs: &[(&Variable, &Tensor)]);

    /// One step: changes each variable by its gradient.
    ///
    /// # Panics
    /// With a typed error if there are not as many gradients as variables, or one is not of its variable's dtype and shape.
    #[track_caller]
    fn step<V: Borrow<Variable>>(&self, variables: &[V], gradients: &[Tensor])
    where
        Self: Sized,
    {
        let variables: Vec<&Variable> = variables.iter().map(Borrow::borrow).collect();
        checked_step(self, &variables, gradients);
    }

    /// One step that makes the result of `loss` smaller, or the sum of its elements. Gives the loss before the step.
    ///
    /// # Panics
    /// With a typed error if the loss does not hold floats.
    #[track_caller]
    fn minimize<V: Borrow<Variable>>(&self, loss: impl FnOnce() -> Tensor, variables: &[V]) -> Tensor
    where
        Self: Sized,
    {
        let variables: Vec<&Variable> = variables.iter().map(Borrow::borrow).collect();
        let (loss, gradients) = value_and_grad(loss, &variables);
        checked_step(self, &variables, &gradients);
        loss
    }
}

#[track_caller]
fn checked_step(optimizer: &dyn Optimizer, variables: &[&Variable], gradients: &[Tensor]) {
    let _asked = context::asked_at(Place::caller());
    if variables.len() != gradients.len() {
        Error::new(ErrorKind::Shape, format!("a step with {} variables and {} gradients", variables.len(), gradients.len()))
            .advise("give the gradients of just these variables, in their order")
            .raise();
    }
    for (at, (variable, gradient)) in variables.iter().zip(gradients).enumerate() {
        if variable.spec() != gradient.spec() {
            let name = variable.name().map_or_else(|| format!("variable {at}"), |name| format!("`{name}`"));
            Error::new(ErrorKind::Shape, format!("step: {name} is {}, its gradient {}", variable.spec(), gradient.spec()))
                .advise("give the gradients in the variables' order")
                .raise();
        }
    }
    let pairs: Vec<(&Variable, &Tensor)> = variables.iter().copied().zip(gradients).collect();
    optimizer.apply(&pairs);
}

/// What an optimizer remembers of a variable.
#[derive(Debug)]
pub(crate) struct Memory {
    /// The variable's name.
    pub(crate) variable: String,
    /// As `mean`.
    pub(crate) what: &'static str,
    pub(crate) value: Variable,
}

/// A variable of zeros for each variable that is optimized, made when it is first asked for. Cloning shares them.
struct Slots(ManuallyDrop<Arc<Mutex<HashMap<u64, Variable>>>>);

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} slots", self.0.lock().unwrap_or_else(PoisonError::into_inner).len())
    }
}

impl Default for Slots {
    fn default() -> Self {
        Self(ManuallyDrop::new(Arc::default()))
    }
}

impl Clone for Slots {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Slots {
    // By hand and not inlined, as for tensors: cells that hold an optimizer don't compile the drop of a table.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped once, here; the field is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}

impl Slots {
    /// The slot of a variable.
    fn of(&self, variable: &Variable, name: &str) -> Variable {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots
            .entry(variable.id())
            .or_insert_with(|| {
                let zeros = crate::tensor::create::zeros_of(variable.spec());
                Variable::new(zeros).named(format!("{}/{name}", variable.name().unwrap_or_else(|| "variable".to_owned())))
            })
            .clone()
    }

    /// All of them, which are named `what`, in the order in which they were made.
    fn memory(&self, what: &'static str) -> Vec<Memory> {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut slots: Vec<Variable> = slots.values().cloned().collect();
        slots.sort_by_key(Variable::id);
        let suffix = format!("/{what}");
        let variable = |slot: &Variable| {
            let name = slot.name().unwrap_or_default();
            name.strip_suffix(&suffix).unwrap_or(&name).to_owned()
        };
        slots.into_iter().map(|value| Memory { variable: variable(&value), what, value }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gradient_of_another_shape_names_the_variable() {
        let w = Variable::new(Tensor::from_slice([2], &[1f32, 2.])).named("w");
        let error = crate::catch(|| Sgd::new(0.1).step(&[&w], &[Tensor::from_slice([1], &[1f32])])).unwrap_err();
        assert_eq!(error.message, "step: `w` is f32[2], its gradient f32[1]");
        assert_eq!(error.place.map(|place| (place.file, place.line)), Some((file!(), line!() - 2)));
        assert_eq!(crate::catch(|| Sgd::new(0.1).step(&[&w], &[])).unwrap_err().kind, ErrorKind::Shape);
        assert_eq!(w.read().to_vec::<f32>(), [1., 2.]);
    }

    #[test]
    fn a_steps_ops_have_the_place_of_the_line_that_asked() {
        let w = Variable::new(Tensor::from_slice([1], &[1f32]));
        let adam = Adam::new(0.1);
        let gradient = [Tensor::from_slice([1], &[1f32])];
        let (_, profile) = crate::profile::collect(|| adam.step(&[&w], &gradient));
        let line = line!() - 1;
        assert!(profile.records.len() > 5);
        for record in &profile.records {
            assert_eq!(record.place.map(|place| (place.file, place.line)), Some((file!(), line)), "{record:?}");
        }
    }

    #[test]
    fn a_boxed_optimizer_steps_too() {
        let w = Variable::new(Tensor::from_slice([1], &[1f32]));
        let optimizers: Vec<Box<dyn Optimizer>> = vec![Box::new(Sgd::new(0.5)), Box::new(Adam::new(0.5))];
        for optimizer in &optimizers {
            optimizer.apply(&[(&w, &Tensor::from_slice([1], &[1f32]))]);
        }
        assert!(w.read().item::<f32>().abs() < 1e-6);
    }
}
