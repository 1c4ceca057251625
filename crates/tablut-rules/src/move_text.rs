//! Moves as people and other programs write them, and the legal moves that they stand for.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::board::Square;
use crate::moves::{Move, MoveError};
use crate::position::Position;
use crate::rules::{IllegalMove, MoveFault, Rules};
use crate::side::Piece;

/// A move's text, parsed but not yet matched to a position. The parser accepts these forms:
///
/// - `d1-d3`, `D1-D3`, `d1 d3`, `d1d3` and `d1-d3xd4`, with any dash or arrow, and with the marks `!` and `?`
/// - OpenTafl's `Ke5-e6` and `d1-d3xd4/e4`, with the marks `+`, `++`, `-`, `--`
/// - the Tablut Challenge's `d1-d4xc4xd5`
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct MoveText {
    /// The piece named before the from square.
    pub piece: Option<Piece>,
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that it moves to.
    pub to: Square,
    /// The captured squares that the text names. The set is empty if it names none.
    pub captured: Bitboard,
}

impl FromStr for MoveText {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<MoveText, MoveError> {
        let error = || MoveError::new(text);
        let (piece, rest) = split_piece(text.trim_start());
        // Spaces separate squares as well as a hyphen does.
        let rest: String = rest.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect();
        let rest = rest.trim_end_matches(['!', '?']);
        let is_digit = |c: &char| c.is_ascii_digit();
        let letter = rest.chars().next().map_or(0, char::len_utf8);
        let from_len = letter + rest.chars().skip(1).take_while(is_digit).count();
        let (from, rest) = rest.split_at(from_len);
        let rest = rest.trim_start_matches(is_separator);
        let rest = ["++", "--", "+", "-"].iter().find_map(|&remark| rest.strip_suffix(remark)).unwrap_or(rest);
        let mut parts = rest.split(['x', '×', '/']);
        let to = parts.next().unwrap_or_default();
        let from: Square = from.parse().map_err(|_| error())?;
        let to: Square = to.parse().map_err(|_| error())?;
        let mut captured = Bitboard::EMPTY;
        for part in parts {
            let (_, square) = split_piece(part);
            captured.insert(square.parse().map_err(|_| error())?);
        }
        if from.line_to(to).is_none() {
            return Err(error());
        }
        Ok(MoveText { piece, from, to, captured })
    }
}

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(piece) = self.piece {
            write!(f, "{}", piece.letter())?;
        }
        write!(f, "{}-{}", self.from, self.to)?;
        for (index, square) in self.captured.iter().enumerate() {
            write!(f, "{}{square}", if index == 0 { "x" } else { "/" })?;
        }
        Ok(())
    }
}

/// Whether a character stands between the squares of a move: dashes and arrows, as pages and word processors write them.
pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, '-' | '>' | '\u{2010}'..='\u{2015}' | '−' | '→' | '➝' | '➔' | '⟶' | '\u{f0e0}')
}

/// Removes a piece's letter from the front of the text. No piece has a column's letter.
fn split_piece(text: &str) -> (Option<Piece>, &str) {
    let letters = [("K", Piece::King), ("k", Piece::King), ("T", Piece::Defender), ("t", Piece::Attacker)];
    letters
        .into_iter()
        .find_map(|(letter, piece)| Some((Some(piece), text.strip_prefix(letter)?)))
        // `k5` is a square of the column k.
        .filter(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or((None, text))
}

/// The text is not a legal move in the position.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadMoveError {
    /// The text is not a move at all.
    #[error("{0}")]
    Text(MoveError),
    /// The move is not legal.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Rules {
    /// Reads a legal move in any form of [`MoveText`]. If the text names captures, they must be exactly the captures of
    /// the move, but a captured king may be left out. If the rule set lets the mover choose one of several captures,
    /// the named square is the choice.
    ///
    /// # Errors
    /// If the text is not a move, the move is illegal, or the text names a wrong piece or wrong captures.
    pub fn read_move(&self, position: &Position, text: &str) -> Result<Move, ReadMoveError> {
        let text: MoveText = text.parse().map_err(ReadMoveError::Text)?;
        Ok(self.match_move(position, &text)?)
    }

    /// The legal move that a text stands for in this position.
    ///
    /// # Errors
    /// If the move is illegal, or the text names a wrong piece or wrong captures.
    pub fn match_move(&self, position: &Position, text: &MoveText) -> Result<Move, IllegalMove> {
        let plain = Move::new(text.from, text.to);
        let mv = match (self.check_legal(position, plain), text.captured.first()) {
            (Err(IllegalMove { fault: MoveFault::NoChoice(_), .. }), choice @ Some(_)) if text.captured.len() == 1 => {
                let mv = Move { choice, ..plain };
                self.check_legal(position, mv)?;
                mv
            }
            (Err(error), _) => return Err(error),
            (Ok(()), None) => plain,
            (Ok(()), Some(_)) => {
                let captured = self.apply(position, plain).captured;
                // Some programs leave out a captured king, because his capture ends the game.
                if text.captured != captured && text.captured != captured - position.king_board() {
                    return Err(IllegalMove { mv: plain, fault: MoveFault::OtherCaptures(captured) });
                }
                plain
            }
        };
        match (text.piece, position.piece_at(mv.from)) {
            (Some(named), Some(piece)) if named != piece => {
                Err(IllegalMove { mv, fault: MoveFault::OtherPiece(piece) })
            }
            _ => Ok(mv),
        }
    }

    /// A legal move in OpenTafl's notation: a king's move begins with `K`, and every captured square is named, with `K`
    /// before the king's.
    pub fn to_opentafl(&self, position: &Position, mv: Move) -> String {
        let named = |square: Square| {
            let king = if position.king() == Some(square) { "K" } else { "" };
            format!("{king}{square}")
        };
        let captured: Vec<String> = self.apply(position, mv).captured.iter().map(named).collect();
        let x = if captured.is_empty() { "" } else { "x" };
        format!("{}-{}{x}{}", named(mv.from), mv.to, captured.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Side;

    #[test]
    fn opentafls_forms_are_read() {
        let read = |text: &str| text.parse::<MoveText>().map(|t| (t.piece, t.captured.len()));
        for text in ["d1-d3", "D1-D3", "d1d3", "D1d3", "d1–d3", "d1 → d3", "d1->d3!?", "d1-d3+!"] {
            assert_eq!(read(text), Ok((None, 0)), "{text}");
        }
        for text in ["k10-k11", "K10K11", "a11-k11", "k1-j1xi1/k2"] {
            assert_eq!(read(text).map(|(piece, _)| piece), Ok(None), "{text}");
        }
        for text in ["Ke5-e6", "ke5-e6", "Kk10-k11", "kk10k11"] {
            assert_eq!(read(text), Ok((Some(Piece::King), 0)), "{text}");
        }
        assert_eq!(read("d1-d3xd4"), Ok((None, 1)));
        assert_eq!(read("d1-d3xd4/Ke4++"), Ok((None, 2)));
        assert_eq!(read("d1-d4xc4xd5"), Ok((None, 2)));
        assert_eq!(read("Ke5-e1--"), Ok((Some(Piece::King), 0)));
        for text in ["", "Ke5", "e5^e8", "e5=e8", "d1-e2", "d1-d3x", "d1-d3x/d4", "d1-d3+++", "Qd1-d3"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn named_captures_and_pieces_must_be_right() {
        let rules = Rules::named("kvasir").expect("a built-in rule set");
        let position: Position = "9/9/9/4K4/9/9/3tTt2t/9/9 a".parse().expect("a position");
        assert!(rules.read_move(&position, "i3-g3").is_ok());
        let position: Position = "9/9/9/9/9/9/3tT3t/9/4K4 a".parse().expect("a position");
        assert!(rules.read_move(&position, "i3-f3").is_err(), "the king has escaped");
        let position: Position = "9/9/9/9/9/9/3tT3t/4K4/9 a".parse().expect("a position");
        let mv = Move::new("i3".parse().expect("i3"), "f3".parse().expect("f3"));
        for text in ["i3-f3", "i3-f3xe3", "ti3-f3xe3+"] {
            assert_eq!(rules.read_move(&position, text), Ok(mv), "{text}");
        }
        assert_eq!(rules.to_opentafl(&position, mv), "i3-f3xe3");
        let fault = |text: &str| rules.read_move(&position, text).expect_err("illegal").to_string();
        assert_eq!(fault("i3-f3xe2"), "i3-f3 is illegal: it captures e3");
        assert_eq!(fault("i3-g3xe3"), "i3-g3 is illegal: it captures nothing");
        assert_eq!(fault("Ki3-f3"), "i3-f3 is illegal: the piece is an attacker");
    }

    #[test]
    fn a_named_capture_is_imperials_choice() {
        let rules = Rules::named("imperial").expect("a built-in rule set");
        let position: Position = "9/9/6K2/9/2T6/2t6/Tt1tT4/9/2T6 d".parse().expect("a position");
        let read = |text: &str| rules.read_move(&position, text).map(|mv| mv.to_string());
        assert_eq!(read("c1-c3xb3"), Ok("c1-c3xb3".to_owned()));
        assert_eq!(read("Tc1-c3xc4"), Ok("c1-c3xc4".to_owned()));
        assert!(read("c1-c3").is_err() && read("c1-c3xb3/d3").is_err() && read("c1-c3xe3").is_err());
        let one: Position = "9/9/6K2/9/9/9/Tt7/9/2T6 d".parse().expect("a position");
        assert_eq!(rules.read_move(&one, "c1-c3xb3").map(|mv| mv.to_string()), Ok("c1-c3".to_owned()));
        assert_eq!(one.side_to_move(), Side::Defenders);
    }
}
