//! Positions as text: `3ttt3/…/3ttt3 a` from the top row down, and OpenTafl's `/3ttt3/…/3ttt3/` from the bottom row up.
//! The number of rows is the board's size.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Square};
use crate::moves::Move;
use crate::position::{Position, most};
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

impl PositionTextError {
    /// The same error about the value of a key of a rule file, which says why larger boards are refused.
    pub(crate) fn with_key(self, key: &str) -> String {
        let n_rows = self.text.split(' ').next().unwrap_or_default().trim_matches('/').split('/').count();
        match BoardSize::of_width(n_rows) {
            Ok(_) => format!("{key} = {self}"),
            Err(error) => format!("{key}: {error}"),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rows(), self.side_to_move().letter())
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
            Some(rows) => parse_rows(rows.strip_suffix('/').unwrap_or(rows), false),
            None => parse_rows(rows, true),
        };
        match (parsed, side) {
            (Ok((size, [attackers, defenders, king])), Some(side)) => {
                return Ok(Position::assemble(size, attackers, defenders, king.first(), side));
            }
            (Ok(_), _) => {}
            (Err(row_faults), _) => faults = [row_faults, faults].concat(),
        }
        Err(PositionTextError { text: shown(), faults })
    }

    /// The rows of the board from the top, joined by `/`, without the side to move.
    pub fn rows(&self) -> String {
        self.row_texts().rev().collect::<Vec<_>>().join("/")
    }

    /// The board in OpenTafl's notation, from row 1 up, without the side to move.
    pub fn to_opentafl(&self) -> String {
        format!("/{}/", self.row_texts().collect::<Vec<_>>().join("/"))
    }

    /// The texts of the rows from row 1 up.
    fn row_texts(&self) -> impl DoubleEndedIterator<Item = String> + '_ {
        let width = self.size().width();
        (0..width).map(move |row| {
            let mut text = String::new();
            let mut empty = 0;
            for piece in (0..width).map(|column| self.piece_at(Square::new(column, row))) {
                if piece.is_some() && empty > 0 {
                    text += &empty.to_string();
                }
                empty = if piece.is_some() { 0 } else { empty + 1 };
                text.extend(piece.map(Piece::letter));
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            text
        })
    }
}

/// Reads rows joined by `/`, the top row first or last. Returns the board's size and the squares of each kind of piece, in
/// the order of [`Piece::ALL`], or all errors.
fn parse_rows(text: &str, top_first: bool) -> Result<(BoardSize, [Bitboard; 3]), Vec<String>> {
    let mut boards = [Bitboard::EMPTY; 3];
    let mut faults = Vec::new();
    let n_rows = text.split('/').count();
    let size = BoardSize::of_width(n_rows).map_err(|_| vec![format!("{n_rows} rows, expected 7, 9 or 11")])?;
    for (index, row_text) in text.split('/').enumerate() {
        let row = if top_first { n_rows - 1 - index } else { index };
        parse_row(row_text, row, size, &mut boards, &mut faults);
    }
    for piece in Piece::ALL {
        let (count, limit) = (boards[piece.index()].len(), most(piece, size));
        if count > limit {
            faults.push(format!("{count} {piece}s, expected at most {limit}"));
        }
    }
    if faults.is_empty() { Ok((size, boards)) } else { Err(faults) }
}

fn parse_row(text: &str, row: usize, size: BoardSize, boards: &mut [Bitboard; 3], faults: &mut Vec<String>) {
    let mut column = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (word, after) = rest.split_at(digits.max(letter.len_utf8()));
        rest = after;
        if let Some(piece) = Piece::ALL.into_iter().find(|p| p.letter() == letter) {
            if column < size.width() {
                boards[piece.index()].insert(Square::new(column, row));
            }
            column += 1;
            continue;
        }
        // Digits are one number if the row has room for it, and else several numbers.
        let number = word.parse::<usize>().ok().filter(|number| letter != '0' && (1..=size.width()).contains(number));
        let digit = |digit: char| digit.to_digit(10).filter(|&number| number > 0).map(|number| number as usize);
        match number.or_else(|| word.chars().map(digit).sum()) {
            Some(empty) => column += empty,
            None => faults.push(format!(
                "{:?} in row {}, expected t, T, K or a number of empty squares",
                word.chars().take(SHOWN).collect::<String>(),
                row + 1
            )),
        }
    }
    if column != size.width() {
        faults.push(format!("{column} squares in row {}, expected {}", row + 1, size.width()));
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
    fn boards_of_each_size_are_read() {
        for (rows, upwards, size) in [
            ("tT5/7/7/3K3/7/7/7", "/7/7/7/3K3/7/7/tT5/", BoardSize::Seven),
            ("tT9/11/11/11/11/10K/11/11/11/11/11", "/11/11/11/11/11/10K/11/11/11/11/tT9/", BoardSize::Eleven),
        ] {
            let position: Position = format!("{rows} a").parse().expect("a position");
            assert_eq!(position.size(), size);
            assert_eq!((position.to_string(), position.to_opentafl()), (format!("{rows} a"), upwards.to_owned()));
            assert_eq!(Position::read(upwards, Some(Side::Attackers)), Ok(position));
        }
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
            "8 squares in row 5, expected 9; \"x\" in row 1, expected t, T, K or a number of empty \
             squares; 2 kings, expected at most 1; \"b\" is no side to move, expected a or d"
        );
        assert_eq!(faults("9/9 a"), "2 rows, expected 7, 9 or 11");
        assert_eq!(faults("46/9/9/9/9/9/9/9/9 a"), "10 squares in row 9, expected 9");
        assert!(faults("9/9/9/9/9/9/9/tttttttt1/ttttttttt a").contains("17 attackers"));
        assert!(faults("9/9/9/9/9/9/9/9/0K8 a").contains("\"0\" in row 1"));
        assert!(faults("").contains("1 rows"));
    }
}
