//! Statistics of a solved class of material.

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
        let mut summary = Self::default();
        for (position, value, n_images) in table.positions() {
            let counts = &mut summary.to_move[position.side_to_move().index()];
            counts.positions += n_images;
            let EndgameValue::Win { winner, plies } = value else { continue };
            counts.won[winner.index()] += n_images;
            let longest = &mut summary.longest[winner.index()];
            if longest.is_none_or(|(most, _)| plies > most) {
                *longest = Some((plies, position));
            }
        }
        summary
    }

    /// The number of positions with either side to move.
    pub fn positions(&self) -> u64 {
        Side::ALL.iter().map(|side| self.to_move[side.index()].positions).sum()
    }
}
