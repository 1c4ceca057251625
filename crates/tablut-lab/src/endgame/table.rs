//! The table of one class of material: the known result of every position.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;
use tablut_rules::{Position, Side};

use super::index::{Index, n_images};

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

/// Cells with this value or a larger one are open.
const OPEN: u8 = 1 << 7;

impl Cell {
    /// The slot has no position.
    pub(super) const UNUSED: Cell = Cell(u8::MAX);

    /// The game ends after this number of plies.
    pub(super) fn decided(plies: u32) -> Cell {
        assert!(plies < u32::from(OPEN), "a cell cannot store {plies} plies");
        Cell(plies as u8)
    }

    /// An undecided position. All legal moves before index `first_move` are known to lose.
    pub(super) fn open(first_move: usize) -> Cell {
        assert!(first_move < usize::from(OPEN - 1), "a cell cannot store move {first_move}");
        Cell(OPEN + first_move as u8)
    }

    /// The plies until the game ends, if one side wins.
    pub(super) fn plies(self) -> Option<u32> {
        (self.0 < OPEN).then_some(self.0.into())
    }

    /// The index of the first legal move that is not known to lose. `None` if the position is decided.
    pub(super) fn first_move(self) -> Option<usize> {
        (self.0 >= OPEN && self != Cell::UNUSED).then(|| usize::from(self.0 - OPEN))
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

    /// The value and the number of symmetric images of a slot's position, and the position. `None` if it has none.
    pub(super) fn at(&self, slot: usize) -> Option<(Position, EndgameValue, u64)> {
        let cell = self.cells.get(slot);
        if cell == Cell::UNUSED {
            return None;
        }
        let position = self.index.position(slot)?;
        Some((position, value(cell, position.side_to_move()), n_images(&position)))
    }
}

fn value(cell: Cell, mover: Side) -> EndgameValue {
    match cell.plies() {
        Some(plies) if plies % 2 == 1 => EndgameValue::Win { winner: mover, plies },
        Some(plies) => EndgameValue::Win { winner: mover.opponent(), plies },
        None => EndgameValue::Neither,
    }
}
