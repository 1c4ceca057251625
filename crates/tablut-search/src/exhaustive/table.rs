//! What the solver knows of positions in which its side is to move.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use tablut_rules::Position;

/// What is known of one position, the rules without history being asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The side wins within so many plies.
    pub(super) wins_within: Option<u32>,
    /// The side does not win within so many plies.
    pub(super) open_within: u32,
}

/// Grows as needed and forgets nothing; the bound on the solver's work bounds it too. Positions are compared whole, so
/// that no two are ever taken for one.
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

/// A position that brings its own hash.
#[derive(Debug, PartialEq, Eq)]
struct Key(Position);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash());
    }
}

/// Takes a hash that is ready.
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
