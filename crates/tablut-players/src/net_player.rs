//! A net that plays one game at a time, outside a match: with a number of simulations, or with a clock.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::time::Instant;
use tablut_net::{Engine, EngineOptions, NetError, NetEvaluator, Precision, Weights};
use tablut_rules::Game;
use tablut_search::{EvaluateError, Evaluator, Limit, Search, SearchConfig, SearchResult};

/// A net with its search, for one game after another.
pub struct NetPlayer {
    evaluator: Box<dyn Evaluator>,
    n_threads: usize,
    seed: u64,
}

/// Leaves in flight per thread, if there are several threads and the search has a time limit.
const LEAVES_PER_THREAD: u32 = 4;

/// The answer of [`NetPlayer::think`]'s `watch`.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Watch {
    /// Continue.
    GoOn,
    /// Stop and play the best move found.
    Stop,
}

impl NetPlayer {
    /// A player with any evaluator. All randomness comes from `seed`.
    pub fn new(evaluator: Box<dyn Evaluator>, seed: u64) -> Self {
        Self { evaluator, n_threads: 1, seed }
    }

    /// A player with a net's weights in some precision, on `n_threads` threads of the CPU.
    pub fn from_weights(
        weights: &Weights,
        n_threads: usize,
        precision: Precision,
        seed: u64,
    ) -> Result<Self, NetError> {
        let options = EngineOptions { n_threads, precision, ..EngineOptions::default() };
        let engine = Engine::with_options(weights, options)?;
        Ok(Self { n_threads, ..Self::new(Box::new(NetEvaluator::new(Box::new(engine))), seed) })
    }

    /// Searches the game's position with the settings in `config` until `limit` is reached.
    /// `watch` sees the search after every batch of evaluations.
    ///
    /// Every ply has its own random generator, so that the search of one ply does not influence another. Without a time
    /// limit the result depends on nothing else; with one it depends on the machine.
    ///
    /// # Panics
    /// If the game is over.
    pub fn think(
        &mut self,
        game: &Game,
        config: &SearchConfig,
        limit: Limit,
        watch: &mut dyn FnMut(&Search) -> Watch,
    ) -> Result<SearchResult, EvaluateError> {
        Ok(self.search(game, config, limit, watch)?.result())
    }

    /// Like [`NetPlayer::think`], but returns the whole search, for its lines.
    ///
    /// # Panics
    /// If the game is over.
    pub fn search(
        &mut self,
        game: &Game,
        config: &SearchConfig,
        limit: Limit,
        watch: &mut dyn FnMut(&Search) -> Watch,
    ) -> Result<Search, EvaluateError> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(game.ply()));
        let mut config = config.clone();
        // Without a clock the result must not depend on the number of threads.
        if self.n_threads > 1 && limit.time().is_some() {
            let leaves = LEAVES_PER_THREAD.saturating_mul(self.n_threads as u32);
            config.leaves_in_flight = config.leaves_in_flight.max(leaves);
        }
        let mut search = Search::new(game.clone(), &config, limit, rng);
        let (began, mut queries) = (Instant::now(), Vec::new());
        while search.goes_on(began.elapsed()) {
            queries.clear();
            search.gather(&mut queries);
            search.apply(&self.evaluator.evaluate(&queries)?);
            if watch(&search) == Watch::Stop {
                search.stop();
                break;
            }
        }
        Ok(search)
    }
}

#[cfg(test)]
mod tests {
    use super::{NetPlayer, Watch};
    use std::sync::Arc;
    use std::time::Duration;
    use tablut_rules::{Game, Position, Rules, Side};
    use tablut_search::{Limit, SearchConfig, UniformEvaluator};

    fn player() -> NetPlayer {
        NetPlayer::new(Box::new(UniformEvaluator), 1)
    }

    fn start() -> Game {
        Game::new(Arc::new(Rules::named("kvasir").unwrap()), Side::Attackers)
    }

    #[test]
    fn simulations_are_counted_and_results_repeat() {
        let think = |limit| player().think(&start(), &SearchConfig::for_play(), limit, &mut |_| Watch::GoOn).unwrap();
        let result = think(Limit::of_simulations(50));
        assert!(result.simulations <= 50 && result.simulations >= 16, "{}", result.simulations);
        assert_eq!(think(Limit::of_simulations(50)), result);
        assert_eq!(think(Limit::of_simulations(0)).simulations, 0);
    }

    #[test]
    fn a_search_by_time_ends_and_grows_until_it_is_told_to_stop() {
        let think = |time, watch: &mut dyn FnMut(&tablut_search::Search) -> Watch| {
            let limit = Limit::of_time(time).unwrap();
            player().think(&start(), &SearchConfig::for_play(), limit, watch).unwrap()
        };
        let none = think(Duration::from_millis(1), &mut |_| Watch::GoOn);
        assert!(start().rules().check_legal(start().position(), none.chosen).is_ok());
        let mut batches = 0;
        let long = think(Duration::from_hours(1), &mut |_| {
            batches += 1;
            if batches == 60 { Watch::Stop } else { Watch::GoOn }
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
        let result = player().think(&game, &SearchConfig::for_play(), limit, &mut |_| Watch::GoOn).unwrap();
        assert_eq!(result.proven.and_then(|proof| proof.winner), Some(Side::Defenders));
    }
}
