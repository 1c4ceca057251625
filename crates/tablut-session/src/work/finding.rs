//! What a piece of work finds, and the steps in which it is done.

use super::exercise::{Exercise, Judgement};
use crate::thinking::Analysis;
use crate::tree::NodeId;
use crate::value::{NodeValue, Proven};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tablut_ratings::Wdl;
use tablut_rules::{Move, Side};
use tablut_search::{EvaluateError, Evaluator};

/// What a piece of work has found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The computer's move, and what it thinks of the position if it has an opinion.
    Reply(Move, Option<NodeValue>),
    /// What an analysis sees so far.
    Analysis(NodeId, Analysis),
    /// What the opponent would do if it were its turn.
    Threat(NodeId, Analysis),
    /// A position's value.
    Value(NodeId, NodeValue),
    /// How far a review is: positions looked at, positions in all.
    ReviewProgress(usize, usize),
    /// A review.
    Review(ReviewReport),
    /// A position under one more rule set.
    Lens(LensRow),
    /// An answer to an exercise.
    Judgement(Judgement),
    /// How an experiment stands.
    Experiment(ExperimentView),
    /// A level of a proof, as far as it is known.
    Refutation(RefutationView),
    /// What the net of a checkpoint makes of a position.
    Glance(NodeId, usize, Analysis),
    /// Puzzles found so far; games looked through, games in all.
    Finds(Vec<Find>, usize, usize),
}

/// What a step of work gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Nothing to tell yet.
    GoesOn,
    /// Something to tell, and there is more to do.
    News(Vec<Finding>),
    /// All that there was to do.
    Done(Vec<Finding>),
}

/// Work that is done in steps of a few milliseconds, so that a host can share its threads and stop at any time.
pub trait Work: Send {
    /// Does one step. `elapsed` is the time since the first.
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError>;
}

/// Results of games at one strength.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Simulations a move.
    pub simulations: u32,
    /// Games played.
    pub games: u32,
    /// Games that the attackers won, with its share and the share's 95 % interval.
    pub attackers: Share,
    /// Draws.
    pub draws: Share,
    /// Games that the defenders won.
    pub defenders: Share,
    /// The mean length in plies.
    pub mean_plies: f64,
    /// Half the width of the mean length's 95 % interval.
    pub plies_within: f64,
    /// How often games ended for which reason.
    pub reasons: BTreeMap<&'static str, u32>,
}

/// A count of games, and what share of all it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Games.
    pub count: u32,
    /// Their share.
    pub part: f64,
    /// The 95 % interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Share {
    /// `count` of `games`, with Wilson's interval.
    pub fn of(count: u32, games: u32) -> Self {
        let estimate = Wdl { wins: count, draws: 0, losses: games - count }.estimate();
        Self { count, part: if games == 0 { 0.0 } else { estimate.mean }, low: estimate.low, high: estimate.high }
    }
}

/// How an experiment stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperimentView {
    /// The rule set's name.
    pub rules: String,
    /// Results by strength, the weakest first.
    pub balances: Vec<Balance>,
    /// Games finished.
    pub played: u32,
    /// Games in all.
    pub games: u32,
}

/// A position of a saved game that makes a puzzle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Find {
    /// The game's name.
    pub game: String,
    /// The position.
    pub node: NodeId,
    /// The rule set's name.
    pub rules: String,
    /// Its ply.
    pub ply: u32,
    /// Who is to move and wins.
    pub side: Side,
    /// Moves to the win.
    pub distance: u32,
    /// Whether the win was not played.
    pub missed: bool,
}

/// What a position is under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LensRow {
    /// The rule set's name.
    pub rules: String,
    /// The best move and the value, where the game would go on.
    pub analysis: Option<Analysis>,
    /// How the game would be over, in words.
    pub over: Option<String>,
}

/// A move of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationBranch {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Plies to the end after it, where they are known; then the winner wins whatever is played.
    pub plies: Option<u32>,
    /// The winner's answer to a move of the losing side.
    pub answer: Option<Move>,
}

/// One level of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationView {
    /// The position that was asked about.
    pub node: NodeId,
    /// Moves from there to the level.
    pub path: Vec<Move>,
    /// Who is to move.
    pub side: Side,
    /// The proven result; none where nothing is proven, or as long as nothing is known yet.
    pub proven: Option<Proven>,
    /// Of the winner the moves that win, of the losing side all its moves; the shortest wins first, the longest losses first.
    pub branches: Vec<RefutationBranch>,
    /// Whether that is all.
    pub done: bool,
}

/// A move that changed the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// The position before it.
    pub node: NodeId,
    /// Its ply, from 1.
    pub ply: u32,
    /// Who played it.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// What it did: "allowed a win in 3".
    pub words: String,
    /// Whether the solver proved it, or the net's expectation says so.
    pub certain: bool,
}

/// What a review found. The exercises hold the solutions, and are shown only when asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewReport {
    /// The mistakes, in the order of the game.
    pub mistakes: Vec<Mistake>,
    /// For each mistake the task to do better.
    pub exercises: Vec<Exercise>,
    /// Positions looked at.
    pub positions: usize,
}
