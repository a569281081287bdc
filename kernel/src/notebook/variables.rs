//! The notebook's variables as the kernel knows them; their values live in the worker.

use std::collections::BTreeMap;

use crate::cell::types::StoredType;

/// Where a variable's value is, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// In the worker's store.
    Stored(StoredType),
    /// In the store, and its type is being asked of rustc.
    Unknown {
        /// What `type_name` calls the type.
        type_name: String,
    },
    /// A closure or another type without a name lived for its cell only.
    Unnameable {
        /// What `type_name` calls the type.
        type_name: String,
    },
    /// It borrowed from another variable and lived for its cell only.
    Borrowed,
    /// The statement that defines it did not run, since one before it failed.
    NotRun {
        /// Its cell, as `In[4]`.
        in_cell: String,
    },
    /// A cell moved its value away.
    Moved {
        /// That cell, as `In[4]`.
        by: String,
    },
    /// The worker that held it died.
    Lost,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Declared `mut`.
    pub mutable: bool,
    /// The cell that defined it, as `In[4]`.
    pub cell: String,
    /// Where its value is.
    pub state: State,
    /// Bytes it holds, where the worker can tell.
    pub bytes: Option<u64>,
    /// A line on its value, where the worker can give one.
    pub summary: Option<String>,
}

/// All variables by name.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    by_name: BTreeMap<String, Variable>,
}

impl Variables {
    /// A variable.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.by_name.get(name)
    }

    /// A variable, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Variable> {
        self.by_name.get_mut(name)
    }

    /// Adds or replaces a variable.
    pub fn set(&mut self, name: impl Into<String>, variable: Variable) {
        self.by_name.insert(name.into(), variable);
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: &str) -> Option<Variable> {
        self.by_name.remove(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Variable)> {
        self.by_name.iter().map(|(name, variable)| (name.as_str(), variable))
    }

    /// The worker died: what it held is lost. Returns the names.
    pub fn lose_all(&mut self) -> Vec<String> {
        let mut lost = Vec::new();
        for (name, variable) in &mut self.by_name {
            if matches!(variable.state, State::Stored(_) | State::Unknown { .. }) {
                variable.state = State::Lost;
                lost.push(name.clone());
            }
        }
        lost
    }
}
