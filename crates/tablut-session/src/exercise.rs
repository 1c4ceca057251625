//! Exercises: a position with a task, and the verdict on an answer.

use crate::session::Session;
use crate::thinking::Analysis;
use crate::tree::NodeId;
use crate::words;
use serde::Serialize;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Chances, Proof, turned};

/// A position in which the player has to find a better move.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// The position's node in its game.
    pub node: NodeId,
    pub(crate) game: Game,
    /// First moves that solve it.
    pub(crate) solutions: Vec<Move>,
    /// The best line.
    pub(crate) line: Vec<Move>,
    /// The proven result.
    pub(crate) proven: Option<Proof>,
    /// The position's value for the side to move, −1 to 1.
    pub(crate) worth: f32,
    /// The mistake, and its value.
    pub(crate) played: Option<(Move, f32)>,
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sufficiency {
    /// It is one of the best moves.
    Best,
    /// It keeps the proven result, or it is about as good as the best move that the search found.
    Enough,
    /// Its result is not proven.
    Unclear,
    /// It provably gives the result away, or it is no better than the mistake.
    Fails,
}

/// The verdict on an answer to an exercise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The answer.
    #[serde(rename = "move")]
    pub mv: Move,
    /// How good it is.
    pub sufficiency: Sufficiency,
    /// The reason, in words.
    pub words: String,
    /// The expected line after it.
    pub line: Vec<Move>,
    /// The chances after it.
    pub chances: Option<Chances>,
}

impl Exercise {
    /// The exercise to find a better move than a mistake. `worth` is the mistake's value for its side.
    pub(crate) fn of_mistake(node: NodeId, game: Game, before: &Analysis, played: Move, worth: f32) -> Self {
        let side = game.position().side_to_move();
        let best = before.lines.first().map(|line| line.moves.clone()).unwrap_or_default();
        let keeps = |proven: Option<Proof>| {
            before.proven.is_some() && proven.map(|proven| proven.winner) == before.proven.map(|proven| proven.winner)
        };
        let proven_moves = before.lines.iter().filter(|line| keeps(line.proven)).filter_map(|line| line.moves.first());
        let mut solutions: Vec<Move> = proven_moves.copied().collect();
        if solutions.is_empty() {
            solutions.extend(best.first());
        }
        let value = before.chances.value();
        Self {
            node,
            game,
            solutions,
            line: best,
            proven: before.proven,
            worth: turned(value, side),
            played: Some((played, worth)),
        }
    }

    /// A puzzle: the side to move wins in `moves` own moves, and `solutions` are the first moves that do so.
    pub fn of_puzzle(session: &Session, moves: u32, solutions: Vec<Move>) -> Self {
        let game = session.game().clone();
        let winner = Some(game.position().side_to_move());
        let plies = (2 * moves.max(1) - 1) as u16;
        Self {
            node: session.current(),
            game,
            line: solutions.first().copied().into_iter().collect(),
            solutions,
            proven: Some(Proof { winner, plies, from_history: false }),
            worth: 1.0,
            played: None,
        }
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.game.position().side_to_move()
    }

    /// The task in words, without the solution.
    pub fn task(&self) -> String {
        let side = words::capitalized(&self.side().to_string());
        match (self.proven, self.played) {
            (Some(proven), None) => format!("{side} to move and win in {}.", proven.plies.div_ceil(2)),
            (_, Some((played, _))) => format!("{side} to move. {played} was played here; find something better."),
            (None, None) => format!("{side} to move. Find the best move."),
        }
    }

    /// The solution.
    pub fn solution(&self) -> Judgement {
        let mv = self.solutions.first().copied();
        let mv = mv.or(self.line.first().copied()).expect("an exercise has a solution");
        Judgement {
            mv,
            sufficiency: Sufficiency::Best,
            words: match self.proven {
                Some(proven) => words::capitalized(&format!("{mv}: {}.", words::proven(proven, self.side()))),
                None => format!("{mv} is the best move that the search found."),
            },
            line: self.line.clone(),
            chances: None,
        }
    }
}
