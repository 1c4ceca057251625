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
        let tally = slots.into_par_iter().fold(Tally::default, |tally, slot| tally.with(table, slot));
        let tally = tally.reduce(Tally::default, |a, b| a.and(&b));
        let position = |(plies, slot)| Some((plies, table.index.position(slot)?));
        Self { to_move: tally.to_move, longest: tally.longest.map(|longest| longest.and_then(position)) }
    }

    /// The number of positions with either side to move.
    pub fn positions(&self) -> u64 {
        Side::ALL.iter().map(|side| self.to_move[side.index()].positions).sum()
    }
}

/// What a summary counts in a range of slots.
#[derive(Default)]
struct Tally {
    to_move: [EndgameCounts; 2],
    /// The plies of the longest win, and its slot.
    longest: [Option<(u32, usize)>; 2],
}

impl Tally {
    fn with(mut self, table: &Table, slot: usize) -> Self {
        let Some((mover, value, n_images)) = table.at(slot) else { return self };
        let counts = &mut self.to_move[mover.index()];
        counts.positions += n_images;
        if let EndgameValue::Win { winner, plies } = value {
            counts.won[winner.index()] += n_images;
            let longest = &mut self.longest[winner.index()];
            *longest = longer(*longest, Some((plies, slot)));
        }
        self
    }

    /// Both together. `other` is of later slots.
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
}

/// The longer win, or the first of two equal ones.
fn longer(first: Option<(u32, usize)>, later: Option<(u32, usize)>) -> Option<(u32, usize)> {
    let plies = |win: Option<(u32, usize)>| win.map(|(plies, _)| plies);
    if plies(later) > plies(first) { later } else { first }
}
