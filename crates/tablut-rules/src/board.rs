//! The geometry of boards: sizes, squares and directions. Only this file knows the sizes.
//!
//! Every board lies in the lower left corner of one grid, so that a square has the same index on all boards.

use std::fmt;
use std::str::FromStr;

/// Number of squares along one side of the grid, which is the largest board.
pub const GRID: usize = 11;

/// Number of squares of the grid.
pub const GRID_SQUARES: usize = GRID * GRID;

/// Longest move on the largest board, in squares.
pub const MAX_DISTANCE: usize = GRID - 1;

/// The number of squares along one side of a board.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum BoardSize {
    /// 7 × 7 squares, Brandubh's board.
    Seven,
    /// 9 × 9 squares, Tablut's board.
    Nine,
    /// 11 × 11 squares, Hnefatafl's board.
    Eleven,
}

impl BoardSize {
    /// All sizes, in the order of their indices.
    pub const ALL: [BoardSize; 3] = [BoardSize::Seven, BoardSize::Nine, BoardSize::Eleven];

    /// The size with this number of squares along one side.
    ///
    /// # Errors
    /// If there is no such board. The error says why.
    pub fn of_width(width: usize) -> Result<BoardSize, BoardSizeError> {
        BoardSize::ALL.into_iter().find(|size| size.width() == width).ok_or(BoardSizeError { width })
    }

    /// 0 for 7 squares, 1 for 9, 2 for 11.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Number of squares along one side: 7, 9 or 11.
    pub const fn width(self) -> usize {
        2 * self.index() + 7
    }

    /// Number of squares on the board.
    pub const fn n_squares(self) -> usize {
        self.width() * self.width()
    }

    /// Longest move, in squares.
    pub const fn max_distance(self) -> usize {
        self.width() - 1
    }

    /// Rounds in which a distance that doubles each time covers the longest move.
    pub(crate) const fn doublings(self) -> u32 {
        self.max_distance().next_power_of_two().trailing_zeros()
    }

    /// The largest number of attackers in a game.
    pub const fn most_attackers(self) -> usize {
        [8, 16, 24][self.index()]
    }

    /// The largest number of defenders in a game, without the king.
    pub const fn most_defenders(self) -> usize {
        self.most_attackers() / 2
    }

    /// The middle square. It is the throne in the rule sets that have one.
    pub const fn centre(self) -> Square {
        Square::new(self.width() / 2, self.width() / 2)
    }

    /// Whether the square lies on the board.
    pub const fn contains(self, square: Square) -> bool {
        square.column() < self.width() && square.row() < self.width()
    }

    /// Whether the square lies on the board's edge (clause C1).
    pub const fn is_edge(self, square: Square) -> bool {
        let (column, row, last) = (square.column(), square.row(), self.width() - 1);
        self.contains(square) && (column == 0 || row == 0 || column == last || row == last)
    }

    /// Whether the square is one of the four corners (clause C1).
    pub const fn is_corner(self, square: Square) -> bool {
        let (column, row, last) = (square.column(), square.row(), self.width() - 1);
        (column == 0 || column == last) && (row == 0 || row == last)
    }

    /// The board's squares, row by row from a1.
    pub fn squares(self) -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..self.n_squares()).map(move |place| self.square(place))
    }

    /// The place of one of the board's squares among [`BoardSize::squares`].
    pub const fn place(self, square: Square) -> usize {
        square.row() * self.width() + square.column()
    }

    /// The square at a place among [`BoardSize::squares`].
    ///
    /// # Panics
    /// If the place is not below [`BoardSize::n_squares`].
    pub const fn square(self, place: usize) -> Square {
        assert!(place < self.n_squares(), "a square outside the board");
        Square::new(place % self.width(), place / self.width())
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0} × {0}", self.width())
    }
}

/// There is no board with this number of squares along one side.
#[derive(Copy, Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "{width} × {width} squares, expected 7 × 7, 9 × 9 or 11 × 11{}",
    if *.width > GRID { ": a set of squares has 128 bits, too few for a larger board" } else { "" }
)]
pub struct BoardSizeError {
    width: usize,
}

/// A square, stored as `row * GRID + column`: a1 is 0, b1 is 1 and k11 is 120.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Square(u8);

impl Square {
    /// The square in `column` (0 is `a`) and `row` (0 is `1`).
    ///
    /// # Panics
    /// If `column` or `row` is not below [`GRID`].
    pub const fn new(column: usize, row: usize) -> Square {
        assert!(column < GRID && row < GRID, "a square outside the grid");
        Square((row * GRID + column) as u8)
    }

    /// The square for the position of a bit that is known to lie in the grid.
    pub(crate) const fn from_bit(index: u32) -> Square {
        debug_assert!((index as usize) < GRID_SQUARES);
        Square(index as u8)
    }

    /// Every square of the grid, row by row from a1.
    pub(crate) fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..GRID_SQUARES as u8).map(Square)
    }

    /// `row * GRID + column`, below [`GRID_SQUARES`]. [`BoardSize::place`] numbers the squares of one board.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, 0 for `a`.
    #[inline]
    pub const fn column(self) -> usize {
        self.0 as usize % GRID
    }

    /// The row, 0 for `1`.
    #[inline]
    pub const fn row(self) -> usize {
        self.0 as usize / GRID
    }

    /// The next square of the grid in a direction, or `None` at its end. On a smaller board the square may lie outside.
    pub const fn step(self, direction: Direction) -> Option<Square> {
        let (column, row) = (self.column(), self.row());
        match direction {
            Direction::North if row + 1 < GRID => Some(Square::new(column, row + 1)),
            Direction::East if column + 1 < GRID => Some(Square::new(column + 1, row)),
            Direction::South if row > 0 => Some(Square::new(column, row - 1)),
            Direction::West if column > 0 => Some(Square::new(column - 1, row)),
            _ => None,
        }
    }

    /// Direction and distance to another square, if both lie in one row or column.
    #[inline]
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

/// The text does not name a square.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text:?} is no square: expected a column letter and a row number, a1 to {}", Square(GRID_SQUARES as u8 - 1))]
pub struct SquareError {
    text: String,
}

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        let error = || SquareError { text: text.chars().take(20).collect() };
        let (letter, digits) = text.split_at_checked(1).ok_or_else(error)?;
        // `parse` alone would also read `+1` and `01`.
        if !digits.starts_with(|digit: char| matches!(digit, '1'..='9')) {
            return Err(error());
        }
        let column = usize::from(letter.as_bytes()[0].wrapping_sub(b'a'));
        let row = digits.parse::<usize>().map_err(|_| error())? - 1;
        if column < GRID && row < GRID { Ok(Square::new(column, row)) } else { Err(error()) }
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
        for (text, index, places) in
            [("a1", 0, [0, 0, 0]), ("b1", 1, [1, 1, 1]), ("a2", 11, [7, 9, 11]), ("g7", 72, [48, 60, 72])]
        {
            let square: Square = text.parse().expect("a square");
            assert_eq!(square.index(), index);
            assert_eq!(square.to_string(), text);
            assert_eq!(BoardSize::ALL.map(|size| size.place(square)), places);
        }
        assert_eq!(BoardSize::ALL.map(|size| size.centre().to_string()), ["d4", "e5", "f6"]);
        let last = |size: BoardSize| size.squares().next_back().map(|square| square.to_string());
        assert_eq!(BoardSize::ALL.map(last), ["g7", "i9", "k11"].map(|text| Some(text.to_owned())));
        for text in ["", "a", "a0", "l1", "a12", "a01", "a+1", "A1", "é", "é1", "e5 ", "a100000000000000000000"] {
            assert!(text.parse::<Square>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn boards_of_other_sizes_are_refused_with_the_reason() {
        for size in BoardSize::ALL {
            assert_eq!(BoardSize::of_width(size.width()), Ok(size));
        }
        let error = |width| BoardSize::of_width(width).expect_err("no board").to_string();
        assert_eq!(error(8), "8 × 8 squares, expected 7 × 7, 9 × 9 or 11 × 11");
        assert!(error(13).ends_with("11 × 11: a set of squares has 128 bits, too few for a larger board"));
    }

    #[test]
    fn steps_end_at_the_edge_and_lead_back() {
        for size in BoardSize::ALL {
            for square in size.squares() {
                let steps = Direction::ALL.map(|d| square.step(d).filter(|next| size.contains(*next)));
                for (direction, step) in Direction::ALL.into_iter().zip(steps) {
                    if let Some(next) = step {
                        assert_eq!(next.step(direction.opposite()), Some(square));
                        assert_eq!(square.line_to(next), Some((direction, 1)));
                    }
                }
                let open = steps.iter().flatten().count();
                assert_eq!(size.is_edge(square), open < 4);
                assert_eq!(size.is_corner(square), open == 2);
            }
        }
    }
}
