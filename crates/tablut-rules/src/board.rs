//! The board's geometry: squares and directions. Only this file contains the size of the board.

use std::fmt;
use std::str::FromStr;

/// Number of squares along one side of the board.
pub const SIZE: usize = 9;

/// Number of squares on the board.
pub const SQUARES: usize = SIZE * SIZE;

/// Longest move, in squares.
pub const MAX_DISTANCE: usize = SIZE - 1;

/// Number of attackers at the start.
pub const N_ATTACKERS: usize = 16;

/// Number of defenders at the start, without the king.
pub const N_DEFENDERS: usize = 8;

/// The start position's board, rows from the top (clause C2).
pub(crate) const START_ROWS: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3";

/// The middle square, e5. It is the throne in the rule sets that have one.
pub const CENTRE: Square = Square::new(SIZE / 2, SIZE / 2);

/// A square of the board, stored as `row * SIZE + column`: a1 is 0, b1 is 1 and i9 is 80.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Square(u8);

impl Square {
    /// The square in `column` (0 is `a`) and `row` (0 is `1`).
    ///
    /// # Panics
    /// If `column` or `row` is not below [`SIZE`].
    pub const fn new(column: usize, row: usize) -> Square {
        assert!(column < SIZE && row < SIZE, "a square outside the board");
        Square((row * SIZE + column) as u8)
    }

    /// The square with an index, or `None` if the index is [`SQUARES`] or more.
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < SQUARES { Some(Square(index as u8)) } else { None }
    }

    /// The square for the position of a bit that is known to lie on the board.
    pub(crate) const fn from_bit(index: u32) -> Square {
        debug_assert!((index as usize) < SQUARES);
        Square(index as u8)
    }

    /// Every square, row by row from a1.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..SQUARES as u8).map(Square)
    }

    /// `row * SIZE + column`, below [`SQUARES`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, 0 for `a`.
    pub const fn column(self) -> usize {
        self.0 as usize % SIZE
    }

    /// The row, 0 for `1`.
    pub const fn row(self) -> usize {
        self.0 as usize / SIZE
    }

    /// The next square in a direction, or `None` at the edge of the board.
    pub const fn step(self, direction: Direction) -> Option<Square> {
        let (column, row) = (self.column(), self.row());
        match direction {
            Direction::North if row + 1 < SIZE => Some(Square::new(column, row + 1)),
            Direction::East if column + 1 < SIZE => Some(Square::new(column + 1, row)),
            Direction::South if row > 0 => Some(Square::new(column, row - 1)),
            Direction::West if column > 0 => Some(Square::new(column - 1, row)),
            _ => None,
        }
    }

    /// Whether the square lies on the board's edge (clause C1).
    pub const fn is_edge(self) -> bool {
        let (column, row) = (self.column(), self.row());
        column == 0 || row == 0 || column == SIZE - 1 || row == SIZE - 1
    }

    /// Whether the square is one of the four corners (clause C1).
    pub const fn is_corner(self) -> bool {
        let (column, row) = (self.column(), self.row());
        (column == 0 || column == SIZE - 1) && (row == 0 || row == SIZE - 1)
    }

    /// Direction and distance to another square, if both lie in one row or column.
    pub const fn line_to(self, to: Square) -> Option<(Direction, usize)> {
        let (c0, r0, c1, r1) = (self.column(), self.row(), to.column(), to.row());
        if c0 == c1 && r1 > r0 {
            Some((Direction::North, r1 - r0))
        } else if r0 == r1 && c1 > c0 {
            Some((Direction::East, c1 - c0))
        } else if c0 == c1 && r1 < r0 {
            Some((Direction::South, r0 - r1))
        } else if r0 == r1 && c1 < c0 {
            Some((Direction::West, c0 - c1))
        } else {
            None
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column() as u8), self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text does not name a square of the board.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text:?} is no square: expected a column letter and a row number, a1 to {}", Square(SQUARES as u8 - 1))]
pub struct SquareError {
    text: String,
}

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        let error = || SquareError { text: text.chars().take(20).collect() };
        let &[letter, digit] = text.as_bytes() else {
            return Err(error());
        };
        let column = usize::from(letter.wrapping_sub(b'a'));
        let row = usize::from(digit.wrapping_sub(b'1'));
        if column < SIZE && row < SIZE { Ok(Square::new(column, row)) } else { Err(error()) }
    }
}

/// A direction along a row or a column. The board is seen with a1 at the bottom left.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Direction {
    /// To the next higher row number.
    North,
    /// To the next higher column.
    East,
    /// To the next lower row number.
    South,
    /// To the next lower column.
    West,
}

impl Direction {
    /// The four directions, in the order of their indices.
    pub const ALL: [Direction; 4] = [Direction::North, Direction::East, Direction::South, Direction::West];

    /// 0 for north, 1 for east, 2 for south, 3 for west.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opposite direction.
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::East => Direction::West,
            Direction::South => Direction::North,
            Direction::West => Direction::East,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_along_the_rows() {
        for (text, index) in [("a1", 0), ("b1", 1), ("a2", 9), ("e5", 40), ("i9", 80)] {
            let square: Square = text.parse().expect("a square");
            assert_eq!(square.index(), index);
            assert_eq!(square.to_string(), text);
        }
        assert_eq!(CENTRE.to_string(), "e5");
        for text in ["", "a", "a0", "j1", "a10", "A1", "é", "e5 "] {
            assert!(text.parse::<Square>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn steps_end_at_the_edge_and_lead_back() {
        for square in Square::all() {
            let steps = Direction::ALL.map(|d| square.step(d));
            for (direction, step) in Direction::ALL.into_iter().zip(steps) {
                if let Some(next) = step {
                    assert_eq!(next.step(direction.opposite()), Some(square));
                    assert_eq!(square.line_to(next), Some((direction, 1)));
                }
            }
            let open = steps.iter().flatten().count();
            assert_eq!(square.is_edge(), open < 4);
            assert_eq!(square.is_corner(), open == 2);
        }
    }
}
