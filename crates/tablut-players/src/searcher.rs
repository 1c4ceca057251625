//! Nets with their search: a [`Searcher`] searches one game at a time, outside a match, and a [`SearchPlayer`] plays one
//! side of one of many games.

use crate::net_search::NetSearch;
use crate::player::{Fault, Player};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use tablut_net::{Engine, EngineOptions, NetError, NetEvaluator, Weights};
use tablut_rules::{Game, Move};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Limit, Search, SearchConfig, SearchResult, Situation};

/// A net with its search, for one game at a time.
pub struct Searcher {
    evaluator: Box<dyn Evaluator>,
    n_threads: usize,
    seed: u64,
}

/// Leaves in flight per thread, if there are several threads and the search has a time limit.
const LEAVES_PER_THREAD: u32 = 4;

impl Searcher {
    /// A searcher with any evaluator. All randomness comes from `seed`.
    pub fn new(evaluator: Box<dyn Evaluator>, seed: u64) -> Self {
        Self { evaluator, n_threads: 1, seed }
    }

    /// A searcher with a net's weights, on `n_threads` threads of the CPU.
    ///
    /// # Errors
    /// If the threads cannot be started, or `TABLUT_SIMD` is wrong.
    pub fn from_weights(weights: &Weights, n_threads: usize, seed: u64) -> Result<Self, NetError> {
        let options = EngineOptions { n_threads, ..EngineOptions::default() };
        let engine = Engine::with_options(weights, options)?;
        Ok(Self { n_threads, ..Self::new(Box::new(NetEvaluator::new(Box::new(engine))), seed) })
    }

    /// The result of a [`Searcher::search`] that nobody watches.
    ///
    /// # Errors
    /// If the net fails.
    ///
    /// # Panics
    /// If the game is over.
    pub fn think(&mut self, game: &Game, config: &SearchConfig, limit: Limit) -> Result<SearchResult, EvaluateError> {
        Ok(self.search(game, config, limit, &mut |_| ControlFlow::Continue(()))?.result())
    }

    /// Searches the game's position with the settings in `config` until `limit` is reached.
    /// `watch` is called after every batch of evaluations. If it returns a break, the search ends with the best move so
    /// far.
    ///
    /// Every ply has its own random generator, so that the search of one ply does not influence another. With a time
    /// limit the result also depends on the speed of the machine.
    ///
    /// # Errors
    /// If the net fails.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(
        &mut self,
        game: &Game,
        config: &SearchConfig,
        limit: Limit,
        watch: &mut dyn FnMut(&Search) -> ControlFlow<()>,
    ) -> Result<Search, EvaluateError> {
        let mut config = config.clone();
        // Without a clock the result must not depend on the number of threads.
        if self.n_threads > 1 && limit.time().is_some() {
            let leaves = LEAVES_PER_THREAD.saturating_mul(self.n_threads as u32);
            config.leaves_in_flight = config.leaves_in_flight.max(leaves);
        }
        let mut search = Search::seeded(game.clone(), &config, limit, self.seed);
        let (began, mut queries) = (Instant::now(), Vec::new());
        while search.goes_on(began.elapsed()) {
            queries.clear();
            search.gather(&mut queries);
            search.apply(&self.evaluator.evaluate(&queries)?);
            if watch(&search).is_break() {
                search.stop();
                break;
            }
        }
        Ok(search)
    }
}

/// A net with its search, for one game.
pub struct SearchPlayer {
    limit: Limit,
    config: SearchConfig,
    seed: u64,
    /// The search. It is created on the net's first move.
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
    fn poll(&mut self, game: &Game, queries: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        // Without a limit of time it needs no clock, which a browser does not have.
        let began = self.limit.time().map(|_| *self.began.get_or_insert_with(Instant::now));
        let fresh = || Search::new(game.clone(), &self.config, self.limit, ChaCha8Rng::seed_from_u64(self.seed));
        let search = self.search.get_or_insert_with(fresh);
        while search.goes_on(began.map_or(Duration::ZERO, |began| began.elapsed())) {
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

#[cfg(test)]
mod tests {
    use super::Searcher;
    use std::ops::ControlFlow::{Break, Continue};
    use std::sync::Arc;
    use std::time::Duration;
    use tablut_rules::{Game, Position, Rules, Side};
    use tablut_search::{Limit, SearchConfig, UniformEvaluator};

    fn player() -> Searcher {
        Searcher::new(Box::new(UniformEvaluator), 1)
    }

    fn start() -> Game {
        Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers)
    }

    #[test]
    fn simulations_are_counted_and_results_repeat() {
        let think = |limit| player().think(&start(), &SearchConfig::for_play(), limit).unwrap();
        let result = think(Limit::of_simulations(50));
        assert!(result.simulations <= 50 && result.simulations >= 16, "{}", result.simulations);
        assert_eq!(think(Limit::of_simulations(50)), result);
        assert_eq!(think(Limit::of_simulations(0)).simulations, 0);
    }

    #[test]
    fn a_search_by_time_ends_and_grows_until_it_is_told_to_stop() {
        let think = |time, watch: &mut dyn FnMut(&tablut_search::Search) -> std::ops::ControlFlow<()>| {
            let limit = Limit::of_time(time).unwrap();
            player().search(&start(), &SearchConfig::for_play(), limit, watch).unwrap().result()
        };
        let none = think(Duration::from_millis(1), &mut |_| Continue(()));
        assert!(start().rules().check_legal(start().position(), none.chosen).is_ok());
        let mut batches = 0;
        let long = think(Duration::from_hours(1), &mut |_| {
            batches += 1;
            if batches == 60 { Break(()) } else { Continue(()) }
        });
        let visits: u32 = long.moves.iter().map(|root| root.visits).sum();
        assert!(visits > 50, "{visits} visits after {batches} batches");
    }

    #[test]
    fn a_proven_position_needs_no_more_time() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let position: Position = "9/9/9/4t4/9/2K6/9/9/3t5 d".parse().unwrap();
        let game = Game::from_position(rules, position).unwrap();
        let limit = Limit::of_time(Duration::from_hours(1)).unwrap();
        let result = player().think(&game, &SearchConfig::for_play(), limit).unwrap();
        assert_eq!(result.proven.and_then(|proof| proof.winner), Some(Side::Defenders));
    }
}
