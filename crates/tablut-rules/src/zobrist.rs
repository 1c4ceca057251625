//! Keys of the position hash (Zobrist 1970): one per piece and square, one for the side to move.

use crate::board::{SQUARES, Square};
use crate::side::{Piece, Side};

/// Keys by piece and square.
static PIECES: [[u64; SQUARES]; 3] = piece_keys();

/// Included in the hash when the defenders are to move.
const DEFENDERS_TO_MOVE: u64 = split_mix(3 * SQUARES as u64);

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

/// The key of a piece on a square.
pub(crate) fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}

/// The key of the side to move.
pub(crate) const fn side_key(side: Side) -> u64 {
    match side {
        Side::Attackers => 0,
        Side::Defenders => DEFENDERS_TO_MOVE,
    }
}

/// The hash changes by this value when the turn passes.
pub(crate) const TURN_KEY: u64 = DEFENDERS_TO_MOVE;
