//! Perft counts move sequences. It is the standard test and benchmark of move generators.

use std::ops::ControlFlow;

use crate::moves::{Move, MoveList};
use crate::position::Position;
use crate::rules::Rules;

impl Rules {
    /// The number of legal move sequences of exactly `depth` plies. Sequences in which the game ends earlier are not
    /// counted. Repetition and ply limits are ignored. The last ply is counted but not played.
    #[must_use]
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => u64::from(self.count_legal_moves(position)),
            _ => {
                let mut total = 0;
                let _ = self.visit_moves(position, |mv| {
                    let applied = self.apply(position, mv);
                    if applied.winner.is_none() {
                        total += self.perft(&applied.position, depth - 1);
                    }
                    ControlFlow::Continue(())
                });
                total
            }
        }
    }

    /// The number of sequences of `depth` plies that begin with each legal move, in move order.
    #[must_use]
    pub fn perft_divide(&self, position: &Position, depth: u32) -> Vec<(Move, u64)> {
        let Some(rest) = depth.checked_sub(1) else {
            return Vec::new();
        };
        let mut moves = MoveList::new();
        self.legal_moves(position, &mut moves);
        let count = |mv: &Move| {
            let applied = self.apply(position, *mv);
            let counted = if rest == 0 {
                1
            } else if applied.winner.is_some() {
                0
            } else {
                self.perft(&applied.position, rest)
            };
            (*mv, counted)
        };
        moves.iter().map(count).collect()
    }
}
