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

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    pub count: u32,
    /// Their share, 0 to 1.
    pub part: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Share {
    fn of(count: usize, games: usize) -> Self {
        let (count, games) = (count as u32, games as u32);
        let estimate = Wdl { wins: count, draws: 0, losses: games - count }.estimate();
        Self { count, part: if games == 0 { 0.0 } else { estimate.mean }, low: estimate.low, high: estimate.high }
    }
}

/// Results of games as shares of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    pub attackers: Share,
    pub draws: Share,
    pub defenders: Share,
    pub unfinished: Share,
}

impl Shares {
    pub fn of(results: Results) -> Self {
        let [attackers, draws, defenders, unfinished] = results.counts().map(|n| Share::of(n, results.games()));
        Self { attackers, draws, defenders, unfinished }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Balance {
    pub simulations: u32,
    pub games: u32,
    #[serde(flatten)]
    pub shares: Shares,
    pub mean_plies: f64,
    /// Half the width of the mean length's 95 % interval.
    pub plies_within: f64,
    pub reasons: BTreeMap<&'static str, u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperimentView {
    pub rules: String,
    pub balances: Vec<Balance>,
    pub played: u32,
    pub games: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPuzzle {
    pub game: String,
    pub node: NodeId,
    pub rules: String,
    pub ply: u32,
    pub side: Side,
    pub distance: u32,
    /// Whether the move that was played does not keep this win.
    pub missed: bool,
}

/// The rest of a puzzle after the right answer and the best defence.
#[derive(Clone, Debug)]
pub struct NextPuzzle {
    pub reply: Move,
    pub distance: u32,
    pub solutions: Vec<Move>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LensRow {
    pub rules: String,
    /// The value and the best move; `None` if the game is over under these rules.
    pub analysis: Option<Analysis>,
    pub over: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationBranch {
    #[serde(rename = "move")]
    pub mv: Move,
    /// Plies to the end after the move, against any reply. `None` if no win is proven.
    pub plies: Option<u32>,
    pub answer: Option<Move>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RefutationView {
    pub node: NodeId,
    pub path: Vec<Move>,
    pub side: Side,
    /// The proven result. `None` if there is no proof yet.
    pub proven: Option<Proof>,
    /// The winning moves, shortest win first, if the winner is to move. Otherwise all moves, longest loss first.
    pub branches: Vec<RefutationBranch>,
    pub done: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mistake {
    pub node: NodeId,
    /// The move's ply, from 1.
    pub ply: u32,
    pub side: Side,
    pub played: Move,
    pub grade: Grade,
    pub words: String,
    /// Whether the effect is proven. Otherwise it is the search's estimate.
    pub certain: bool,
}

/// The result of a review. The exercises contain the solutions, so interfaces receive only their tasks.
#[derive(Clone, Debug)]
pub struct ReviewReport {
    pub mistakes: Vec<Mistake>,
    pub exercises: Vec<Exercise>,
    pub reviewed: Vec<(NodeId, Reviewed)>,
    pub positions: usize,
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
