//! Positions: the pieces on the board and the side to move, with a hash kept up to date.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, GRID_SQUARES, Square};
use crate::side::{Piece, Side};

/// Tablut's start position, rows from the top (clause C2).
pub(crate) const TABLUT_START: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3";

/// The board and the side to move. Clause C9 defines the word "position" in the same way.
///
/// A position has no memory and belongs to no rule set. It has no king after the king's capture.
#[derive(Copy, Clone, Eq, PartialEq, Hash)]
pub struct Position {
    attackers: Bitboard,
    defenders: Bitboard,
    king: Option<Square>,
    side: Side,
    size: BoardSize,
    hash: u64,
}

impl Position {
    /// Tablut's start position (clause C2) with the given side to move. [`crate::Rules::start`] is that of any rules.
    pub fn start(first: Side) -> Position {
        Position::read(TABLUT_START, Some(first)).expect("the start position is well-formed")
    }

    /// A position from its pieces. `defenders` are the soldiers without the king.
    ///
    /// # Errors
    /// If a piece stands outside the board, two pieces share a square, or there are more pieces of a kind than a game on
    /// this board has.
    pub fn from_parts(
        size: BoardSize,
        attackers: Bitboard,
        defenders: Bitboard,
        king: Option<Square>,
        side: Side,
    ) -> Result<Position, PartsError> {
        let crown: Bitboard = king.into_iter().collect();
        let shared = (attackers & (defenders | crown)) | (defenders & crown);
        if let Some(square) = shared.first() {
            return Err(PartsError::SharedSquare(square));
        }
        if let Some(square) = ((attackers | defenders | crown) - size.board()).first() {
            return Err(PartsError::OffBoard(square, size));
        }
        for (piece, count) in [(Piece::Attacker, attackers.len()), (Piece::Defender, defenders.len())] {
            if count > most(piece, size) {
                return Err(PartsError::TooMany(piece, count, size));
            }
        }
        Ok(Position::assemble(size, attackers, defenders, king, side))
    }

    /// A position from pieces that are known to stand on the board and not to share a square.
    pub(crate) fn assemble(
        size: BoardSize,
        attackers: Bitboard,
        defenders: Bitboard,
        king: Option<Square>,
        side: Side,
    ) -> Position {
        let mut position = Position { attackers, defenders, king, side, size, hash: 0 };
        position.hash = position.hash_from_scratch();
        position
    }

    /// The size of the board.
    pub const fn size(&self) -> BoardSize {
        self.size
    }

    /// The attackers.
    pub const fn attackers(&self) -> Bitboard {
        self.attackers
    }

    /// The defenders' soldiers, without the king.
    pub const fn defenders(&self) -> Bitboard {
        self.defenders
    }

    /// The king's square, or `None` once he is captured.
    pub const fn king(&self) -> Option<Square> {
        self.king
    }

    /// The king's square as a set. It is empty once he is captured.
    pub const fn king_board(&self) -> Bitboard {
        match self.king {
            Some(square) => Bitboard::of(square),
            None => Bitboard::EMPTY,
        }
    }

    /// The side to move.
    pub const fn side_to_move(&self) -> Side {
        self.side
    }

    /// All pieces of a side. The king counts as a defender.
    pub fn pieces(&self, side: Side) -> Bitboard {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders | self.king_board(),
        }
    }

    /// Every square with a piece on it.
    pub fn occupied(&self) -> Bitboard {
        self.attackers | self.defenders | self.king_board()
    }

    /// The piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        if self.attackers.contains(square) {
            Some(Piece::Attacker)
        } else if self.defenders.contains(square) {
            Some(Piece::Defender)
        } else if self.king == Some(square) {
            Some(Piece::King)
        } else {
            None
        }
    }

    /// The hash of the board and the side to move. Equal positions have equal hashes, in every run and on every
    /// machine.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// The hash computed from scratch. It always equals [`Position::hash`].
    pub fn hash_from_scratch(&self) -> u64 {
        let boards = [self.attackers, self.defenders, self.king_board()];
        Piece::ALL
            .into_iter()
            .zip(boards)
            .flat_map(|(piece, board)| board.iter().map(move |square| piece_key(piece, square)))
            .fold(SIZE_KEYS[self.size.index()], |hash, key| hash ^ key)
            ^ if self.side == Side::Defenders { TURN_KEY } else { 0 }
    }

    /// The same board with the given side to move.
    #[must_use]
    pub const fn with_side_to_move(mut self, side: Side) -> Position {
        if self.side as u8 != side as u8 {
            self.side = side;
            self.hash ^= TURN_KEY;
        }
        self
    }

    /// The position after a piece has moved, the captured pieces are gone, and the turn has passed.
    #[inline]
    pub(crate) fn after(mut self, piece: Piece, from: Square, to: Square, captured: Bitboard) -> Position {
        match piece {
            Piece::Attacker => {
                self.attackers = self.attackers ^ Bitboard::of(from) ^ Bitboard::of(to);
            }
            Piece::Defender => {
                self.defenders = self.defenders ^ Bitboard::of(from) ^ Bitboard::of(to);
            }
            Piece::King => self.king = Some(to),
        }
        self.hash ^= piece_key(piece, from) ^ piece_key(piece, to) ^ TURN_KEY;
        if !captured.is_empty() {
            self.take(captured);
        }
        self.side = self.side.opponent();
        self
    }

    fn take(&mut self, captured: Bitboard) {
        for square in captured {
            let piece = if self.king == Some(square) {
                self.king = None;
                Piece::King
            } else if self.attackers.contains(square) {
                self.attackers.remove(square);
                Piece::Attacker
            } else {
                self.defenders.remove(square);
                Piece::Defender
            };
            self.hash ^= piece_key(piece, square);
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}

/// The pieces do not form a position.
#[derive(Copy, Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// A piece stands outside the board.
    #[error("a piece stands on {0}, which is not on a board of {1} squares")]
    OffBoard(Square, BoardSize),
    /// Two pieces stand on the same square.
    #[error("two pieces stand on {0}")]
    SharedSquare(Square),
    /// There are more pieces of a kind than the game has.
    #[error("{1} {0}s, expected at most {limit} on {2} squares", limit = most(*.0, *.2))]
    TooMany(Piece, usize, BoardSize),
}

/// The largest number of pieces of a kind.
pub(crate) const fn most(piece: Piece, size: BoardSize) -> usize {
    match piece {
        Piece::Attacker => size.most_attackers(),
        Piece::Defender => size.most_defenders(),
        Piece::King => 1,
    }
}

// Keys of the position hash (Zobrist 1970): one per piece and square, one for the side to move, one per board size. The
// keys of Tablut's board are those from before there were others.

/// The number of squares of Tablut's board.
const TABLUT_SQUARES: usize = BoardSize::Nine.n_squares();

static PIECES: [[u64; GRID_SQUARES]; 3] = piece_keys();

/// Included in the hash when the defenders are to move.
const TURN_KEY: u64 = split_mix(3 * TABLUT_SQUARES as u64);

/// Included in the hash by the board's size.
const SIZE_KEYS: [u64; 3] = [split_mix(OTHER_KEYS), 0, split_mix(OTHER_KEYS + 1)];

/// The first counter of a key that Tablut's board does not need.
const OTHER_KEYS: u64 = 3 * TABLUT_SQUARES as u64 + 1;

/// `SplitMix64` (Steele, Lea, Flood 2014) of a counter. It must never change, because hashes may be stored.
const fn split_mix(counter: u64) -> u64 {
    let z = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn piece_keys() -> [[u64; GRID_SQUARES]; 3] {
    let mut keys = [[0; GRID_SQUARES]; 3];
    let mut piece = 0;
    while piece < 3 {
        let mut index = 0;
        while index < GRID_SQUARES {
            let square = Square::from_bit(index as u32);
            let counter = if BoardSize::Nine.contains(square) {
                (piece * TABLUT_SQUARES + BoardSize::Nine.place(square)) as u64
            } else {
                OTHER_KEYS + 2 + (piece * GRID_SQUARES + index) as u64
            };
            keys[piece][index] = split_mix(counter);
            index += 1;
        }
        piece += 1;
    }
    keys
}

fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_that_of_clause_c2() {
        let start = Position::start(Side::Attackers);
        assert_eq!(start.to_string(), "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a");
        assert_eq!((start.attackers().len(), start.defenders().len()), (16, 8));
        assert_eq!(start.hash(), start.hash_from_scratch());
        let other = start.with_side_to_move(Side::Defenders);
        assert_eq!(other, Position::start(Side::Defenders));
        assert_ne!(other.hash(), start.hash());
    }

    #[test]
    fn hashes_of_tabluts_board_never_change() {
        let hash = |text: &str| text.parse::<Position>().expect("a position").hash();
        assert_eq!(hash("3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a"), 0x5250_1358_1147_B32A);
        assert_eq!(hash("9/9/9/9/4K4/9/9/9/tT6t d"), 0x8BE7_8CF8_69B0_4602);
        assert_ne!(hash("7/7/7/7/7/7/t5K a"), hash("9/9/9/9/9/9/9/9/t5K2 a"));
    }

    #[test]
    fn parts_that_are_no_position_are_refused() {
        let parts = |size, attackers, defenders, king| {
            Position::from_parts(size, attackers, defenders, king, Side::Attackers).map(|_| ())
        };
        let nine = BoardSize::Nine;
        let a1 = Square::new(0, 0);
        let one = Bitboard::of(a1);
        assert_eq!(parts(nine, one, one, None), Err(PartsError::SharedSquare(a1)));
        assert_eq!(parts(nine, one, Bitboard::EMPTY, Some(a1)), Err(PartsError::SharedSquare(a1)));
        let error = parts(nine, nine.board(), Bitboard::EMPTY, None);
        assert_eq!(error, Err(PartsError::TooMany(Piece::Attacker, 81, nine)));
        let k11 = Square::new(10, 10);
        assert_eq!(parts(nine, one, Bitboard::EMPTY, Some(k11)), Err(PartsError::OffBoard(k11, nine)));
        assert_eq!(parts(BoardSize::Eleven, one, Bitboard::EMPTY, Some(k11)), Ok(()));
    }
}
