//! Variables: named, mutable state with storage of its own. Tapes watch them by themselves, graphs read and assign them by reference.
//!
//! Every read and assign passes the trace, if one is being built, so that a staged step changes the variable only when its graph has run.

use crate::context::{self, TAPE, TRACE};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind};
use crate::op::Spec;
use crate::shape::Shape;
use crate::tensor::Tensor;
use std::collections::HashMap;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

/// A tensor that can be assigned. Cloning shares it; dtype and shape never change.
///
/// ```
/// use footlight::prelude::*;
/// let w = Variable::new(tensor![1.0, 2.0]).named("w");
/// w.assign_add(&tensor![10.0, 10.0]);
/// assert_eq!((&w * 2.0).to_vec::<f32>(), [22.0, 24.0]);
/// ```
pub struct Variable(ManuallyDrop<Arc<Inner>>);

impl Clone for Variable {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Variable {
    // By hand and not inlined, as for tensors: cells that hold a variable don't compile the drop of all that is inside.
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: dropped once, here; the field is not used again.
        unsafe { ManuallyDrop::drop(&mut self.0) }
    }
}

struct Inner {
    id: u64,
    spec: Spec,
    name: RwLock<Option<String>>,
    value: RwLock<Tensor>,
}

/// Every variable that someone holds, so that a compared cell can start twice from one state.
static LIVE: Mutex<Live> = Mutex::new(Live { variables: Vec::new(), recent: None });

struct Live {
    variables: Vec<Weak<Inner>>,
    /// Variables that were made since the open snapshot, if there is one, with their first values.
    recent: Option<Vec<(Weak<Inner>, Tensor)>>,
}

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every variable that someone holds, with its value.
fn values(live: &Live) -> Vec<(Variable, Tensor)> {
    let held = live.variables.iter().filter_map(Weak::upgrade).map(|inner| Variable(ManuallyDrop::new(inner)));
    held.map(|variable| (variable.clone(), variable.stored())).collect()
}

/// The same known value under a new identity: what a tape knows of `value` is not known of what a variable holds, so that no gradient
/// flows through an assign.
fn detached(value: &Tensor) -> Tensor {
    match value.known() {
        Some(array) => Tensor::from_array(array.clone()),
        None => value.clone(),
    }
}

impl Variable {
    /// A variable that starts with `value`.
    ///
    /// # Panics
    /// With a typed error if a trace has still to compute `value`: a variable needs a first value that is known.
    #[must_use]
    #[track_caller]
    pub fn new(value: impl Into<Tensor>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let value = value.into();
        if value.known().is_none() {
            // A first value that is traced is computed now, in a segment of its own.
            crate::error::OrRaise::or_raise(value.array());
        }
        let value = detached(&value);
        let inner = Arc::new(Inner {
            id: NEXT.fetch_add(1, Relaxed),
            spec: value.spec().clone(),
            name: RwLock::new(None),
            value: RwLock::new(value.clone()),
        });
        let mut live = live();
        if live.variables.len() == live.variables.capacity() {
            live.variables.retain(|weak| weak.strong_count() > 0);
        }
        live.variables.push(Arc::downgrade(&inner));
        if let Some(recent) = &mut live.recent {
            recent.push((Arc::downgrade(&inner), value));
        }
        Self(ManuallyDrop::new(inner))
    }

    /// The same variable, called `name` where it is shown.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        *self.0.name.write().unwrap_or_else(PoisonError::into_inner) = Some(name.into());
        self
    }

    /// Its name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.0.name.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A number that no other variable of this process has.
    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    /// Its dtype and shape.
    #[must_use]
    pub fn spec(&self) -> &Spec {
        &self.0.spec
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.0.spec.shape
    }

    /// Its dtype.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.0.spec.dtype
    }

    /// Its value now: a tensor that later assigns don't change.
    #[must_use]
    #[track_caller]
    pub fn read(&self) -> Tensor {
        let flags = context::flags();
        let value = if flags & TRACE != 0 { crate::stage::variable_read(self) } else { self.stored() };
        if flags & TAPE != 0 {
            crate::tape::note_read(self, &value);
        }
        value
    }

    /// The value in its storage, whatever a trace has assigned meanwhile.
    pub(crate) fn stored(&self) -> Tensor {
        self.0.value.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes the storage; dtype and shape are the caller's care.
    pub(crate) fn store(&self, value: Tensor) {
        *self.0.value.write().unwrap_or_else(PoisonError::into_inner) = value;
    }

    /// Gives it a new value.
    ///
    /// # Panics
    /// With a typed error that names both specs if dtype or shape differ.
    #[track_caller]
    pub fn assign(&self, value: &Tensor) {
        if value.spec() != self.spec() {
            let name = self.name().map_or_else(String::new, |name| format!(" `{name}`"));
            Error::new(ErrorKind::Shape, format!("assign: the variable{name} is {}, the value {}", self.spec(), value.spec()))
                .advise("a variable keeps its dtype and shape; cast or reshape the value, or make a new variable")
                .raise();
        }
        if context::flags() & TRACE != 0 {
            crate::stage::variable_assign(self, value);
        } else {
            crate::error::OrRaise::or_raise(value.array());
            self.store(detached(value));
        }
    }

    /// Adds to it.
    #[track_caller]
    pub fn assign_add(&self, value: &Tensor) {
        self.assign(&self.read().add(value));
    }

    /// Subtracts from it.
    #[track_caller]
    pub fn assign_sub(&self, value: &Tensor) {
        self.assign(&self.read().sub(value));
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name().map_or_else(String::new, |name| format!("{name}: "));
        write!(f, "Variable({name}{:?})", self.stored())
    }
}

/// What stands for a tensor in a computation: a tensor, a variable, which is read, or a number.
///
/// ```
/// use footlight::prelude::*;
/// let (x, w) = (tensor![[1.0, 2.0]], Variable::new(tensor![[3.0], [4.0]]));
/// assert_eq!(x.matmul(&w).to_vec::<f32>(), [11.0]);
/// assert_eq!(x.maximum(1.5).to_vec::<f32>(), [1.5, 2.0]);
/// ```
pub trait Operand {
    /// The tensor; of a number a scalar, f32 or i64.
    fn value(&self) -> Tensor;

    /// The tensor as an operand beside `other`: a number takes the dtype that keeps `other` what it is.
    #[track_caller]
    fn beside(&self, other: &Tensor) -> Tensor {
        let _ = other;
        self.value()
    }
}

impl Operand for Tensor {
    fn value(&self) -> Tensor {
        self.clone()
    }
}

impl Operand for Variable {
    #[track_caller]
    fn value(&self) -> Tensor {
        self.read()
    }
}

impl Operand for f64 {
    fn value(&self) -> Tensor {
        Tensor::scalar(*self, DType::F32)
    }

    fn beside(&self, other: &Tensor) -> Tensor {
        Tensor::scalar(*self, if other.dtype().is_float() { other.dtype() } else { DType::F32 })
    }
}

impl Operand for i64 {
    fn value(&self) -> Tensor {
        Tensor::from_slice(Shape::scalar(), &[*self])
    }

    fn beside(&self, other: &Tensor) -> Tensor {
        if other.dtype().is_float() { Tensor::scalar(*self as f64, other.dtype()) } else { self.value() }
    }
}

impl<T: Operand + ?Sized> Operand for &T {
    #[track_caller]
    fn value(&self) -> Tensor {
        (**self).value()
    }

    #[track_caller]
    fn beside(&self, other: &Tensor) -> Tensor {
        (**self).beside(other)
    }
}

impl From<Variable> for Tensor {
    #[track_caller]
    fn from(variable: Variable) -> Tensor {
        variable.read()
    }
}

impl From<&Tensor> for Tensor {
    fn from(tensor: &Tensor) -> Tensor {
        tensor.clone()
    }
}

/// The values of all variables at one moment, so that a cell can run twice from one state. One snapshot is open at a time.
#[derive(Debug)]
pub struct Snapshot(Vec<(Variable, Tensor)>);

impl Snapshot {
    /// Notes every variable's value. Tensors are shared, so this copies nothing.
    #[must_use]
    pub fn take() -> Self {
        let mut live = live();
        live.recent = Some(Vec::new());
        Self(values(&live))
    }

    /// Variables that have another value now, or were made since, with that value.
    #[must_use]
    pub fn changed(&self) -> Vec<(Variable, Tensor)> {
        let was: HashMap<u64, u64> = self.0.iter().map(|(variable, value)| (variable.id(), value.id())).collect();
        let now = values(&live()).into_iter();
        now.filter(|(variable, value)| was.get(&variable.id()) != Some(&value.id())).collect()
    }

    /// Gives every variable the value that was noted, and one that was made since then (an optimizer's, at its first step) its first.
    pub fn restore(&self) {
        let recent = live().recent.take().unwrap_or_default();
        let recent = recent.into_iter().filter_map(|(weak, value)| Some((Variable(ManuallyDrop::new(weak.upgrade()?)), value)));
        for (variable, value) in self.0.iter().cloned().chain(recent) {
            variable.store(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_tensors_go_to_other_threads() {
        fn assert_send<T: Send + Sync>(_: &T) {}
        let v = Variable::new(Tensor::from_slice([1], &[1f32]));
        assert_send(&v);
        std::thread::scope(|scope| {
            scope.spawn(|| v.assign_add(&Tensor::from_slice([1], &[1f32])));
        });
        assert_eq!(v.read().item::<f32>(), 2.0);
    }

    #[test]
    fn a_variable_does_not_follow_the_tensor_it_was_made_of() {
        let x = Tensor::from_slice([1], &[1f32]);
        let v = Variable::new(x.clone());
        v.assign_add(&x);
        assert_eq!((x.item::<f32>(), v.read().item::<f32>()), (1.0, 2.0));
    }

    #[test]
    fn an_assign_of_another_shape_names_both() {
        let v = Variable::new(Tensor::from_slice([2], &[1f32, 2.])).named("w");
        let error = crate::catch(|| v.assign(&Tensor::from_slice([1], &[1f32]))).unwrap_err();
        assert_eq!(error.message, "assign: the variable `w` is f32[2], the value f32[1]");
        assert_eq!(v.read().to_vec::<f32>(), [1., 2.]);
    }
}
