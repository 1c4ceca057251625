//! Collects the games of a match and counts the pairs.

use crate::match_game::GameResult;
use crate::tally::Tally;
use std::collections::BTreeMap;
use tablut_ratings::{TestBounds, TestVerdict};

/// Counts a pair when both of its games have ended. Without a sequential test every such pair counts at once. With one,
/// pairs are judged in their order, and no pair after the deciding one counts. So the result does not depend on
/// threads.
pub(super) struct Collector {
    in_order: bool,
    waiting: BTreeMap<usize, GameResult>,
    counted: BTreeMap<usize, GameResult>,
    /// All pairs that count so far.
    pub(super) tally: Tally,
    /// Games that have ended, whether they count or not.
    pub(super) finished: usize,
    /// Whether the sequential test has ended the match.
    pub(super) settled: bool,
}

impl Collector {
    pub(super) fn new(test: Option<TestBounds>) -> Self {
        let (waiting, counted) = (BTreeMap::new(), BTreeMap::new());
        let tally = Tally::with_test(test);
        Self { in_order: test.is_some(), waiting, counted, tally, finished: 0, settled: false }
    }

    /// Adds a game. Returns true once the sequential test has a verdict.
    pub(super) fn add(&mut self, game_idx: usize, result: &GameResult) -> bool {
        self.finished += 1;
        self.waiting.insert(game_idx, result.clone());
        if self.in_order {
            while !self.settled && self.count_pair(self.counted.len()) {
                self.settled = self.tally.test().is_some_and(|state| state.verdict != TestVerdict::Undecided);
            }
        } else {
            self.count_pair(game_idx - game_idx % 2);
        }
        self.settled
    }

    /// Counts the pair that starts with game `first`, if both its games have ended.
    fn count_pair(&mut self, first: usize) -> bool {
        if !(self.waiting.contains_key(&first) && self.waiting.contains_key(&(first + 1))) {
            return false;
        }
        let pair = [first, first + 1].map(|idx| self.waiting.remove(&idx).expect("both were there"));
        self.tally.record_pair(&pair[0], &pair[1]);
        self.counted.extend([first, first + 1].into_iter().zip(pair));
        true
    }

    /// The games that count, with their numbers, in order.
    pub(super) fn into_games(self) -> BTreeMap<usize, GameResult> {
        self.counted
    }
}
