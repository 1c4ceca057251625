//! The king's escape routes, and immediate wins.

use crate::bitboard::Bitboard;
use crate::board::Direction;
use crate::position::Position;
use crate::rays::RAYS;
use crate::rules::Rules;
use crate::side::{Piece, Side};

impl Rules {
    /// The squares that the king could move to on the defenders' turn. There are none once he is captured or has
    /// escaped.
    #[must_use]
    pub fn king_moves(&self, position: &Position) -> Bitboard {
        self.king_lines(position).into_iter().fold(Bitboard::EMPTY, |all, line| all | line)
    }

    /// The number of escape routes (rulebook C11), from 0 to 4. A route is a direction in which the king could move to
    /// an escape square on the defenders' turn. One route is *raichi*, two or more are *tuichi*. It is 0 once the king
    /// is captured or has escaped.
    #[must_use]
    pub fn routes(&self, position: &Position) -> u32 {
        self.king_lines(position).into_iter().map(|line| u32::from(line.intersects(self.escapes))).sum()
    }

    /// The squares that the king passes and lands on along his escape routes. Each route ends at its nearest escape
    /// square.
    #[must_use]
    pub fn route_squares(&self, position: &Position) -> Bitboard {
        let mut squares = Bitboard::EMPTY;
        let Some(king) = position.king() else {
            return squares;
        };
        for (direction, line) in Direction::ALL.into_iter().zip(self.king_lines(position)) {
            let goals = line & self.escapes;
            let nearest = match direction {
                Direction::North | Direction::East => goals.first(),
                Direction::South | Direction::West => goals.last(),
            };
            if let Some(goal) = nearest {
                squares |= RAYS.from(king, direction) - RAYS.from(goal, direction);
            }
        }
        squares
    }

    fn king_lines(&self, position: &Position) -> [Bitboard; 4] {
        match position.king() {
            Some(king) if !self.escapes.contains(king) => self.targets(Piece::King, king, position.occupied()),
            _ => [Bitboard::EMPTY; 4],
        }
    }

    /// Whether a side could win at once by the king's capture or escape (rulebook C7) if it were to move. It is false
    /// for both sides if the position is already decided.
    #[must_use]
    pub fn wins_at_once(&self, position: &Position, side: Side) -> bool {
        let Some(king) = position.king() else {
            return false;
        };
        if self.escapes.contains(king) {
            return false;
        }
        if side == Side::Defenders {
            return self.routes(position) > 0;
        }
        let occupied = position.occupied();
        let gaps = Bitboard::of(king).neighbours() - occupied;
        gaps.iter().any(|gap| {
            self.king_falls(position, king, gap) && self.reaches(Piece::Attacker, position.attackers(), occupied, gap)
        })
    }
}
