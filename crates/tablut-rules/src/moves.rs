//! Moves, their text, and the list that the move generator fills.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::board::{Direction, Square};

/// A move of one piece. The type does not guarantee that the move is legal; [`crate::Rules::check_legal`] checks that.
///
/// Moves sort by from square, to square and choice. The move generator uses a different order, see [`MoveList`].
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Move {
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that it moves to.
    pub to: Square,
    /// The captured piece, if the move surrounds several pieces and the rule set lets the mover choose one of them
    /// (clause IC5). Otherwise `None`.
    pub choice: Option<Square>,
}

impl Move {
    /// A move without a choice.
    pub const fn new(from: Square, to: Square) -> Move {
        Move { from, to, choice: None }
    }

    /// The move's direction.
    ///
    /// # Panics
    /// If the two squares are not in one row or column. Those of a legal move always are.
    #[inline]
    pub const fn direction(self) -> Direction {
        self.from.line_to(self.to).expect("a move runs along a row or a column").0
    }

    /// The number of squares moved, from 1 to [`crate::MAX_DISTANCE`].
    ///
    /// # Panics
    /// If the two squares are not in one row or column. Those of a legal move always are.
    #[inline]
    pub const fn distance(self) -> usize {
        self.from.line_to(self.to).expect("a move runs along a row or a column").1
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)?;
        match self.choice {
            Some(choice) => write!(f, "x{choice}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a move.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "{text:?} is no move: expected two squares of one row or column such as d1-d3, or d1-d3xd4 to choose the captured piece"
)]
pub struct MoveError {
    pub(crate) text: String,
}

impl MoveError {
    pub(crate) fn new(text: &str) -> MoveError {
        MoveError { text: text.chars().take(40).collect() }
    }
}

impl FromStr for Move {
    type Err = MoveError;

    /// Reads `d1-d3` and `d1-d3xd4`. [`crate::MoveText`] reads the forms of other programs.
    fn from_str(text: &str) -> Result<Move, MoveError> {
        let error = || MoveError::new(text);
        let (from, rest) = text.split_once('-').ok_or_else(error)?;
        let (to, choice) = match rest.split_once('x') {
            Some((to, choice)) => (to, Some(choice.parse().map_err(|_| error())?)),
            None => (rest, None),
        };
        let from: Square = from.parse().map_err(|_| error())?;
        let to: Square = to.parse().map_err(|_| error())?;
        if from.line_to(to).is_none() {
            return Err(error());
        }
        Ok(Move { from, to, choice })
    }
}

/// The legal moves of a position in a fixed order: by from square (a1, b1, … row by row), then direction (north, east, south,
/// west), then distance, then choice. Reuse one list to avoid allocations.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MoveList {
    moves: Vec<Move>,
}

impl MoveList {
    /// An empty list with room for the moves of a typical position.
    pub fn new() -> MoveList {
        MoveList { moves: Vec::with_capacity(256) }
    }

    /// Removes all moves and keeps the memory.
    pub fn clear(&mut self) {
        self.moves.clear();
    }

    pub(crate) fn push(&mut self, mv: Move) {
        self.moves.push(mv);
    }

    /// The moves as a vector.
    pub fn into_vec(self) -> Vec<Move> {
        self.moves
    }
}

impl Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.moves
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.moves.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for text in ["d1-d3", "a9-i9", "d1-d3xd4"] {
            let mv: Move = text.parse().expect("a move");
            assert_eq!(mv.to_string(), text);
        }
        let mv: Move = "a9-i9".parse().expect("a move");
        assert_eq!((mv.direction(), mv.distance()), (Direction::East, 8));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "-", "d1", "d1d3", "d1-d1", "d1-e2", "d1-d3x", "d1-d3xd4xd5", "d1-d3 ", "l1-l3", "d0-d3", "ü1-d3"]
        {
            assert!(text.parse::<Move>().is_err(), "{text:?}");
        }
    }
}
