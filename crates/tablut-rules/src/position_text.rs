//! Positions as text: `3ttt3/…/3ttt3 a` from the top row down, and OpenTafl's `/3ttt3/…/3ttt3/` from the bottom row up.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::board::{N_ATTACKERS, N_DEFENDERS, SIZE, Square};
use crate::moves::Move;
use crate::position::Position;
use crate::side::{Piece, Side};

/// A message repeats at most this many characters of a wrong text.
const SHOWN: usize = 160;
/// No position's text is longer.
const MAX_BYTES: usize = 1024;

/// The text is not a position. The error lists everything that is wrong.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{text:?} is no position: {}", faults.join("; "))]
pub struct PositionTextError {
    text: String,
    faults: Vec<String>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..SIZE).rev() {
            let mut empty = 0;
            for column in 0..SIZE {
                if let Some(piece) = self.piece_at(Square::new(column, row)) {
                    if empty > 0 {
                        write!(f, "{empty}")?;
                    }
                    empty = 0;
                    write!(f, "{}", piece.letter())?;
                } else {
                    empty += 1;
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if row > 0 {
                f.write_str("/")?;
            }
        }
        write!(f, " {}", self.side_to_move().letter())
    }
}

impl FromStr for Position {
    type Err = PositionTextError;

    /// Reads the rows from top to bottom, then a space and the side to move, `a` or `d`. If slashes enclose the rows,
    /// they are OpenTafl's and begin with row 1 (its `PositionSerializer` stores the first row at y = 0, and row
    /// numbers are y + 1).
    fn from_str(text: &str) -> Result<Position, PositionTextError> {
        Position::read(text, None)
    }
}

impl Position {
    /// Reads a position like [`FromStr`]. If the text does not name the side to move, it is `side`. OpenTafl's form
    /// never names it.
    ///
    /// # Errors
    /// If the text is not a position, or neither the text nor `side` gives the side to move.
    pub fn read(text: &str, side: Option<Side>) -> Result<Position, PositionTextError> {
        let shown = || text.chars().take(SHOWN).collect();
        if text.len() > MAX_BYTES {
            let faults = vec![format!("{} bytes, expected at most {MAX_BYTES}", text.len())];
            return Err(PositionTextError { text: shown(), faults });
        }
        let (rows, letter) = text.split_once(' ').map_or((text, None), |(rows, letter)| (rows, Some(letter)));
        let mut faults = Vec::new();
        let side = match letter {
            Some("a") => Some(Side::Attackers),
            Some("d") => Some(Side::Defenders),
            Some(other) => {
                let other: String = other.chars().take(SHOWN).collect();
                faults.push(format!("{other:?} is no side to move, expected a or d"));
                None
            }
            None => {
                if side.is_none() {
                    faults.push("no side to move, expected a space and a or d".to_owned());
                }
                side
            }
        };
        let parsed = match rows.strip_prefix('/') {
            Some(rows) => parse_rows(rows.strip_suffix('/').unwrap_or(rows), 0..SIZE),
            None => parse_rows(rows, (0..SIZE).rev()),
        };
        match (parsed, side) {
            (Ok([attackers, defenders, king]), Some(side)) => {
                return Ok(Position::assemble(attackers, defenders, king.first(), side));
            }
            (Ok(_), _) => {}
            (Err(row_faults), _) => faults = [row_faults, faults].concat(),
        }
        Err(PositionTextError { text: shown(), faults })
    }

    /// The board in OpenTafl's notation, from row 1 up, without the side to move.
    pub fn to_opentafl(&self) -> String {
        let text = self.to_string();
        let rows = text.split(' ').next().unwrap_or_default();
        let upwards: Vec<&str> = rows.split('/').rev().collect();
        format!("/{}/", upwards.join("/"))
    }
}

/// Reads rows joined by `/`. `rows` gives their indices in the order of the text. Returns the squares of each kind of
/// piece, in the order of [`Piece::ALL`], or all errors.
fn parse_rows(text: &str, rows: impl Iterator<Item = usize>) -> Result<[Bitboard; 3], Vec<String>> {
    let mut boards = [Bitboard::EMPTY; 3];
    let mut faults = Vec::new();
    let n_rows = text.split('/').count();
    if n_rows != SIZE {
        faults.push(format!("{n_rows} rows, expected {SIZE}"));
    }
    for (row_text, row) in text.split('/').zip(rows) {
        parse_row(row_text, row, &mut boards, &mut faults);
    }
    let limits = [N_ATTACKERS, N_DEFENDERS, 1];
    for (piece, limit) in Piece::ALL.into_iter().zip(limits) {
        let count = boards[piece.index()].len();
        if count > limit {
            faults.push(format!("{count} {piece}s, expected at most {limit}"));
        }
    }
    if faults.is_empty() { Ok(boards) } else { Err(faults) }
}

fn parse_row(text: &str, row: usize, boards: &mut [Bitboard; 3], faults: &mut Vec<String>) {
    let mut column = 0;
    for letter in text.chars() {
        let piece = Piece::ALL.into_iter().find(|p| p.letter() == letter);
        if let Some(piece) = piece {
            if column < SIZE {
                boards[piece.index()].insert(Square::new(column, row));
            }
            column += 1;
            continue;
        }
        let Some(digit @ 1..) = letter.to_digit(10) else {
            let row = row + 1;
            faults.push(format!("{letter:?} in row {row}, expected t, T, K or a number of empty squares"));
            continue;
        };
        column += digit as usize;
    }
    if column != SIZE {
        faults.push(format!("{column} squares in row {}, expected {SIZE}", row + 1));
    }
}

/// Makes serde read and write types as text, by their `FromStr` and `Display`.
#[macro_export]
macro_rules! serde_as_text {
    ($($kind:ty),*) => {$(
        impl ::serde::Serialize for $kind {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $kind {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<$kind, D::Error> {
                let text = <String as ::serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(::serde::de::Error::custom)
            }
        }
    )*};
}

serde_as_text!(Square, Move, Position);

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3";

    #[test]
    fn both_forms_are_read() {
        let native: Position = format!("{START} d").parse().expect("a position");
        assert_eq!(native, Position::start(Side::Defenders));
        let other = Position::read(&format!("/{START}/"), Some(Side::Defenders));
        assert_eq!(other, Ok(native));
        assert_eq!(native.to_opentafl(), format!("/{START}/"));
        let corner: Position = "9/9/9/9/4K4/9/9/9/tT7 a".parse().expect("a position");
        assert_eq!(corner.to_opentafl(), "/tT7/9/9/9/4K4/9/9/9/9/");
        assert_eq!(Position::read("/tT7/9/9/9/4K4/9/9/9/9/", Some(Side::Attackers)), Ok(corner));
        let kingless: Position = "9/9/9/9/9/9/9/9/tT7 a".parse().expect("a position");
        assert_eq!(kingless.king(), None);
        assert_eq!(kingless.to_string(), "9/9/9/9/9/9/9/9/tT7 a");
    }

    #[test]
    fn every_fault_is_named() {
        let faults = |text: &str| {
            let error = text.parse::<Position>().expect_err("a faulty text");
            error.faults.join("; ")
        };
        assert_eq!(faults(START), "no side to move, expected a space and a or d");
        assert_eq!(
            faults("9/9/9/9/8/9/9/9/KK7x b"),
            "8 squares in row 5, expected 9; 'x' in row 1, expected t, T, K or a number of empty \
             squares; 2 kings, expected at most 1; \"b\" is no side to move, expected a or d"
        );
        assert_eq!(faults("9/9 a"), "2 rows, expected 9");
        assert!(faults("9/9/9/9/9/9/9/tttttttt1/ttttttttt a").contains("17 attackers"));
        assert!(faults("9/9/9/9/9/9/9/9/0K8 a").contains("'0' in row 1"));
        assert!(faults("").contains("1 rows"));
    }
}
