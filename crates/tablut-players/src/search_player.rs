//! A net's side of one game: a search that keeps its tree from move to move. Its leaves are evaluated together with
//! those of other games.

use crate::nets::NetSearch;
use crate::player::{Fault, Player};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::time::Instant;
use tablut_rules::{Game, Move};
use tablut_search::{Evaluation, Limit, Query, Search, SearchConfig};

/// A net with its search, for one game.
pub struct SearchPlayer {
    limit: Limit,
    config: SearchConfig,
    seed: u64,
    /// Created on the net's first move.
    search: Option<Search>,
    /// When the search of the current move began.
    began: Option<Instant>,
}

impl SearchPlayer {
    /// A player with the settings of `search`. All randomness comes from `seed`.
    pub fn new(search: &NetSearch, seed: u64) -> Self {
        Self { limit: search.limit, config: search.config.clone(), seed, search: None, began: None }
    }
}

impl Player for SearchPlayer {
    fn poll(&mut self, game: &Game, queries: &mut Vec<Query>) -> Result<Option<Move>, Fault> {
        let began = *self.began.get_or_insert_with(Instant::now);
        let fresh = || Search::new(game.clone(), &self.config, self.limit, ChaCha8Rng::seed_from_u64(self.seed));
        let search = self.search.get_or_insert_with(fresh);
        while search.goes_on(began.elapsed()) {
            if search.gather(queries) > 0 {
                return Ok(None);
            }
        }
        self.began = None;
        Ok(Some(search.result().chosen))
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        if let Some(search) = &mut self.search {
            search.apply(evaluations);
        }
    }

    fn follow(&mut self, _: &Game, mv: Move) -> Result<(), Fault> {
        if let Some(search) = &mut self.search {
            search.advance(mv);
        }
        Ok(())
    }
}
