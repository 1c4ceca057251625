//! The squares in each direction from each square, and the king's paths to the escape squares.

use crate::bitboard::Bitboard;
use crate::board::{Direction, GRID_SQUARES, MAX_DISTANCE, Square};

/// The squares in front of a piece, by direction and square, up to a maximum distance.
#[derive(Clone, Debug)]
pub(crate) struct Rays([[Bitboard; GRID_SQUARES]; 4]);

/// The rays of a piece that moves any distance.
pub(crate) static RAYS: Rays = Rays::new(MAX_DISTANCE);

impl Rays {
    /// The rays of a piece that moves at most `reach` squares.
    pub(crate) const fn new(reach: usize) -> Rays {
        let mut rays = [[Bitboard::EMPTY; GRID_SQUARES]; 4];
        let mut d = 0;
        while d < 4 {
            let mut index = 0;
            while index < GRID_SQUARES {
                let mut square = Square::from_bit(index as u32);
                let mut distance = 0;
                while distance < reach {
                    let Some(next) = square.step(Direction::ALL[d]) else {
                        break;
                    };
                    rays[d][index].insert(next);
                    square = next;
                    distance += 1;
                }
                index += 1;
            }
            d += 1;
        }
        Rays(rays)
    }

    /// The squares in a direction from `square`, without `square` itself.
    #[inline]
    pub(crate) fn ray(&self, square: Square, direction: Direction) -> Bitboard {
        self.0[direction.index()][square.index()]
    }

    /// The squares that a piece can enter in a direction. It stops before the first square of `blocked`, but it enters
    /// that square if it is also in `halting`.
    #[inline]
    pub(crate) fn reached(
        &self,
        square: Square,
        direction: Direction,
        blocked: Bitboard,
        halting: Bitboard,
    ) -> Bitboard {
        let ray = self.ray(square, direction).bits();
        let stops = ray & (blocked | halting).bits();
        // The ray up to and including the nearest stop, or the whole ray if there is none.
        let up_to = match direction {
            Direction::North | Direction::East => stops ^ stops.wrapping_sub(1),
            Direction::South | Direction::West => u128::MAX << (u128::BITS - 1 - (stops | 1).leading_zeros()),
        };
        Bitboard::from_bits(ray & up_to & !blocked.bits())
    }
}

/// The square of a part of a ray that is nearest to the ray's start.
#[inline]
pub(crate) fn nearest(squares: Bitboard, direction: Direction) -> Option<Square> {
    match direction {
        Direction::North | Direction::East => squares.first(),
        Direction::South | Direction::West => squares.last(),
    }
}

/// The king's path from each square to the nearest escape square in each direction, including that square, on a board
/// without other pieces. A path is empty if there is no escape square in the direction.
#[derive(Clone, Debug)]
pub(crate) struct EscapePaths([[Bitboard; 4]; GRID_SQUARES]);

impl EscapePaths {
    /// The paths of a king with these rays. `closed` are the squares that he may not enter in each direction, `halting`
    /// the squares that he may not leave in the same move, and `goals` the escape squares on which he may land.
    pub(crate) fn new(rays: &Rays, closed: [Bitboard; 4], halting: Bitboard, goals: Bitboard) -> EscapePaths {
        let mut paths = [[Bitboard::EMPTY; 4]; GRID_SQUARES];
        for (square, paths) in Square::all().zip(&mut paths) {
            for direction in Direction::ALL {
                let ahead = rays.reached(square, direction, closed[direction.index()], halting);
                if let Some(goal) = nearest(ahead & goals, direction) {
                    paths[direction.index()] = ahead - RAYS.ray(goal, direction);
                }
            }
        }
        EscapePaths(paths)
    }

    #[inline]
    pub(crate) fn paths(&self, square: Square) -> [Bitboard; 4] {
        self.0[square.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_ends_at_the_first_obstacle() {
        let set = |squares: &str| -> Bitboard {
            squares.split_whitespace().map(|s| s.parse::<Square>().expect("a square")).collect()
        };
        let e5 = crate::board::BoardSize::Nine.centre();
        let blocked = set("e7 h5 e1 a5");
        let halting = set("c5 h5");
        let reached = |d| RAYS.reached(e5, d, blocked, halting);
        assert_eq!(reached(Direction::North), set("e6"));
        assert_eq!(reached(Direction::East), set("f5 g5"));
        assert_eq!(reached(Direction::South), set("e4 e3 e2"));
        assert_eq!(reached(Direction::West), set("d5 c5"));
        let short = Rays::new(2);
        assert_eq!(short.ray(e5, Direction::South), set("e4 e3"));
    }
}
