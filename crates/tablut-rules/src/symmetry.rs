//! The eight symmetries of the board. Every rule set is symmetric under all of them.

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Direction, GRID, GRID_SQUARES, Square};
use crate::moves::Move;
use crate::position::Position;

/// One of the eight symmetries of a board. A transposing symmetry first swaps columns and rows, then flips. The examples
/// are those of 9 × 9 squares.
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

/// Index of the image by board size, symmetry and square.
static IMAGES: [[[u8; GRID_SQUARES]; 8]; 3] =
    [images(BoardSize::Seven), images(BoardSize::Nine), images(BoardSize::Eleven)];

const fn images(size: BoardSize) -> [[u8; GRID_SQUARES]; 8] {
    let mut images = [[0; GRID_SQUARES]; 8];
    let last = size.width() - 1;
    let mut symmetry = 0;
    while symmetry < 8 {
        let mut place = 0;
        while place < size.n_squares() {
            let square = size.square(place);
            let (mut column, mut row) = (square.column(), square.row());
            if symmetry & 4 != 0 {
                (column, row) = (row, column);
            }
            if symmetry & 1 != 0 {
                column = last - column;
            }
            if symmetry & 2 != 0 {
                row = last - row;
            }
            images[symmetry][square.index()] = (row * GRID + column) as u8;
            place += 1;
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

    /// The image of one of the squares of a board.
    pub fn square(self, size: BoardSize, square: Square) -> Square {
        Square::from_bit(u32::from(IMAGES[size.index()][self.index()][square.index()]))
    }

    /// The image of a set of squares of a board.
    pub fn bitboard(self, size: BoardSize, board: Bitboard) -> Bitboard {
        // Most boards are not turned at all.
        if self == Symmetry::Identity {
            return board;
        }
        board.iter().map(|square| self.square(size, square)).collect()
    }

    /// The image of a position. The side to move does not change.
    pub fn position(self, position: &Position) -> Position {
        let size = position.size();
        Position::assemble(
            size,
            self.bitboard(size, position.attackers()),
            self.bitboard(size, position.defenders()),
            position.king().map(|square| self.square(size, square)),
            position.side_to_move(),
        )
    }

    /// The image of a move on a board.
    pub fn mv(self, size: BoardSize, mv: Move) -> Move {
        let image = |square| self.square(size, square);
        Move { from: image(mv.from), to: image(mv.to), choice: mv.choice.map(image) }
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
        for size in BoardSize::ALL {
            for s in Symmetry::ALL {
                let image: Vec<Square> = size.squares().map(|q| s.square(size, q)).collect();
                assert_eq!(image.iter().copied().collect::<Bitboard>(), size.board());
                for square in size.squares() {
                    assert_eq!(s.inverse().square(size, s.square(size, square)), square);
                }
                for t in Symmetry::ALL {
                    let product: Vec<Square> = size.squares().map(|q| t.square(size, s.square(size, q))).collect();
                    let found = Symmetry::ALL
                        .into_iter()
                        .filter(|u| size.squares().map(|q| u.square(size, q)).eq(product.iter().copied()));
                    assert_eq!(found.count(), 1);
                }
            }
        }
    }

    #[test]
    fn directions_turn_with_the_squares() {
        for (size, s) in BoardSize::ALL.into_iter().flat_map(|size| Symmetry::ALL.map(|s| (size, s))) {
            let step = |square: Square, direction| square.step(direction).filter(|next| size.contains(*next));
            for square in size.squares() {
                for direction in Direction::ALL {
                    let stepped = step(square, direction).map(|next| s.square(size, next));
                    assert_eq!(step(s.square(size, square), s.direction(direction)), stepped);
                }
            }
        }
    }

    #[test]
    fn the_quarter_turns_turn_as_documented() {
        let image = |s: Symmetry, square| s.square(BoardSize::Nine, square).to_string();
        let a1 = Square::new(0, 0);
        assert_eq!(image(Symmetry::QuarterTurnLeft, a1), "i1");
        assert_eq!(image(Symmetry::QuarterTurnRight, a1), "a9");
        let b1 = Square::new(1, 0);
        assert_eq!(image(Symmetry::Transpose, b1), "a2");
        assert_eq!(image(Symmetry::AntiTranspose, b1), "i8");
    }
}
