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
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Store {
    /// Takes a variable out; the kernel asks only for those that it was told of.
    pub(crate) fn take(&mut self, name: &str) -> Box<dyn Any> {
        self.variables.remove(name).unwrap_or_else(|| missing(name))
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
