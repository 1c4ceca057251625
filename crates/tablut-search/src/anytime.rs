//! A search under a [`Limit`] that can stop at any moment. The caller reads the clock.
//!
//! PUCT plays the most visited move, whenever it stops. Gumbel must know its budget in advance: sequential halving spends
//! the first half of it on moves that it drops later. So a limit without a number of simulations is always searched by
//! PUCT.

use std::time::Duration;

use crate::config::{Method, SearchConfig};
use crate::limit::Limit;
use crate::search::Search;

/// The most simulations of a search under a clock. Where all simulations end in known results there are millions a
/// second, and visits must not overflow.
const MOST_SIMULATIONS: u32 = 1 << 30;

/// Runs one search until a limit is reached.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Instant;
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// use tablut_rules::{Game, Rules, Side};
/// use tablut_search::{Anytime, Evaluator, Limit, Search, SearchConfig, UniformEvaluator};
///
/// let game = Game::new(Arc::new(Rules::named("kvasir")?), Side::Attackers);
/// let limit: Limit = "500/20ms".parse()?;
/// let anytime = Anytime::new(limit, &SearchConfig::default());
/// let mut search = Search::new(game, anytime.config(), ChaCha8Rng::seed_from_u64(7));
/// let (begin, mut queries) = (Instant::now(), Vec::new());
/// while anytime.goes_on(&mut search, begin.elapsed()) {
///     search.gather(&mut queries);
///     search.apply(&UniformEvaluator.evaluate(&queries)?);
///     queries.clear();
/// }
/// println!("{}", search.result().chosen);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Anytime {
    limit: Limit,
    config: SearchConfig,
}

impl Anytime {
    /// A search under `limit`. The `simulations` of `config` are ignored. If the limit has no simulations, the method is
    /// PUCT.
    pub fn new(limit: Limit, config: &SearchConfig) -> Self {
        let (simulations, method) = match limit.simulations() {
            Some(simulations) => (simulations.min(MOST_SIMULATIONS), config.method),
            None => (MOST_SIMULATIONS, Method::Puct),
        };
        Self { limit, config: SearchConfig { simulations, method, ..config.clone() }.with_method_chosen() }
    }

    /// The settings to create the search with.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Whether to gather again, `elapsed` after the start. If the limit is reached, this stops the search, but not before
    /// its root is evaluated. The limit is checked only between gatherings, so the last of several leaves gathered
    /// together may exceed it.
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn goes_on(&self, search: &mut Search, elapsed: Duration) -> bool {
        if !search.awaits_root() && self.limit.is_spent(elapsed, search.simulations()) {
            search.stop();
        }
        !search.is_done()
    }
}
