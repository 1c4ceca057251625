//! Which attackers reach a square.

use crate::board::{Direction, Square};
use crate::position::Position;
use crate::rays::{RAYS, nearest};
use crate::rules::Rules;
use crate::side::Piece;

impl Rules {
    /// Whether an attacker can move to an empty square.
    pub(super) fn attacker_reaches(&self, position: &Position, to: Square) -> bool {
        let occupied = position.occupied();
        let walk = &self.walks[Piece::Attacker.index()];
        Direction::ALL.into_iter().any(|direction| {
            // Only the first piece in each direction can reach the square.
            nearest(RAYS.from(to, direction) & occupied, direction).is_some_and(|piece| {
                position.attackers().contains(piece)
                    && walk.line(&RAYS, piece, direction.opposite(), occupied).contains(to)
            })
        })
    }
}
