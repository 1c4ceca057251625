//! Sets of squares as bits of a `u128`.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Sub};

use crate::board::{BoardSize, Direction, GRID, GRID_SQUARES, Square};

const FULL: u128 = (1 << GRID_SQUARES) - 1;
/// The squares of column `a`.
const FIRST_COLUMN: u128 = column_bits(0);
const LAST_COLUMN: u128 = column_bits(GRID - 1);
/// The squares that a step in each direction can reach. A step to the north, for example, never reaches row 1.
pub(crate) const STEPPED: [u128; 4] =
    [FULL & !((1 << GRID) - 1), FULL & !FIRST_COLUMN, FULL >> GRID, FULL & !LAST_COLUMN];
/// The squares that have a neighbour on both sides in their row.
pub(crate) const INNER_COLUMNS: u128 = FULL & !FIRST_COLUMN & !LAST_COLUMN;

const fn column_bits(column: usize) -> u128 {
    let mut bits = 0;
    let mut row = 0;
    while row < GRID {
        bits |= 1 << (row * GRID + column);
        row += 1;
    }
    bits
}

/// A set of squares. Bit `i` stands for the square with index `i`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Default)]
pub struct Bitboard(u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square of the grid, also those outside a smaller board.
    pub(crate) const FULL: Bitboard = Bitboard(FULL);

    /// The set with the given bits. Bits outside the grid are dropped.
    pub const fn from_bits(bits: u128) -> Bitboard {
        Bitboard(bits & FULL)
    }

    /// The set as bits. No bit outside the grid is set.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The set that holds one square.
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// The set of the grid's squares for which `test` holds.
    pub fn where_square(test: impl FnMut(&Square) -> bool) -> Bitboard {
        Square::all().filter(test).collect()
    }

    /// Whether the square belongs to the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 == 1
    }

    /// Adds a square.
    pub const fn insert(&mut self, square: Square) {
        self.0 |= 1 << square.index();
    }

    /// Removes a square.
    pub const fn remove(&mut self, square: Square) {
        self.0 &= !(1 << square.index());
    }

    /// Number of squares.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two sets have a square in common.
    pub const fn intersects(self, other: Bitboard) -> bool {
        self.0 & other.0 != 0
    }

    /// The square with the lowest index.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bit(self.0.trailing_zeros())) }
    }

    /// The square with the highest index.
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bit(u128::BITS - 1 - self.0.leading_zeros())) }
    }

    /// The squares from the lowest index to the highest.
    pub const fn iter(self) -> Squares {
        Squares(self)
    }

    /// Every square moved by one step. Squares that would leave the grid are dropped.
    #[must_use]
    pub const fn shifted(self, direction: Direction) -> Bitboard {
        Bitboard(match direction {
            Direction::North => self.0 << GRID & FULL,
            Direction::East => self.0 << 1 & FULL & !FIRST_COLUMN,
            Direction::South => self.0 >> GRID,
            Direction::West => self.0 >> 1 & !LAST_COLUMN,
        })
    }

    /// Every square of the grid next to a square of the set, along a row or a column.
    #[must_use]
    pub const fn neighbours(self) -> Bitboard {
        Bitboard(
            self.shifted(Direction::North).0
                | self.shifted(Direction::East).0
                | self.shifted(Direction::South).0
                | self.shifted(Direction::West).0,
        )
    }
}

/// The board, the edge and the corners of each size. Rules ask for them at every move.
const AREAS: [[Bitboard; 3]; 3] = {
    let mut areas = [[Bitboard::EMPTY; 3]; 3];
    let mut i = 0;
    while i < areas.len() {
        let size = BoardSize::ALL[i];
        let mut place = 0;
        while place < size.n_squares() {
            let square = size.square(place);
            areas[i][0].insert(square);
            if size.is_edge(square) {
                areas[i][1].insert(square);
            }
            if size.is_corner(square) {
                areas[i][2].insert(square);
            }
            place += 1;
        }
        i += 1;
    }
    areas
};

impl BoardSize {
    /// The board's squares.
    pub const fn board(self) -> Bitboard {
        AREAS[self.index()][0]
    }

    /// The squares of the edge (clause C1).
    pub const fn edge(self) -> Bitboard {
        AREAS[self.index()][1]
    }

    /// The four corners (clause C1).
    pub const fn corners(self) -> Bitboard {
        AREAS[self.index()][2]
    }
}

/// The squares of a [`Bitboard`], from the lowest index to the highest.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        let first = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(first)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl DoubleEndedIterator for Squares {
    fn next_back(&mut self) -> Option<Square> {
        let last = self.0.last()?;
        self.0.remove(last);
        Some(last)
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for square in squares {
            set.insert(square);
        }
        set
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

macro_rules! operators {
    ($($operator:ident $function:ident($a:ident, $b:ident) = $bits:expr;)+) => {$(
        impl $operator for Bitboard {
            type Output = Bitboard;
            fn $function(self, other: Bitboard) -> Bitboard {
                let (Bitboard($a), Bitboard($b)) = (self, other);
                Bitboard($bits)
            }
        }
    )+};
}

operators! {
    BitAnd bitand(a, b) = a & b;
    BitOr bitor(a, b) = a | b;
    BitXor bitxor(a, b) = a ^ b;
    Sub sub(a, b) = a & !b;
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifting_is_stepping() {
        for square in Square::all() {
            for direction in Direction::ALL {
                let stepped: Bitboard = square.step(direction).into_iter().collect();
                assert_eq!(Bitboard::of(square).shifted(direction), stepped);
            }
        }
        assert_eq!(Bitboard::from_bits(u128::MAX), Bitboard::FULL);
    }

    #[test]
    fn iteration_runs_both_ways() {
        let squares: Vec<Square> = Bitboard::FULL.iter().collect();
        assert_eq!(squares, Square::all().collect::<Vec<_>>());
        let back: Vec<Square> = Bitboard::FULL.iter().rev().collect();
        assert_eq!(back, Square::all().rev().collect::<Vec<_>>());
        assert_eq!(Bitboard::FULL.iter().len(), GRID_SQUARES);
    }
}
