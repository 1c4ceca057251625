//! A game between people and the computer, independent of any interface.

use crate::events::MoveReport;
use crate::thinker::{Opinion, Thinker};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tablut_rules::{Game, IllegalMove, Move, MoveList, Outcome, Piece, Position, PositionError, Rules, Side, Square};
use tablut_search::EvaluateError;

/// Which sides people play; the computer plays the others.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum People {
    /// The attackers.
    Attackers,
    /// The defenders.
    Defenders,
    /// Both sides.
    Both,
    /// Neither: the computer plays against itself.
    Neither,
}

impl People {
    /// Whether a person plays `side`.
    pub fn play(self, side: Side) -> bool {
        match self {
            Self::Both => true,
            Self::Neither => false,
            Self::Attackers => side == Side::Attackers,
            Self::Defenders => side == Side::Defenders,
        }
    }
}

/// Why the session could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The move breaks a rule.
    #[error("{0}")]
    Illegal(IllegalMove),
    /// The game is over.
    #[error("the game is over: {}", describe(*.0))]
    Over(Outcome),
    /// There is nothing to take back.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// No piece that can be moved stands there.
    #[error("{square}: {reason}")]
    NoMoves {
        /// The square asked about.
        square: Square,
        /// Why nothing can move from there.
        reason: &'static str,
    },
    /// The computer could not think.
    #[error("the computer cannot move: {0}")]
    Evaluate(EvaluateError),
    /// The position to begin from is no game.
    #[error("{0}")]
    Position(PositionError),
}

impl From<EvaluateError> for SessionError {
    fn from(error: EvaluateError) -> Self {
        Self::Evaluate(error)
    }
}

/// An ending in words.
pub fn describe(outcome: Outcome) -> String {
    match outcome.winner {
        Some(side) => format!("the {side} win ({})", outcome.reason),
        None => format!("a draw ({})", outcome.reason),
    }
}

/// A game that is being played.
pub struct Session {
    game: Game,
    people: People,
    thinker: Thinker,
}

/// A game as it is saved: `tablut replay` reads the same fields.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
pub struct SavedGame {
    /// The rule set's name.
    pub rules: String,
    /// The position at the beginning.
    pub start: String,
    /// The side that moved first.
    pub first: Side,
    /// All moves.
    pub moves: Vec<String>,
    /// The winner; none while the game goes on, and after a draw.
    pub winner: Option<Side>,
    /// Why the game ended; none while it goes on.
    pub reason: Option<String>,
}

impl Session {
    /// A game from the start position. `thinker` plays what people do not, and gives opinions.
    pub fn new(rules: Arc<Rules>, first: Side, people: People, thinker: Thinker) -> Self {
        Self { game: Game::new(rules, first), people, thinker }
    }

    /// A game from any position.
    pub fn from_position(
        rules: Arc<Rules>,
        position: Position,
        people: People,
        thinker: Thinker,
    ) -> Result<Self, SessionError> {
        let game = Game::from_position(rules, position).map_err(SessionError::Position)?;
        Ok(Self { game, people, thinker })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Which sides people play.
    pub fn people(&self) -> People {
        self.people
    }

    /// Whether it is the computer's turn.
    pub fn is_computers_turn(&self) -> bool {
        self.game.outcome().is_none() && !self.people.play(self.game.position().side_to_move())
    }

    /// Makes a move for the side to move.
    pub fn play(&mut self, mv: Move) -> Result<MoveReport, SessionError> {
        self.check_open()?;
        let before = *self.game.position();
        let applied = self.game.play(mv).map_err(SessionError::Illegal)?;
        Ok(MoveReport::new(&before, mv, &applied, &self.game))
    }

    /// Has the computer move for the side to move, whoever plays it.
    pub fn computer_move(&mut self) -> Result<MoveReport, SessionError> {
        self.check_open()?;
        let mv = self.thinker.choose(&self.game)?;
        self.play(mv)
    }

    /// Takes moves back to a person's turn: the computer's answer and the move before it, or one move where people play
    /// both sides. Returns how many plies were taken back.
    pub fn undo(&mut self) -> Result<usize, SessionError> {
        let to_person =
            |game: &Game| self.people == People::Neither || self.people.play(game.position().side_to_move());
        let mut earlier = self.game.clone();
        let mut plies = 0;
        while earlier.undo().is_some() {
            plies += 1;
            if to_person(&earlier) {
                self.game = earlier;
                return Ok(plies);
            }
        }
        Err(SessionError::NothingToUndo)
    }

    /// What the computer thinks of the position.
    pub fn opinion(&mut self) -> Result<Opinion, SessionError> {
        self.check_open()?;
        Ok(self.thinker.opinion(&self.game)?)
    }

    /// All legal moves.
    pub fn moves(&self) -> Result<Vec<Move>, SessionError> {
        self.check_open()?;
        let mut moves = MoveList::new();
        self.game.legal_moves(&mut moves);
        Ok(moves.into_vec())
    }

    /// The legal moves of the piece on `square`; the error says why there are none.
    pub fn moves_from(&self, square: Square) -> Result<Vec<Move>, SessionError> {
        let position = self.game.position();
        let moves: Vec<Move> = self.moves()?.into_iter().filter(|mv| mv.from == square).collect();
        let reason = match position.piece_at(square).map(Piece::side) {
            _ if !moves.is_empty() => return Ok(moves),
            None => "there is no piece",
            Some(side) if side != position.side_to_move() => "that piece is not of the side to move",
            Some(_) => "that piece cannot move",
        };
        Err(SessionError::NoMoves { square, reason })
    }

    /// The moves played so far.
    pub fn history(&self) -> Vec<Move> {
        self.game.moves().collect()
    }

    /// The game as it is saved.
    pub fn saved(&self) -> SavedGame {
        SavedGame {
            rules: self.game.rules().name().to_owned(),
            start: self.game.start().to_string(),
            first: self.game.start().side_to_move(),
            moves: self.game.moves().map(|mv| mv.to_string()).collect(),
            winner: self.game.outcome().and_then(|outcome| outcome.winner),
            reason: self.game.outcome().map(|outcome| outcome.reason.to_string()),
        }
    }

    fn check_open(&self) -> Result<(), SessionError> {
        self.game.outcome().map_or(Ok(()), |outcome| Err(SessionError::Over(outcome)))
    }
}
