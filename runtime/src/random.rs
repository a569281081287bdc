//! Random numbers: Philox4x32-10, counter-based, with its state in a tensor like any other.
//!
//! The state is two i64: the seed and how many blocks were used. A random op is a pure function of that state; the context's state
//! advances past what an op used. So the same seed gives the same numbers eager and staged, and a graph threads the state as a value.
//!
//! Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

use crate::tensor::Tensor;
use crate::variable::Variable;
use std::cell::RefCell;

/// The state of a thread that never called [`seed`].
const FIRST_SEED: i64 = 0;
/// Numbers made by one block.
pub(crate) const PER_BLOCK: usize = 4;

thread_local! {
    static STATE: RefCell<Option<Variable>> = const { RefCell::new(None) };
}

/// The variable that holds this thread's random state.
#[must_use]
pub fn state() -> Variable {
    STATE.with_borrow_mut(|state| {
        state.get_or_insert_with(|| Variable::new(Tensor::from_slice([2], &[FIRST_SEED, 0])).named("random state")).clone()
    })
}

/// Starts this thread's random numbers anew from `seed`.
#[track_caller]
pub fn seed(seed: i64) {
    state().assign(&Tensor::from_slice([2], &[seed, 0]));
}

/// One block: four random words, of a seed and a counter.
#[must_use]
pub(crate) fn philox(seed: u64, counter: u64) -> [u32; PER_BLOCK] {
    const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
    let mut key = [seed as u32, (seed >> 32) as u32];
    let mut words = [counter as u32, (counter >> 32) as u32, 0, 0];
    for _ in 0..10 {
        let first = u64::from(MULTIPLIERS[0]) * u64::from(words[0]);
        let second = u64::from(MULTIPLIERS[1]) * u64::from(words[2]);
        words =
            [(second >> 32) as u32 ^ words[1] ^ key[0], second as u32, (first >> 32) as u32 ^ words[3] ^ key[1], first as u32];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn philox_gives_the_published_words() {
        // Known answers of Random123 for philox4x32-10 with a zero and an all-ones key and counter of which we use two words each.
        assert_eq!(philox(0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }
}
