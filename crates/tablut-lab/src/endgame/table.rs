//! What is known of every position of one class of material.

use tablut_rules::{Position, Side};

use super::index::{Index, n_images};

/// The result of a position when both sides play best, without repetition and without limits on length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndgameValue {
    /// One side forces a win. It hurries, and the other side delays.
    Win {
        /// The winner.
        winner: Side,
        /// Plies until the game is over, 0 if the side to move has no legal move.
        plies: u32,
    },
    /// Neither side can force a win.
    Neither,
}

/// What is known of one slot, in two bytes.
///
/// Only the number of plies is stored. The side to move wins after an odd number of plies, and loses after an even one:
/// its last move wins, or the opponent's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cell(u16);

/// Cells from here on are open.
const OPEN: u16 = 1 << 15;

impl Cell {
    /// The slot has no position.
    pub(super) const UNUSED: Cell = Cell(u16::MAX);

    /// The game ends after this number of plies.
    ///
    /// # Panics
    /// If there are 32768 plies or more.
    pub(super) fn decided(plies: u32) -> Cell {
        assert!(plies < u32::from(OPEN), "no cell has room for {plies} plies");
        Cell(plies as u16)
    }

    /// Not decided. Of the legal moves, in their order, all before this one are known to lose.
    pub(super) fn open(first_move: usize) -> Cell {
        assert!(first_move < usize::from(OPEN - 1), "no cell has room for move {first_move}");
        Cell(OPEN + first_move as u16)
    }

    /// The plies until the game ends, if one side wins.
    pub(super) fn plies(self) -> Option<u32> {
        (self.0 < OPEN).then_some(self.0.into())
    }

    /// The first legal move that is not known to lose, if neither side is known to win.
    pub(super) fn first_move(self) -> Option<usize> {
        (self.0 >= OPEN && self != Cell::UNUSED).then(|| usize::from(self.0 - OPEN))
    }
}

/// A class of material, solved or being solved.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) index: Index,
    /// By slot.
    pub(super) cells: Vec<Cell>,
}

impl Table {
    /// The position's value, or `None` if the class has no such position.
    pub(super) fn value(&self, position: &Position) -> Option<EndgameValue> {
        let cell = self.cells[self.index.slot(position)?];
        Some(value(cell, position.side_to_move()))
    }

    /// Every position up to symmetry, with its value and the number of positions that it stands for.
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
