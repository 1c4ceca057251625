//! The king's escape routes, and immediate wins.

use crate::bitboard::Bitboard;
use crate::board::{Direction, Square};
use crate::position::Position;
use crate::rays::{RAYS, nearest};
use crate::rules::Rules;
use crate::side::{Piece, Side};

impl Rules {
    /// The squares that the king could move to on the defenders' turn. There are none once he is captured or has
    /// escaped.
    pub fn king_moves(&self, position: &Position) -> Bitboard {
        match position.king() {
            Some(king) if !self.escapes.contains(king) => {
                let lines = self.targets(Piece::King, king, position.occupied());
                lines.into_iter().fold(Bitboard::EMPTY, |all, line| all | line)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// The number of escape routes (clause C11), from 0 to 4. A route is a direction in which the king could move to
    /// an escape square on the defenders' turn. One route is *raichi*, two or more are *tuichi*. It is 0 once the king
    /// is captured or has escaped.
    pub fn routes(&self, position: &Position) -> u32 {
        self.open_paths(position).map(|path| u32::from(!path.is_empty())).into_iter().sum()
    }

    /// The squares that the king passes and lands on along his escape routes. Each route ends at its nearest escape
    /// square.
    pub fn route_squares(&self, position: &Position) -> Bitboard {
        self.open_paths(position).into_iter().fold(Bitboard::EMPTY, |all, path| all | path)
    }

    /// The king's path to the nearest escape square in each direction, if no piece stands on it.
    fn open_paths(&self, position: &Position) -> [Bitboard; 4] {
        match position.king() {
            Some(king) if !self.escapes.contains(king) => {
                let occupied = position.occupied();
                self.escape_paths.paths(king).map(|path| if path.intersects(occupied) { Bitboard::EMPTY } else { path })
            }
            _ => [Bitboard::EMPTY; 4],
        }
    }

    /// Whether a side could win at once by the king's capture or escape (clause C7) if it were to move. It is false
    /// for both sides if the position is already decided.
    pub fn wins_at_once(&self, position: &Position, side: Side) -> bool {
        let (Some(king), None) = (position.king(), self.decided(position)) else {
            return false;
        };
        if side == Side::Defenders {
            return self.routes(position) > 0;
        }
        let gaps = self.falling_gaps(position, king);
        gaps.iter().any(|gap| self.attacker_reaches(position, gap))
    }

    pub(super) fn attacker_reaches(&self, position: &Position, to: Square) -> bool {
        let occupied = position.occupied();
        let walk = &self.walks[Piece::Attacker.index()];
        Direction::ALL.into_iter().any(|direction| {
            // Only the first piece in each direction can reach the square.
            nearest(RAYS.ray(to, direction) & occupied, direction).is_some_and(|piece| {
                position.attackers().contains(piece)
                    && walk.line(&RAYS, piece, direction.opposite(), occupied).contains(to)
            })
        })
    }
}
