//! Exercises: a position with a task, and the verdict on an answer.

use crate::session::Session;
use crate::tree::{NodeId, Reviewed};
use crate::words;
use serde::Serialize;
use tablut_rules::{Game, Move, Piece, Side};
use tablut_search::{Chances, Proof, turned};

/// A position in which the player has to find a better move.
#[derive(Clone, Debug)]
pub struct Exercise {
    pub node: NodeId,
    pub(crate) game: Game,
    pub(crate) solutions: Vec<Move>,
    pub(crate) line: Vec<Move>,
    pub(crate) proven: Option<Proof>,
    /// The position's value for the side to move, −1 to 1.
    pub(crate) worth: f32,
    pub(crate) played: Option<(Move, f32)>,
    pub(crate) lesson: Option<LessonStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LessonStep {
    pub step: usize,
    pub of: usize,
    pub title: String,
    pub texts: Vec<String>,
    pub task: String,
    pub shown: String,
}

impl LessonStep {
    pub(crate) fn refusal(&self, piece: Option<Piece>) -> String {
        let piece = piece.map_or("That piece".to_owned(), |piece| format!("The {piece}"));
        words::capitalize(&format!("{piece} may move there, but it does not do this: {}", self.task))
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sufficiency {
    Best,
    /// It keeps the proven result, or it is about as good as the best move that the search found.
    Enough,
    /// It wins a puzzle, but in more moves than the puzzle allows.
    Slower,
    Unclear,
    /// It provably gives the result away, or it is no better than the mistake.
    Fails,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    #[serde(rename = "move")]
    pub mv: Move,
    pub sufficiency: Sufficiency,
    pub words: String,
    pub line: Vec<Move>,
    pub chances: Option<Chances>,
    /// Whether it is a judgement of the user's answer, and not the solution.
    pub answered: bool,
    /// Whether the answer is played on the board, as in puzzles and lessons.
    pub played: bool,
    pub goes_on: bool,
}

impl Exercise {
    /// The exercise to find a better move than a mistake. `worth` is the mistake's value for its side.
    pub(crate) fn of_mistake(node: NodeId, game: Game, before: &Reviewed, played: Move, worth: f32) -> Self {
        let side = game.position().side_to_move();
        let mut solutions = before.solutions.clone();
        if solutions.is_empty() {
            solutions.extend(before.best.first());
        }
        let value = before.value.value();
        Self {
            node,
            game,
            solutions,
            line: before.best.clone(),
            proven: before.value.proven,
            worth: turned(value, side),
            played: Some((played, worth)),
            lesson: None,
        }
    }

    /// A puzzle: the side to move wins in `moves` own moves, and `solutions` are the first moves that do so.
    pub fn of_puzzle(session: &Session, moves: u32, solutions: Vec<Move>) -> Self {
        let winner = Some(session.game().position().side_to_move());
        let plies = (2 * moves.max(1) - 1) as u16;
        let proven = Some(Proof { winner, plies, from_history: false });
        Self { proven, worth: 1.0, ..Self::new(session, solutions) }
    }

    /// A step of a lesson, which any of `solutions` solves.
    pub(crate) fn of_lesson(session: &Session, lesson: LessonStep, solutions: Vec<Move>) -> Self {
        Self { lesson: Some(lesson), ..Self::new(session, solutions) }
    }

    /// An exercise in the session's current position, without a known result.
    fn new(session: &Session, solutions: Vec<Move>) -> Self {
        Self {
            node: session.current(),
            game: session.game().clone(),
            line: solutions.first().copied().into_iter().collect(),
            solutions,
            proven: None,
            worth: 0.0,
            played: None,
            lesson: None,
        }
    }

    /// Whether it is a puzzle: the side to move wins, and the first moves of the shortest win solve it.
    pub(crate) fn is_puzzle(&self) -> bool {
        self.lesson.is_none() && self.played.is_none() && self.proven.is_some()
    }

    /// Own moves to the win of a puzzle.
    pub(crate) fn distance(&self) -> u32 {
        self.proven.map_or(0, |proven| u32::from(proven.plies).div_ceil(2))
    }

    pub fn lesson(&self) -> Option<&LessonStep> {
        self.lesson.as_ref()
    }

    pub fn side(&self) -> Side {
        self.game.position().side_to_move()
    }

    pub fn task(&self) -> String {
        let side = words::capitalize(&self.side().to_string());
        if let Some(lesson) = &self.lesson {
            return lesson.task.clone();
        }
        match (self.proven, self.played) {
            (Some(proven), None) => format!("{side} to move and win in {}.", proven.plies.div_ceil(2)),
            (_, Some((played, _))) => format!("{side} to move. {played} was played here; find something better."),
            (None, None) => format!("{side} to move. Find the best move."),
        }
    }

    pub fn solution(&self) -> Judgement {
        let mv = self.solutions.first().copied();
        let mv = mv.or(self.line.first().copied()).expect("an exercise has a solution");
        Judgement {
            mv,
            sufficiency: Sufficiency::Best,
            words: match (self.proven, &self.lesson) {
                (_, Some(_)) => "This move is right. Make it on the board.".to_owned(),
                (Some(proven), _) => words::capitalize(&format!("{}.", words::proven(proven, self.side()))),
                (None, None) => "The search found no better move.".to_owned(),
            },
            line: self.line.clone(),
            chances: None,
            answered: false,
            played: false,
            goes_on: false,
        }
    }
}
