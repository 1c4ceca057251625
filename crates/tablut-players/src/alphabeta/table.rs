//! The transposition table: results of earlier searches.

use super::evaluation::WIN_BOUND;
use tablut_rules::Move;

/// The relation of a stored score to the true one.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) enum Bound {
    /// The score itself.
    Exact,
    /// At least the score.
    Lower,
    /// At most the score.
    Upper,
}

#[derive(Copy, Clone)]
struct Slot {
    key: u64,
    mv: Option<Move>,
    score: i16,
    /// Depth searched, plus one. 0 marks an empty slot.
    depth: u8,
    bound: Bound,
}

const EMPTY: Slot = Slot { key: 0, mv: None, score: 0, depth: 0, bound: Bound::Exact };
const _: () = assert!(size_of::<Slot>() == 16);

#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) mv: Option<Move>,
    pub(super) score: i32,
    pub(super) depth: u32,
    pub(super) bound: Bound,
}

/// A table with a fixed number of slots. A deeper or newer entry replaces the old one.
pub(super) struct Table {
    slots: Vec<Slot>,
    bits: u32,
}

impl Table {
    /// A table of `2^bits` slots. Its memory is used only when it is first written.
    pub(super) fn new(bits: u32) -> Self {
        Self { slots: Vec::new(), bits }
    }

    fn index(&self, key: u64) -> usize {
        (key >> (64 - self.bits)) as usize
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(EMPTY);
    }

    /// The entry of the position with hash `key`. Its score is relative to `ply`.
    pub(super) fn look_up(&self, key: u64, ply: i32) -> Option<Entry> {
        let slot = self.slots.get(self.index(key))?;
        (slot.depth > 0 && slot.key == key).then(|| Entry {
            mv: slot.mv,
            score: score_from(i32::from(slot.score), -ply),
            depth: u32::from(slot.depth) - 1,
            bound: slot.bound,
        })
    }

    /// Stores `entry`, unless the slot has a deeper one for the same position.
    pub(super) fn store(&mut self, key: u64, ply: i32, entry: &Entry) {
        if self.slots.is_empty() {
            self.slots = vec![EMPTY; 1 << self.bits];
        }
        let index = self.index(key);
        let slot = &mut self.slots[index];
        let depth = entry.depth.min(254) as u8 + 1;
        if slot.key == key && slot.depth > depth && entry.bound != Bound::Exact {
            return;
        }
        let score = score_from(entry.score, ply) as i16;
        *slot = Slot { key, mv: entry.mv, score, depth, bound: entry.bound };
    }
}

/// The score with `plies` more to a win: wins are stored by their distance from the position, not from the root.
fn score_from(score: i32, plies: i32) -> i32 {
    if score.abs() > WIN_BOUND { score + score.signum() * plies } else { score }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Entry, Table};
    use crate::alphabeta::evaluation::WIN;

    #[test]
    fn moves_survive_storing() {
        let mut table = Table::new(8);
        for text in ["a1-a9", "d1-d3xd4", "i9-a9xa1"] {
            let entry = Entry { mv: Some(text.parse().unwrap()), score: 5, depth: 3, bound: Bound::Exact };
            table.store(77, 0, &entry);
            assert_eq!(table.look_up(77, 0), Some(entry));
        }
    }

    #[test]
    fn wins_are_as_far_as_they_are_from_where_they_are_met() {
        let mut table = Table::new(8);
        assert_eq!(table.look_up(77, 0), None);
        // Found at ply 5: a win three plies later, eight after the root.
        let entry = Entry { mv: None, score: WIN - 8, depth: 3, bound: Bound::Exact };
        table.store(77, 5, &entry);
        assert_eq!(table.look_up(77, 5), Some(entry));
        assert_eq!(table.look_up(77, 1).unwrap().score, WIN - 4);
    }
}
