//! The two sides and the three kinds of pieces.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of the two sides. The game is asymmetric: the sides have different pieces and goals.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The sixteen attackers. They win by capturing the king.
    Attackers,
    /// The king and his eight soldiers. They win when the king escapes.
    Defenders,
}

impl Side {
    /// Both sides, in the order of their indices.
    pub const ALL: [Side; 2] = [Side::Attackers, Side::Defenders];

    /// The other side.
    pub const fn opponent(self) -> Side {
        match self {
            Side::Attackers => Side::Defenders,
            Side::Defenders => Side::Attackers,
        }
    }

    /// 0 for the attackers, 1 for the defenders.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the side in position texts: `a` or `d`.
    pub const fn letter(self) -> char {
        match self {
            Side::Attackers => 'a',
            Side::Defenders => 'd',
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Side::Attackers => "attackers",
            Side::Defenders => "defenders",
        })
    }
}

/// The text names neither side.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text:?} is no side: expected attackers or defenders")]
pub struct SideError {
    text: String,
}

impl FromStr for Side {
    type Err = SideError;

    fn from_str(text: &str) -> Result<Side, SideError> {
        match text {
            "attackers" => Ok(Side::Attackers),
            "defenders" => Ok(Side::Defenders),
            _ => Err(SideError { text: text.chars().take(20).collect() }),
        }
    }
}

/// A kind of piece. *Soldiers* are attackers and defenders, not the king (clause C2).
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Piece {
    /// A soldier of the attackers.
    Attacker,
    /// A soldier of the defenders.
    Defender,
    /// The king, of the defenders' side.
    King,
}

impl Piece {
    /// The three kinds, in the order of their indices.
    pub const ALL: [Piece; 3] = [Piece::Attacker, Piece::Defender, Piece::King];

    /// The side that the piece belongs to.
    pub const fn side(self) -> Side {
        match self {
            Piece::Attacker => Side::Attackers,
            Piece::Defender | Piece::King => Side::Defenders,
        }
    }

    /// 0 for an attacker, 1 for a defender, 2 for the king.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The piece's letter in position texts (OpenTafl's): `t`, `T` or `K`.
    pub const fn letter(self) -> char {
        match self {
            Piece::Attacker => 't',
            Piece::Defender => 'T',
            Piece::King => 'K',
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Piece::Attacker => "attacker",
            Piece::Defender => "defender",
            Piece::King => "king",
        })
    }
}
