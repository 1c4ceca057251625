//! The solver's results for positions in which its side is to move.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use tablut_rules::Position;

/// What is known about one position under the rules without history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The side wins within this number of plies.
    pub(super) wins_within: Option<u32>,
    /// The side does not win within this number of plies.
    pub(super) open_within: u32,
}

/// The table grows and never removes an entry. The limit on the solver's work also limits the table. It compares whole
/// positions, so two positions are never confused.
#[derive(Debug, Default)]
pub(super) struct Table {
    known: HashMap<Key, Known, BuildHasherDefault<Ready>>,
}

impl Table {
    pub(super) fn known(&self, position: &Position) -> Known {
        self.known.get(&Key(*position)).copied().unwrap_or_default()
    }

    pub(super) fn store(&mut self, position: &Position, known: Known) {
        self.known.insert(Key(*position), known);
    }
}

/// A position with its own hash.
#[derive(Debug, PartialEq, Eq)]
struct Key(Position);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// A hasher for values that already are hashes.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
