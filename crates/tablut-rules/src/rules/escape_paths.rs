//! The king's ways to the escape squares, from every square.

use crate::bitboard::Bitboard;
use crate::board::{Direction, SQUARES, Square};
use crate::rays::{RAYS, Rays, nearest};

/// The king's way from each square to the nearest escape square in each direction, including that square, on a board
/// without other pieces. It is empty if the direction leads to none.
#[derive(Clone, Debug)]
pub(super) struct EscapePaths([[Bitboard; 4]; SQUARES]);

impl EscapePaths {
    /// The ways of a king with these rays. `closed` are the squares that he may not enter in each direction, `halting`
    /// those that he may not leave in the same move, and `goals` the escape squares on which he may land.
    pub(super) fn new(rays: &Rays, closed: [Bitboard; 4], halting: Bitboard, goals: Bitboard) -> EscapePaths {
        let mut paths = [[Bitboard::EMPTY; 4]; SQUARES];
        for (square, paths) in Square::all().zip(&mut paths) {
            for direction in Direction::ALL {
                let ahead = rays.reached(square, direction, closed[direction.index()], halting);
                if let Some(goal) = nearest(ahead & goals, direction) {
                    paths[direction.index()] = ahead - RAYS.from(goal, direction);
                }
            }
        }
        EscapePaths(paths)
    }

    #[inline]
    pub(super) fn from(&self, square: Square) -> [Bitboard; 4] {
        self.0[square.index()]
    }
}
