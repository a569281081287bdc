//! What a tape lets go of: ops whose results nobody holds, and no kept op used. A tape in a variable of a notebook would otherwise hold on to
//! all that is computed after it.

use super::Tape;
use crate::tensor::Tensor;
use std::collections::{HashMap, HashSet};

/// As many entries as are never worth a look.
pub(super) const FIRST: usize = 4096;

impl Tape {
    /// Lets go of what nobody can ask for, each time that the entries have doubled.
    pub(super) fn prune_if_due(&self) {
        if self.entries.borrow().len() >= self.prune_at.get() {
            self.prune();
            self.prune_at.set(FIRST.max(2 * self.entries.borrow().len()));
        }
    }

    fn prune(&self) {
        let mut entries = self.entries.borrow_mut();
        let mut held: HashMap<u64, usize> = HashMap::new();
        for tensor in entries.iter().flat_map(|entry| entry.inputs.iter().chain(&entry.outputs)) {
            *held.entry(tensor.id()).or_default() += 1;
        }
        let held_elsewhere = |tensor: &Tensor| tensor.holders() > held.get(&tensor.id()).copied().unwrap_or_default();
        let mut needed: HashSet<u64> = HashSet::new();
        let mut tracked = self.tracked.borrow_mut();
        // Let go of at the end, since the count of holders is that of all entries.
        let (mut kept, mut gone) = (Vec::with_capacity(entries.len()), Vec::new());
        for entry in entries.drain(..).rev() {
            if entry.outputs.iter().any(|output| needed.contains(&output.id()) || held_elsewhere(output)) {
                needed.extend(entry.inputs.iter().map(Tensor::id));
                kept.push(entry);
            } else {
                entry.outputs.iter().for_each(|output| {
                    tracked.remove(&output.id());
                });
                gone.push(entry);
            }
        }
        kept.reverse();
        *entries = kept;
    }
}
