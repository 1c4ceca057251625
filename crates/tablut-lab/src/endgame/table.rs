//! The table of one class of material: the known result of every position.

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

/// The known result of one slot, in two bytes.
///
/// Only the number of plies is stored. The side to move wins if it is odd and loses if it is even, because the winner
/// makes the last move.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cell(u16);

/// Cells with this value or a larger one are open.
const OPEN: u16 = 1 << 15;

impl Cell {
    /// The slot has no position.
    pub(super) const UNUSED: Cell = Cell(u16::MAX);

    /// The game ends after this number of plies.
    pub(super) fn decided(plies: u32) -> Cell {
        assert!(plies < u32::from(OPEN), "a cell cannot store {plies} plies");
        Cell(plies as u16)
    }

    /// An undecided position. All legal moves before index `first_move` are known to lose.
    pub(super) fn open(first_move: usize) -> Cell {
        assert!(first_move < usize::from(OPEN - 1), "a cell cannot store move {first_move}");
        Cell(OPEN + first_move as u16)
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

/// A class of material, solved or being solved.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) index: Index,
    pub(super) cells: Vec<Cell>,
}

impl Table {
    /// The position's value, or `None` if the class has no such position.
    pub(super) fn value(&self, position: &Position) -> Option<EndgameValue> {
        let cell = self.cells[self.index.slot(position)?];
        Some(value(cell, position.side_to_move()))
    }

    /// Every position up to symmetry, with its value and its number of symmetric images.
    pub(super) fn positions(&self) -> impl Iterator<Item = (Position, EndgameValue, u64)> {
        let used = self.cells.iter().enumerate().filter(|(_, cell)| **cell != Cell::UNUSED);
        used.filter_map(|(slot, cell)| {
            let position = self.index.position(slot)?;
            Some((position, value(*cell, position.side_to_move()), n_images(&position)))
        })
    }
}

fn value(cell: Cell, mover: Side) -> EndgameValue {
    match cell.plies() {
        Some(plies) if plies % 2 == 1 => EndgameValue::Win { winner: mover, plies },
        Some(plies) => EndgameValue::Win { winner: mover.opponent(), plies },
        None => EndgameValue::Neither,
    }
}
