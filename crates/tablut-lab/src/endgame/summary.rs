//! Statistics of a solved class of material.

use rayon::prelude::*;
use tablut_rules::{Position, Side};

use super::table::{EndgameValue, Table};

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct EndgameSummary {
    /// By [`Side::index`] of the side to move.
    pub to_move: [EndgameCounts; 2],
    /// By [`Side::index`] of the winner: the plies of the longest forced win, and a position with it.
    pub longest: [Option<(u32, Position)>; 2],
}

/// Numbers of positions. Symmetric images count as different positions.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct EndgameCounts {
    pub positions: u64,
    /// By [`Side::index`]: positions in which the side forces a win.
    pub won: [u64; 2],
}

impl EndgameCounts {
    /// Positions in which neither side forces a win.
    pub fn neither(&self) -> u64 {
        self.positions - self.won.iter().sum::<u64>()
    }
}

impl EndgameSummary {
    pub(super) fn of(table: &Table) -> Self {
        let slots = 0..table.cells.len();
        slots
            .into_par_iter()
            .filter_map(|slot| table.at(slot))
            .fold(Self::default, Self::with)
            .reduce(Self::default, |a, b| a.and(&b))
    }

    fn with(mut self, (position, value, n_images): (Position, EndgameValue, u64)) -> Self {
        let counts = &mut self.to_move[position.side_to_move().index()];
        counts.positions += n_images;
        if let EndgameValue::Win { winner, plies } = value {
            counts.won[winner.index()] += n_images;
            let longest = &mut self.longest[winner.index()];
            *longest = longer(*longest, Some((plies, position)));
        }
        self
    }

    /// Both together. `other` is of later positions.
    fn and(mut self, other: &Self) -> Self {
        for (counts, more) in self.to_move.iter_mut().zip(&other.to_move) {
            counts.positions += more.positions;
            counts.won.iter_mut().zip(more.won).for_each(|(won, more)| *won += more);
        }
        for (longest, later) in self.longest.iter_mut().zip(other.longest) {
            *longest = longer(*longest, later);
        }
        self
    }

    /// The number of positions with either side to move.
    pub fn positions(&self) -> u64 {
        Side::ALL.iter().map(|side| self.to_move[side.index()].positions).sum()
    }
}

/// The longer win, or the first of two equal ones.
fn longer(first: Option<(u32, Position)>, later: Option<(u32, Position)>) -> Option<(u32, Position)> {
    let plies = |win: Option<(u32, Position)>| win.map(|(plies, _)| plies);
    if plies(later) > plies(first) { later } else { first }
}
