//! Positions: the pieces on the board and the side to move, with a hash kept up to date.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::{N_ATTACKERS, N_DEFENDERS, SQUARES, START_ROWS, Square};
use crate::side::{Piece, Side};

/// The board and the side to move. Clause C9 defines the word "position" in the same way.
///
/// A position has no memory and belongs to no rule set. It has no king after the king's capture.
#[derive(Copy, Clone, Eq, PartialEq, Hash)]
pub struct Position {
    attackers: Bitboard,
    defenders: Bitboard,
    king: Option<Square>,
    side: Side,
    hash: u64,
}

impl Position {
    /// The start position (clause C2) with the given side to move.
    pub fn start(first: Side) -> Position {
        Position::read(START_ROWS, Some(first)).expect("the start position is well-formed")
    }

    /// A position from its pieces. `defenders` are the soldiers without the king.
    ///
    /// # Errors
    /// If two pieces share a square, or there are more pieces of a kind than a game has.
    pub fn from_parts(
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
        if attackers.len() > N_ATTACKERS {
            return Err(PartsError::TooMany(Piece::Attacker, attackers.len()));
        }
        if defenders.len() > N_DEFENDERS {
            return Err(PartsError::TooMany(Piece::Defender, defenders.len()));
        }
        Ok(Position::assemble(attackers, defenders, king, side))
    }

    /// A position from pieces that are known not to share a square.
    pub(crate) fn assemble(attackers: Bitboard, defenders: Bitboard, king: Option<Square>, side: Side) -> Position {
        let mut position = Position { attackers, defenders, king, side, hash: 0 };
        position.hash = position.hash_from_scratch();
        position
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
            .fold(if self.side == Side::Defenders { TURN_KEY } else { 0 }, |hash, key| hash ^ key)
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
    /// Two pieces stand on the same square.
    #[error("two pieces stand on {0}")]
    SharedSquare(Square),
    /// There are more pieces of a kind than the game has.
    #[error("{1} {0}s, expected at most {limit}", limit = most(*.0))]
    TooMany(Piece, usize),
}

// Keys of the position hash (Zobrist 1970): one per piece and square, one for the side to move.

/// The largest number of pieces of a kind.
const fn most(piece: Piece) -> usize {
    match piece {
        Piece::Attacker => N_ATTACKERS,
        Piece::Defender => N_DEFENDERS,
        Piece::King => 1,
    }
}

static PIECES: [[u64; SQUARES]; 3] = piece_keys();

/// Included in the hash when the defenders are to move.
const TURN_KEY: u64 = split_mix(3 * SQUARES as u64);

/// `SplitMix64` (Steele, Lea, Flood 2014) of a counter. It must never change, because hashes may be stored.
const fn split_mix(counter: u64) -> u64 {
    let z = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn piece_keys() -> [[u64; SQUARES]; 3] {
    let mut keys = [[0; SQUARES]; 3];
    let mut piece = 0;
    while piece < 3 {
        let mut square = 0;
        while square < SQUARES {
            keys[piece][square] = split_mix((piece * SQUARES + square) as u64);
            square += 1;
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
    fn parts_that_overlap_are_refused() {
        let a1 = Square::new(0, 0);
        let one = Bitboard::of(a1);
        assert_eq!(Position::from_parts(one, one, None, Side::Attackers), Err(PartsError::SharedSquare(a1)));
        assert_eq!(
            Position::from_parts(one, Bitboard::EMPTY, Some(a1), Side::Attackers),
            Err(PartsError::SharedSquare(a1))
        );
        let error = Position::from_parts(Bitboard::FULL, Bitboard::EMPTY, None, Side::Attackers);
        assert_eq!(error, Err(PartsError::TooMany(Piece::Attacker, 81)));
    }
}
