//! A game: a position with its history. Only the game decides repetition and the limits on length.

mod repetition;

use std::sync::Arc;

use crate::board::BoardSize;
use crate::moves::{Move, MoveList};
use crate::outcome::{Outcome, Reason};
use crate::position::Position;
use crate::rules::{Applied, IllegalMove, MoveFault, Rules};
use crate::side::Side;

/// A position with everything else that an evaluation may depend on: the rules, the counts from its history, and the
/// legal moves.
///
/// [`Game::situation`] borrows the rules (`R`) and the moves (`M`). Use [`Game::owned_situation`] if the evaluation
/// happens later.
#[derive(Copy, Clone, Debug)]
pub struct Situation<R = Arc<Rules>, M = Vec<Move>> {
    /// The rules of the game.
    pub rules: R,
    /// Board and side to move.
    pub position: Position,
    /// The number of earlier occurrences of the position in its game that count under the repetition rule.
    pub occurrences: u32,
    /// The number of plies since the last capture.
    pub plies_since_capture: u32,
    /// The legal moves, in the order of [`Rules::legal_moves`].
    pub moves: M,
}

impl Situation {
    /// The same situation, with borrowed rules and moves.
    pub fn borrowed(&self) -> Situation<&Rules, &[Move]> {
        let Self { ref rules, position, occurrences, plies_since_capture, ref moves } = *self;
        Situation { rules, position, occurrences, plies_since_capture, moves }
    }
}

/// No game can start from this position.
#[derive(Copy, Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// There is no king on the board.
    #[error("there is no king on the board, and a game cannot start without one")]
    NoKing,
    /// The rules are those of another board.
    #[error("the position has {board} squares, and the rules have {rules_board}")]
    OtherBoard {
        /// The position's board.
        board: BoardSize,
        /// The rules' board.
        rules_board: BoardSize,
    },
}

/// What a game stores for each ply: the move, and the position and the count since the last capture before it.
#[derive(Copy, Clone, Debug)]
struct Ply {
    before: Position,
    mv: Move,
    plies_since_capture: u32,
}

/// A game, running or finished.
#[derive(Clone, Debug)]
pub struct Game {
    rules: Arc<Rules>,
    position: Position,
    plies: Vec<Ply>,
    plies_since_capture: u32,
    occurrences: u32,
    max_plies: Option<u32>,
    outcome: Option<Outcome>,
}

impl Game {
    /// A new game from the start position.
    pub fn new(rules: Arc<Rules>, first: Side) -> Game {
        let start = rules.start(first);
        Game::begin(rules, start)
    }

    /// A game that starts from any position with a king. If the position is decided, or the side to move
    /// has no legal move, the game is already over, with the outcome that follows from the position.
    ///
    /// # Errors
    /// If the position has no king or another board than the rules.
    pub fn from_position(rules: Arc<Rules>, position: Position) -> Result<Game, PositionError> {
        let (board, rules_board) = (position.size(), rules.size());
        if board != rules_board {
            return Err(PositionError::OtherBoard { board, rules_board });
        }
        match position.king() {
            Some(_) => Ok(Game::begin(rules, position)),
            None => Err(PositionError::NoKing),
        }
    }

    fn begin(rules: Arc<Rules>, position: Position) -> Game {
        let outcome = rules.decided(&position).or_else(|| outcome_without_moves(&rules, &position));
        Game {
            max_plies: rules.set().max_plies,
            rules,
            position,
            plies: Vec::new(),
            plies_since_capture: 0,
            occurrences: 0,
            outcome,
        }
    }

    /// The same game, but drawn when it reaches this number of plies (clause C10). A lower limit of the rule set
    /// still applies.
    #[must_use]
    pub fn with_max_plies(mut self, max_plies: u32) -> Game {
        let max_plies = self.rules.set().max_plies.map_or(max_plies, |own| own.min(max_plies));
        self.max_plies = Some(max_plies);
        if self.outcome.is_none() {
            self.outcome = self.length_outcome();
        }
        self
    }

    /// Reserves memory for more plies, so that playing them does not allocate.
    pub fn reserve(&mut self, plies: usize) {
        self.plies.reserve(plies);
    }

    /// The rules of this game.
    pub const fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// The current position.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The position at the start of the game.
    pub fn start(&self) -> &Position {
        self.plies.first().map_or(&self.position, |ply| &ply.before)
    }

    /// The number of plies played.
    pub const fn ply(&self) -> u32 {
        self.plies.len() as u32
    }

    /// The moves played, in order.
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator {
        self.plies.iter().map(|ply| ply.mv)
    }

    /// How the game ended, or `None` if it is not over.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The number of earlier occurrences of the current position that count under the rule set's repetition rule. It is
    /// 0 for a new position.
    pub const fn occurrences(&self) -> u32 {
        self.occurrences
    }

    /// The number of plies since the last capture, or since the start if there was none.
    pub const fn plies_since_capture(&self) -> u32 {
        self.plies_since_capture
    }

    /// The ply at which the game is drawn (clause C10): the lower of the rule set's limit and
    /// [`Game::with_max_plies`].
    pub const fn max_plies(&self) -> Option<u32> {
        self.max_plies
    }

    /// The current position with everything else that an evaluation may depend on. `moves` are its legal moves.
    pub fn situation<'a>(&'a self, moves: &'a [Move]) -> Situation<&'a Rules, &'a [Move]> {
        self.situation_with(&self.rules, moves)
    }

    /// Like [`Game::situation`], but the result owns its rules and moves.
    pub fn owned_situation(&self, moves: &[Move]) -> Situation {
        self.situation_with(Arc::clone(&self.rules), moves.to_vec())
    }

    fn situation_with<R, M>(&self, rules: R, moves: M) -> Situation<R, M> {
        let Self { position, occurrences, plies_since_capture, .. } = *self;
        Situation { rules, position, occurrences, plies_since_capture, moves }
    }

    /// The number of escape routes (clause C11). It is 0 once the game is over.
    pub fn routes(&self) -> u32 {
        match self.outcome {
            Some(_) => 0,
            None => self.rules.routes(&self.position),
        }
    }

    /// Fills the list with the legal moves. The list is empty once the game is over.
    pub fn legal_moves(&self, moves: &mut MoveList) {
        match self.outcome {
            Some(_) => moves.clear(),
            None => self.rules.legal_moves(&self.position, moves),
        }
    }

    /// Plays a move.
    ///
    /// # Errors
    /// If the move is illegal or the game is over. The game does not change.
    pub fn play(&mut self, mv: Move) -> Result<Applied, IllegalMove> {
        if self.outcome.is_some() {
            let fault = MoveFault::GameOver;
            return Err(IllegalMove { mv, fault });
        }
        self.rules.check_legal(&self.position, mv)?;
        Ok(self.play_trusted(mv))
    }

    /// Plays a move that is known to be legal, in a game that is not over. Debug builds check both.
    pub fn play_trusted(&mut self, mv: Move) -> Applied {
        debug_assert!(self.outcome.is_none(), "{mv} is played after the end of the game");
        debug_assert_eq!(self.rules.check_legal(&self.position, mv), Ok(()));
        let applied = self.rules.apply(&self.position, mv);
        self.plies.push(Ply { before: self.position, mv, plies_since_capture: self.plies_since_capture });
        self.position = applied.position;
        self.plies_since_capture = if applied.captured.is_empty() { self.plies_since_capture + 1 } else { 0 };
        self.occurrences = self.count_occurrences();
        self.outcome = self.find_outcome();
        applied
    }

    /// Takes back the last move and returns it.
    pub fn undo(&mut self) -> Option<Move> {
        let ply = self.plies.pop()?;
        self.position = ply.before;
        self.plies_since_capture = ply.plies_since_capture;
        self.occurrences = self.count_occurrences();
        // A move was played here, so the game was not over.
        self.outcome = None;
        Some(ply.mv)
    }

    /// The checks after a move, in the order of clause C12.
    fn find_outcome(&self) -> Option<Outcome> {
        self.rules
            .decided(&self.position)
            .or_else(|| self.repetition_outcome())
            .or_else(|| self.no_capture_outcome())
            .or_else(|| outcome_without_moves(&self.rules, &self.position))
            .or_else(|| self.length_outcome())
    }

    fn no_capture_outcome(&self) -> Option<Outcome> {
        let limit = self.rules.set().no_capture_plies?;
        (self.plies_since_capture >= limit).then_some(Outcome { winner: None, reason: Reason::NoCaptures })
    }

    fn length_outcome(&self) -> Option<Outcome> {
        (self.ply() >= self.max_plies?).then_some(Outcome { winner: None, reason: Reason::PlyLimit })
    }
}

/// The loss of a side that has no legal move (clause C8).
fn outcome_without_moves(rules: &Rules, position: &Position) -> Option<Outcome> {
    (!rules.has_legal_move(position))
        .then_some(Outcome { winner: Some(position.side_to_move().opponent()), reason: Reason::NoMoves })
}
