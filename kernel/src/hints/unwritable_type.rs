//! A variable whose type later cells can't write.
//!
//! ```text
//! mod parts { mod inner { pub struct Part; } pub fn part() -> inner::Part { inner::Part } }
//! let part = parts::part();
//! part
//! ```

use super::Scene;
use crate::cell::edits::Purpose;
use crate::cell::places::Mapped;
use crate::notebook::variables::State;

/// The type has a path, and it is private: rustc said none for it, or refuses it where the variable is taken.
pub(super) fn advise(scene: &Scene<'_>) -> Vec<String> {
    let advice = |name: &str, type_name: &str| {
        format!("`{name}` has the type {type_name}, whose path later cells can't write: bind what you need of it in its own cell")
    };
    let mut lines = scene.each_missed(|name, state| match state {
        State::Unknown { type_name } => Some(advice(name, type_name)),
        _ => None,
    });
    if scene.error.code() == "E0603" {
        let taken = scene.error.spans.iter().filter(|span| span.is_primary).filter_map(|span| {
            let Mapped::Generated(Purpose::Take(id), ..) = span.mapped(scene.source, &scene.cell.label)? else { return None };
            let name = &scene.variables.get(id)?.name;
            let State::Stored(stored) = &scene.notebook.variables.get(name)?.state else { return None };
            Some(advice(name, &stored.short))
        });
        lines.extend(taken);
    }
    lines
}
