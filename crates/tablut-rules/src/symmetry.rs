//! The eight symmetries of the board. Every rule set is symmetric under all of them.

use crate::bitboard::Bitboard;
use crate::board::{Direction, SIZE, SQUARES, Square};
use crate::moves::Move;
use crate::position::Position;

/// One of the eight symmetries of the board. A transposing symmetry first swaps columns and rows, then flips.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Symmetry {
    /// Leaves everything in place.
    Identity,
    /// Swaps left and right: a1 becomes i1.
    FlipColumns,
    /// Swaps bottom and top: a1 becomes a9.
    FlipRows,
    /// A half turn: a1 becomes i9.
    HalfTurn,
    /// Reflects in the diagonal a1–i9: b1 becomes a2.
    Transpose,
    /// A quarter turn counterclockwise: a1 becomes i1, i1 becomes i9.
    QuarterTurnLeft,
    /// A quarter turn clockwise: a1 becomes a9, a9 becomes i9.
    QuarterTurnRight,
    /// Reflects in the diagonal a9–i1: a1 becomes i9, b1 becomes i8.
    AntiTranspose,
}

/// Index of the image by symmetry and square.
static IMAGES: [[u8; SQUARES]; 8] = images();

const fn images() -> [[u8; SQUARES]; 8] {
    let mut images = [[0; SQUARES]; 8];
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut index = 0;
        while index < SQUARES {
            let (mut column, mut row) = (index % SIZE, index / SIZE);
            if symmetry & 4 != 0 {
                (column, row) = (row, column);
            }
            if symmetry & 1 != 0 {
                column = SIZE - 1 - column;
            }
            if symmetry & 2 != 0 {
                row = SIZE - 1 - row;
            }
            images[symmetry][index] = (row * SIZE + column) as u8;
            index += 1;
        }
        symmetry += 1;
    }
    images
}

impl Symmetry {
    /// All eight, in the order of their indices. The identity is the first.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::FlipColumns,
        Symmetry::FlipRows,
        Symmetry::HalfTurn,
        Symmetry::Transpose,
        Symmetry::QuarterTurnLeft,
        Symmetry::QuarterTurnRight,
        Symmetry::AntiTranspose,
    ];

    /// From 0 for the identity to 7. Bit 0 flips columns, bit 1 flips rows, bit 2 transposes first.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        match self {
            Symmetry::QuarterTurnLeft => Symmetry::QuarterTurnRight,
            Symmetry::QuarterTurnRight => Symmetry::QuarterTurnLeft,
            other => other,
        }
    }

    /// The image of a square.
    pub fn square(self, square: Square) -> Square {
        Square::from_bit(u32::from(IMAGES[self.index()][square.index()]))
    }

    /// The image of a set of squares.
    pub fn bitboard(self, board: Bitboard) -> Bitboard {
        // Most boards are not turned at all.
        if self == Symmetry::Identity {
            return board;
        }
        board.iter().map(|square| self.square(square)).collect()
    }

    /// The image of a position. The side to move does not change.
    pub fn position(self, position: &Position) -> Position {
        Position::assemble(
            self.bitboard(position.attackers()),
            self.bitboard(position.defenders()),
            position.king().map(|square| self.square(square)),
            position.side_to_move(),
        )
    }

    /// The image of a move.
    pub fn mv(self, mv: Move) -> Move {
        Move { from: self.square(mv.from), to: self.square(mv.to), choice: mv.choice.map(|square| self.square(square)) }
    }

    /// The image of a direction.
    pub const fn direction(self, direction: Direction) -> Direction {
        let index = self.index();
        let turned = if index & 4 == 0 {
            direction
        } else {
            match direction {
                Direction::North => Direction::East,
                Direction::East => Direction::North,
                Direction::South => Direction::West,
                Direction::West => Direction::South,
            }
        };
        match turned {
            Direction::East | Direction::West if index & 1 != 0 => turned.opposite(),
            Direction::North | Direction::South if index & 2 != 0 => turned.opposite(),
            _ => turned,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symmetries_are_a_group_of_eight() {
        for s in Symmetry::ALL {
            let image: Vec<Square> = Square::all().map(|q| s.square(q)).collect();
            assert_eq!(image.iter().copied().collect::<Bitboard>(), Bitboard::FULL);
            for square in Square::all() {
                assert_eq!(s.inverse().square(s.square(square)), square);
            }
            for t in Symmetry::ALL {
                let product: Vec<Square> = Square::all().map(|q| t.square(s.square(q))).collect();
                let found = Symmetry::ALL
                    .into_iter()
                    .filter(|u| Square::all().map(|q| u.square(q)).eq(product.iter().copied()));
                assert_eq!(found.count(), 1);
            }
        }
    }

    #[test]
    fn directions_turn_with_the_squares() {
        for s in Symmetry::ALL {
            for square in Square::all() {
                for direction in Direction::ALL {
                    let stepped = square.step(direction).map(|next| s.square(next));
                    assert_eq!(s.square(square).step(s.direction(direction)), stepped);
                }
            }
        }
    }

    #[test]
    fn the_quarter_turns_turn_as_documented() {
        let a1 = Square::new(0, 0);
        assert_eq!(Symmetry::QuarterTurnLeft.square(a1).to_string(), "i1");
        assert_eq!(Symmetry::QuarterTurnRight.square(a1).to_string(), "a9");
        let b1 = Square::new(1, 0);
        assert_eq!(Symmetry::Transpose.square(b1).to_string(), "a2");
        assert_eq!(Symmetry::AntiTranspose.square(b1).to_string(), "i8");
    }
}
