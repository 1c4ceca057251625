//! The table of one class of material: the known result of every position.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;
use tablut_rules::{Position, Side};

use super::index::Index;

/// The result of a position when both sides play best, without repetition and without limits on length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndgameValue {
    Win {
        winner: Side,
        /// Plies until the game is over, if the winner plays for the shortest win and the other side for the longest.
        /// It is 0 if the side to move has no legal move.
        plies: u32,
    },
    Neither,
}

/// The known result of one slot, in one byte.
///
/// Only the number of plies is stored. The side to move wins if it is odd and loses if it is even, because the winner
/// makes the last move.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cell(u8);

/// Cells with this value or a larger one are open. The value above it is twice the first move that may hold, and 1 if
/// the position waits for a check.
const OPEN: u8 = 1 << 7;
/// The largest first move that a cell stores.
const MAX_FIRST_MOVE: usize = 62;

impl Cell {
    /// The slot has no position.
    pub(super) const UNUSED: Cell = Cell(u8::MAX);

    /// The game ends after this number of plies.
    pub(super) fn decided(plies: u32) -> Cell {
        assert!(plies < u32::from(OPEN), "a cell cannot store {plies} plies");
        Cell(plies as u8)
    }

    /// An undecided position. All legal moves before index `first_move` are known to lose. If that move may be found to
    /// lose, the position `waits` for a check.
    pub(super) fn open(first_move: usize, waits: bool) -> Cell {
        Cell(OPEN + 2 * first_move.min(MAX_FIRST_MOVE) as u8 + u8::from(waits))
    }

    /// The plies until the game ends, if one side wins.
    pub(super) fn plies(self) -> Option<u32> {
        (self.0 < OPEN).then_some(self.0.into())
    }

    pub(super) fn is_open(self) -> bool {
        self.0 >= OPEN && self != Cell::UNUSED
    }

    /// The index of a legal move of an open position. All moves before it are known to lose.
    pub(super) fn first_move(self) -> usize {
        usize::from((self.0 - OPEN) / 2)
    }

    /// Whether an open position waits for a check.
    pub(super) fn waits(self) -> bool {
        self.0 % 2 == 1
    }
}

/// Cells that several threads read and write.
#[derive(Debug)]
pub(super) struct Cells(Vec<AtomicU8>);

impl Cells {
    /// Unused cells.
    pub(super) fn new(n_cells: usize) -> Self {
        Self((0..n_cells).into_par_iter().map(|_| AtomicU8::new(Cell::UNUSED.0)).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn get(&self, slot: usize) -> Cell {
        Cell(self.0[slot].load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, slot: usize, cell: Cell) {
        self.0[slot].store(cell.0, Ordering::Relaxed);
    }

    /// Decides an open cell, or a decided one that has more plies.
    pub(super) fn lower(&self, slot: usize, plies: u32) {
        self.0[slot].fetch_min(Cell::decided(plies).0, Ordering::Relaxed);
    }

    /// Lets a position wait for a check if it is open. No other thread may decide it meanwhile.
    pub(super) fn let_wait(&self, slot: usize) {
        if self.get(slot).is_open() {
            self.0[slot].fetch_or(1, Ordering::Relaxed);
        }
    }
}

/// A class of material, solved or being solved.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) index: Index,
    pub(super) cells: Cells,
}

impl Table {
    /// The position's value, or `None` if the class has no such position.
    pub(super) fn value(&self, position: &Position) -> Option<EndgameValue> {
        let cell = self.cells.get(self.index.slot(position)?);
        Some(value(cell, position.side_to_move()))
    }

    /// The side to move, the value and the number of symmetric images of a slot's position. `None` if it has none.
    pub(super) fn at(&self, slot: usize) -> Option<(Side, EndgameValue, u64)> {
        let cell = self.cells.get(slot);
        if cell == Cell::UNUSED {
            return None;
        }
        let mover = self.index.side_to_move(slot);
        Some((mover, value(cell, mover), self.index.n_images(slot)))
    }
}

fn value(cell: Cell, mover: Side) -> EndgameValue {
    match cell.plies() {
        Some(plies) if plies % 2 == 1 => EndgameValue::Win { winner: mover, plies },
        Some(plies) => EndgameValue::Win { winner: mover.opponent(), plies },
        None => EndgameValue::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stores_what_is_known_of_a_position() {
        for plies in [0, 1, 127] {
            let cell = Cell::decided(plies);
            assert_eq!((cell.plies(), cell.is_open()), (Some(plies), false));
        }
        for (first_move, waits, stored) in [(0, false, 0), (0, true, 0), (62, true, 62), (200, true, 62)] {
            let cell = Cell::open(first_move, waits);
            assert_eq!((cell.plies(), cell.is_open()), (None, true));
            assert_eq!((cell.first_move(), cell.waits()), (stored, waits));
        }
        assert_eq!((Cell::UNUSED.plies(), Cell::UNUSED.is_open()), (None, false));
    }

    #[test]
    fn only_open_positions_wait() {
        let cells = Cells::new(3);
        cells.set(0, Cell::open(5, false));
        cells.set(1, Cell::decided(4));
        (0..3).for_each(|slot| cells.let_wait(slot));
        assert_eq!([0, 1, 2].map(|slot| cells.get(slot)), [Cell::open(5, true), Cell::decided(4), Cell::UNUSED]);
    }
}
