//! Explains why a move is illegal.

use std::fmt;

use crate::bitboard::Bitboard;
use crate::board::{BoardSize, Square};
use crate::moves::Move;
use crate::position::Position;
use crate::rays::RAYS;
use crate::rules::Rules;
use crate::side::{Piece, Side};

/// An illegal move, and why it is illegal.
#[derive(Copy, Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{mv} is illegal: {fault}")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// What is wrong with it.
    pub fault: MoveFault,
}

/// What is wrong with a move.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum MoveFault {
    GameOver,
    OffBoard(Square, BoardSize),
    EmptySquare(Square),
    NotYours(Piece, Side),
    NotStraight,
    Blocked(Square),
    TooFar(u32),
    NoLanding(Piece, &'static str, Square),
    NoPassing(Piece, &'static str, Square),
    NoChoice(Bitboard),
    NotSurrounded(Square),
    NeedlessChoice(Square),
    OtherCaptures(Bitboard),
    OtherPiece(Piece),
}

impl fmt::Display for MoveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveFault::GameOver => f.write_str("the game is over"),
            MoveFault::OffBoard(square, size) => write!(f, "{square} is not on the board of {size} squares"),
            MoveFault::EmptySquare(square) => write!(f, "no piece stands on {square}"),
            MoveFault::NotYours(Piece::King, side) => write!(f, "it is the {side}' turn, not the king's"),
            MoveFault::NotYours(piece, side) => {
                write!(f, "it is the {side}' turn, and the piece is {}", with_article(*piece))
            }
            MoveFault::NotStraight => f.write_str("pieces move along a row or a column"),
            MoveFault::Blocked(square) => write!(f, "a piece stands on {square}"),
            MoveFault::TooFar(reach) => write!(f, "the king moves at most {reach} squares"),
            MoveFault::NoLanding(piece, kind, square) => write!(f, "the {piece} may not land on the {kind} {square}"),
            MoveFault::NoPassing(piece, kind, square) => write!(f, "the {piece} may not pass over the {kind} {square}"),
            MoveFault::NoChoice(surrounded) => {
                f.write_str("it surrounds several pieces and must choose one:")?;
                surrounded.iter().try_for_each(|s| write!(f, " x{s}"))
            }
            MoveFault::NotSurrounded(square) => write!(f, "it does not capture on {square}"),
            MoveFault::OtherCaptures(captured) if captured.is_empty() => f.write_str("it captures nothing"),
            MoveFault::OtherCaptures(captured) => {
                f.write_str("it captures")?;
                captured.iter().try_for_each(|s| write!(f, " {s}"))
            }
            MoveFault::OtherPiece(piece) => write!(f, "the piece is {}", with_article(*piece)),
            MoveFault::NeedlessChoice(square) => {
                write!(f, "there is no choice of captures, expected the move without x{square}")
            }
        }
    }
}

fn with_article(piece: Piece) -> &'static str {
    match piece {
        Piece::Attacker => "an attacker",
        Piece::Defender => "a defender",
        Piece::King => "the king",
    }
}

impl Rules {
    /// Checks that a move is legal.
    ///
    /// # Errors
    /// If the move is illegal. The error explains why.
    pub fn check_legal(&self, position: &Position, mv: Move) -> Result<(), IllegalMove> {
        self.find_fault(position, mv).map_or(Ok(()), |fault| Err(IllegalMove { mv, fault }))
    }

    fn find_fault(&self, position: &Position, mv: Move) -> Option<MoveFault> {
        if self.decided(position).is_some() {
            return Some(MoveFault::GameOver);
        }
        if let Some(square) = [mv.from, mv.to].into_iter().find(|square| !self.board.contains(*square)) {
            return Some(MoveFault::OffBoard(square, self.size()));
        }
        let side = position.side_to_move();
        let Some(piece) = position.piece_at(mv.from) else {
            return Some(MoveFault::EmptySquare(mv.from));
        };
        if piece.side() != side {
            return Some(MoveFault::NotYours(piece, side));
        }
        self.find_path_fault(position, piece, mv).or_else(|| self.find_choice_fault(position, mv))
    }

    fn find_path_fault(&self, position: &Position, piece: Piece, mv: Move) -> Option<MoveFault> {
        let Some((direction, distance)) = mv.from.line_to(mv.to) else {
            return Some(MoveFault::NotStraight);
        };
        let occupied = position.occupied();
        let squares = self.targets(piece, mv.from, occupied)[direction.index()];
        if squares.contains(mv.to) {
            return None;
        }
        let walk = &self.walks[piece.index()];
        let mut square = mv.from;
        for _ in 0..distance {
            square = square.step(direction)?;
            if occupied.contains(square) {
                return Some(MoveFault::Blocked(square));
            }
            let landing = square == mv.to;
            let closed = walk.closed[direction.index()].contains(square);
            if landing && (closed || walk.barred.contains(square)) {
                return Some(MoveFault::NoLanding(piece, self.kind_of(square), square));
            }
            if !landing && (closed || walk.halting.contains(square)) {
                return Some(MoveFault::NoPassing(piece, self.kind_of(square), square));
            }
        }
        debug_assert!(RAYS.ray(mv.from, direction).contains(mv.to));
        Some(MoveFault::TooFar(self.set.king.reach))
    }

    /// What a square that is closed to a piece is called.
    fn kind_of(&self, square: Square) -> &'static str {
        if square == self.centre {
            "throne"
        } else if self.size().is_corner(square) {
            "corner"
        } else {
            "camp"
        }
    }

    fn find_choice_fault(&self, position: &Position, mv: Move) -> Option<MoveFault> {
        if !self.one_chosen {
            return mv.choice.map(MoveFault::NeedlessChoice);
        }
        let surrounded = self.surrounded(position, mv.from, mv.to);
        match mv.choice {
            None if surrounded.len() > 1 => Some(MoveFault::NoChoice(surrounded)),
            Some(choice) if !surrounded.contains(choice) => Some(MoveFault::NotSurrounded(choice)),
            Some(choice) if surrounded.len() == 1 => Some(MoveFault::NeedlessChoice(choice)),
            None | Some(_) => None,
        }
    }
}
