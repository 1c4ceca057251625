//! The results of searches and experiments, as interfaces receive them.

use crate::exercise::Exercise;
use crate::grade::Grade;
use crate::thinking::Analysis;
use crate::tree::{NodeId, Reviewed};
use serde::Serialize;
use std::collections::BTreeMap;
use tablut_ratings::Wdl;
use tablut_rules::{Move, Results, Side};
use tablut_search::Proof;

/// A count of games and its share of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Number of games.
    pub count: u32,
    /// Their share, 0 to 1.
    pub part: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Share {
    /// `count` of `games`, with Wilson's interval.
    fn of(count: usize, games: usize) -> Self {
        let (count, games) = (count as u32, games as u32);
        let estimate = Wdl { wins: count, draws: 0, losses: games - count }.estimate();
        Self { count, part: if games == 0 { 0.0 } else { estimate.mean }, low: estimate.low, high: estimate.high }
    }
}

/// Results of games as shares of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Games that the attackers won.
    pub attackers: Share,
    /// Draws.
    pub draws: Share,
    /// Games that the defenders won.
    pub defenders: Share,
    /// Games that were stopped at a ply limit.
    pub unfinished: Share,
}

impl Shares {
    /// The shares of `results`.
    pub fn of(results: Results) -> Self {
        let [attackers, draws, defenders, unfinished] = results.counts().map(|n| Share::of(n, results.games()));
        Self { attackers, draws, defenders, unfinished }
    }
}

/// Results of an experiment at one strength.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    /// Simulations per move.
    pub simulations: u32,
    /// Played games.
    pub games: u32,
    /// Their results.
    #[serde(flatten)]
    pub shares: Shares,
    /// Mean length in plies.
    pub mean_plies: f64,
    /// Half the width of the mean length's 95 % interval.
    pub plies_within: f64,
    /// Number of games by the reason for their end.
    pub reasons: BTreeMap<&'static str, u32>,
}

/// The state of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperimentView {
    /// The rule set's name.
    pub rules: String,
    /// Results by strength, the weakest first.
    pub balances: Vec<Balance>,
    /// Finished games.
    pub played: u32,
    /// Total number of games.
    pub games: u32,
}

/// A position of a saved game that makes a puzzle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPuzzle {
    /// The game's name.
    pub game: String,
    /// The position.
    pub node: NodeId,
    /// The rule set's name.
    pub rules: String,
    /// Plies before the position.
    pub ply: u32,
    /// The side to move, which wins.
    pub side: Side,
    /// Moves of the side to move until it wins.
    pub distance: u32,
    /// Whether the move that was played does not keep this win.
    pub missed: bool,
}

/// The rest of a puzzle after the right answer and the best defence.
#[derive(Clone, Debug)]
pub struct NextPuzzle {
    /// The defence.
    pub reply: Move,
    /// Number of own moves to the win after it.
    pub distance: u32,
    /// The first moves of the shortest win.
    pub solutions: Vec<Move>,
}

/// A position under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LensRow {
    /// The rule set's name.
    pub rules: String,
    /// The value and the best move; `None` if the game is over under these rules.
    pub analysis: Option<Analysis>,
    /// Why the game is over, or impossible, under these rules.
    pub over: Option<String>,
}

/// A move of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationBranch {
    /// The move.
    #[serde(rename = "move")]
    pub mv: Move,
    /// Plies to the end after the move, against any reply. `None` if no win is proven.
    pub plies: Option<u32>,
    /// The winner's answer to a move of the losing side.
    pub answer: Option<Move>,
}

/// One level of a proof.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationView {
    /// The position of the request.
    pub node: NodeId,
    /// Moves from there to this level.
    pub path: Vec<Move>,
    /// The side to move.
    pub side: Side,
    /// The proven result. `None` if there is no proof yet.
    pub proven: Option<Proof>,
    /// The winning moves, shortest win first, if the winner is to move. Otherwise all moves, longest loss first.
    pub branches: Vec<RefutationBranch>,
    /// Whether the list is complete.
    pub done: bool,
}

/// A move that changed the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    /// The position before the move.
    pub node: NodeId,
    /// The move's ply, from 1.
    pub ply: u32,
    /// The side that made the move.
    pub side: Side,
    /// The move.
    pub played: Move,
    /// Its grade.
    pub grade: Grade,
    /// Its effect in words: "allowed a win in 3".
    pub words: String,
    /// Whether the effect is proven. Otherwise it is the search's estimate.
    pub certain: bool,
}

/// The result of a review. The exercises contain the solutions, so interfaces receive only their tasks.
#[derive(Clone, Debug)]
pub struct ReviewReport {
    /// The mistakes, in the order of the game.
    pub mistakes: Vec<Mistake>,
    /// For each mistake, the exercise to find a better move.
    pub exercises: Vec<Exercise>,
    /// The result of each position's search.
    pub reviewed: Vec<(NodeId, Reviewed)>,
    /// Number of positions that were searched.
    pub positions: usize,
}

/// The state of a training that the page has started.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingView {
    /// The rule set's name.
    pub rules: String,
    /// The text of its rule file.
    pub toml: String,
    /// Seconds since the start.
    pub seconds: u64,
    /// The time budget, in seconds.
    pub of: u64,
    /// Results of each generation's self-play games, the first generation first.
    pub generations: Vec<GenerationBalance>,
    /// Whether it is still running.
    pub state: TrainingState,
    /// The run's folder.
    pub folder: String,
}

/// Whether a training is still running.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingState {
    /// It is running.
    Running,
    /// It has finished, or was stopped.
    Ended,
    /// It failed, with this reason.
    Failed(String),
}

/// Results of one generation's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationBalance {
    /// The generation, from 0.
    pub generation: u32,
    /// Their results.
    #[serde(flatten)]
    pub shares: Shares,
    /// Mean length in plies.
    pub mean_plies: f64,
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn intervals_are_wilsons() {
        let share = Share::of(31, 56);
        assert!((share.low - 0.424).abs() < 0.001 && (share.high - 0.677).abs() < 0.001, "{share:?}");
        let none = Share::of(0, 10);
        assert!(none.low == 0.0 && (none.high - 0.278).abs() < 0.001, "{none:?}");
    }
}
