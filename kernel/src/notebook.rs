//! The kernel's memory of the notebook: which items and variables later cells may use, and what was run before.

pub mod history;
pub mod variables;

use crate::cell::items::Items;

/// What is defined and stored.
#[derive(Clone, Debug, Default)]
pub struct Notebook {
    /// Items and `use` lines.
    pub items: Items,
    /// Variables.
    pub variables: variables::Variables,
}
