//! The variables of the notebook, under their names and types.

use crate::tensor::Tensor;
use footlight_channel::Event;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

/// Variables between cells. They stay on the thread that runs cells, so they need not be `Send`.
#[derive(Default)]
pub struct Store {
    variables: BTreeMap<String, Box<dyn Any>>,
    /// While a staged cell runs, the tensors that it took: one that it binds anew has no value until its graph has run.
    taken: Option<BTreeMap<String, Tensor>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Store {
    /// Takes a variable out; the kernel asks only for those that it was told of.
    pub(crate) fn take(&mut self, name: &str) -> Box<dyn Any> {
        let value = self.variables.remove(name).unwrap_or_else(|| missing(name));
        if let (Some(taken), Some(tensor)) = (&mut self.taken, value.downcast_ref::<Tensor>()) {
            taken.insert(name.to_owned(), tensor.clone());
        }
        value
    }

    /// From now on notes the tensors that are taken, for [`Store::end_staged`].
    pub(crate) fn begin_staged(&mut self) {
        self.taken = Some(BTreeMap::new());
    }

    /// Gives back the old value of each tensor that the staged cell bound anew and whose graph did not get that far.
    pub(crate) fn end_staged(&mut self) {
        for (name, old) in self.taken.take().unwrap_or_default() {
            if self.tensor(&name).is_some_and(|new| new.known().is_none()) {
                self.put(&name, Box::new(old), std::any::type_name::<Tensor>());
            }
        }
    }

    /// A variable, left where it is.
    pub(crate) fn get(&self, name: &str) -> &dyn Any {
        &**self.variables.get(name).unwrap_or_else(|| missing(name))
    }

    /// A variable that is a tensor.
    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        self.variables.get(name)?.downcast_ref::<Tensor>().cloned()
    }

    /// Puts a variable in, in place of one of the same name, and tells the kernel its type.
    pub(crate) fn put(&mut self, name: &str, value: Box<dyn Any>, type_name: &str) {
        let summary = super::summary::of(&*value);
        drop_quietly(self.variables.insert(name.to_owned(), value));
        super::output::send(&Event::Stored { name: name.to_owned(), type_name: type_name.to_owned(), summary });
    }

    /// Drops variables.
    pub(crate) fn forget(&mut self, names: &[String]) {
        for name in names {
            drop_quietly(self.variables.remove(name));
        }
    }
}

/// Drops a value whose destructor may panic; the notebook goes on without it.
fn drop_quietly(value: Option<Box<dyn Any>>) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(value)));
}

#[cold]
fn missing(name: &str) -> ! {
    panic!("the variable `{name}` is not in the store: please report this cell and restart the kernel")
}
