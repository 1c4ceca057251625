//! The hand-written engine: alpha-beta search with iterative deepening.
//!
//! Published versions do not change, so that ratings anchored to them stay comparable. [`VERSION`] is the current
//! version.

mod evaluation;
mod ordering;
mod table;
mod tree;

use crate::player::{Fault, Player, pick};
use crate::spec::{MAX_DEPTH, SearchLimit};
use evaluation::{Evaluation, INFINITE, WIN, WIN_BOUND};
use ordering::Ordering;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use std::time::Instant;
use table::Table;
use tablut_rules::{Game, Move, MoveList, Outcome, Rules, Side};
use tablut_search::Situation;
use tree::Tree;

/// The version of the engine's play. It increases when the play changes.
pub const VERSION: u32 = 1;

/// Slots of the transposition table, as a power of two: for up to three plies, and for more.
const TABLE_BITS: [u32; 2] = [14, 18];

/// An alpha-beta player. It chooses at random among moves with equal scores.
pub struct AlphaBeta {
    rules: Arc<Rules>,
    limit: SearchLimit,
    rng: ChaCha8Rng,
    evaluation: Evaluation,
    table: Table,
    ordering: Ordering,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaBetaAnalysis {
    /// The moves with the best score, in the order of move generation.
    pub best: Vec<Move>,
    /// Their score in the side to move's view, in hundredths of a defender.
    pub score: i32,
}

impl AlphaBeta {
    /// A player for games under `rules`.
    pub fn new(rules: &Arc<Rules>, limit: SearchLimit, rng: ChaCha8Rng) -> Self {
        let shallow = matches!(limit, SearchLimit::Depth(..4));
        Self {
            rules: rules.clone(),
            limit,
            rng,
            evaluation: Evaluation::new(rules),
            table: Table::new(TABLE_BITS[usize::from(!shallow)]),
            ordering: Ordering::new(),
        }
    }

    /// Searches the game's position.
    ///
    /// # Panics
    /// If the game is over.
    pub fn analyse(&mut self, game: &Game) -> AlphaBetaAnalysis {
        // Entries from an earlier move's search would make this move depend on the path to the position.
        self.table.clear();
        self.ordering.clear();
        let (max_depth, deadline) = match self.limit {
            SearchLimit::Depth(depth) => (depth, None),
            SearchLimit::Time(time) => (MAX_DEPTH, Some(Instant::now() + time)),
        };
        let mut tree = Tree {
            rules: &self.rules,
            evaluation: &self.evaluation,
            table: &mut self.table,
            ordering: &mut self.ordering,
            line: line_of(game),
            deadline,
            stopped: false,
            nodes: 0,
        };
        let mut roots = roots(game);
        assert!(!roots.is_empty(), "a player was asked for a move in a game that is over");
        let mut analysis = AlphaBetaAnalysis { best: Vec::new(), score: -INFINITE };
        for depth in 1..=max_depth {
            let score = search_roots(&mut tree, &mut roots, depth);
            if tree.stopped && depth > 1 {
                break;
            }
            analysis.score = score;
            analysis.best = roots.iter().filter(|root| root.score == score).map(|root| root.mv).collect();
            if score.abs() > WIN_BOUND || roots.len() == 1 || tree.stopped {
                break;
            }
        }
        analysis.best.sort();
        analysis
    }
}

impl Player for AlphaBeta {
    fn poll(&mut self, game: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        let best = self.analyse(game).best;
        Ok(Some(pick(&best, &mut self.rng)))
    }
}

struct Root {
    mv: Move,
    position: tablut_rules::Position,
    /// The score, if the rules of the game end it, including repetition and limits on length.
    settled: Option<i32>,
    score: i32,
}

fn roots(game: &Game) -> Vec<Root> {
    let side = game.position().side_to_move();
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let mut game = game.clone();
    moves
        .iter()
        .map(|&mv| {
            let position = game.play_trusted(mv).position;
            let settled = game.outcome().map(|outcome| settled_score(outcome, side));
            game.undo();
            Root { mv, position, settled, score: 0 }
        })
        .collect()
}

fn settled_score(outcome: Outcome, side: Side) -> i32 {
    match outcome.winner {
        None => 0,
        Some(winner) if winner == side => WIN - 1,
        Some(_) => 1 - WIN,
    }
}

/// Scores the root moves `depth` plies deep and returns the best score. The score is exact for every move that has it.
fn search_roots(tree: &mut Tree<'_>, roots: &mut [Root], depth: u32) -> i32 {
    roots.sort_by_key(|root| std::cmp::Reverse(root.score));
    let mut best = -INFINITE;
    for root in roots.iter_mut() {
        root.score = root.settled.unwrap_or_else(|| {
            // The window ends one below the best score, to distinguish equal moves from worse ones.
            -tree.negamax(&root.position, depth - 1, 1, -INFINITE, -(best - 1).max(-INFINITE))
        });
        if tree.stopped {
            // At the first depth, moves that were not reached get a score so low that none of them is chosen.
            root.score = root.settled.unwrap_or(-INFINITE);
        }
        best = best.max(root.score);
    }
    best
}

/// Hashes of the positions since the last capture. Only these can be repeated.
fn line_of(game: &Game) -> Vec<u64> {
    let mut line = vec![game.position().hash()];
    let mut game = game.clone();
    for _ in 0..game.plies_since_capture() {
        if game.undo().is_none() {
            break;
        }
        line.push(game.position().hash());
    }
    line
}

#[cfg(test)]
mod tests;
