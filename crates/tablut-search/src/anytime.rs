//! A search under a [`Limit`] that can stop at any moment. The caller reads the clock.
//!
//! PUCT plays the most visited move, whenever it stops. Under a clock it runs as one search until time is up.
//!
//! Gumbel must know its budget in advance: sequential halving spends the first half of it on moves that it drops later.
//! Under a clock it therefore runs in rounds. Each round is a whole search with twice the simulations of the round
//! before, on the kept tree. Kept visits count as visits of the new round. So at least the last round but one is always
//! complete. The last round considers the moves that were left by that round first, with scores from all visits.
//!
//! [`Method::Auto`](crate::Method::Auto) takes PUCT, unless the limit allows no more than `gumbel_up_to` simulations.
//!
//! This is the doubling trick of bandit algorithms. Sagers, Winands and Soemers 2024, "Anytime Sequential Halving in
//! Monte-Carlo Tree Search", take another way: they repeat all halvings again and again, with few visits in each.

use std::time::Duration;

use crate::config::{Method, SearchConfig};
use crate::limit::Limit;
use crate::search::{Search, Stop};

/// Simulations in the first round of a Gumbel search under a clock.
pub const FIRST_ROUND: u32 = 32;

/// The most simulations of a search under a clock. Where all simulations end in known results there are millions a
/// second, and visits must not overflow.
const MOST_SIMULATIONS: u32 = 1 << 30;

/// Runs one search, in rounds if necessary, until a limit is reached.
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
/// let mut anytime = Anytime::new(limit, &SearchConfig::default());
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
    /// Simulations of the finished rounds.
    spent: u32,
}

impl Anytime {
    /// A search under `limit`. The `simulations` of `config` are ignored. If the limit has no time, it is one search
    /// with the limit's simulations. Under a clock Gumbel runs in rounds.
    pub fn new(limit: Limit, config: &SearchConfig) -> Self {
        let most = most_simulations(limit);
        let config = SearchConfig { simulations: most, ..config.clone() }.with_method_chosen();
        let in_rounds = limit.time().is_some() && config.method == Method::Gumbel;
        let simulations = if in_rounds { most.min(FIRST_ROUND) } else { most };
        // Later rounds need the visits of earlier ones.
        let count_kept_visits = config.count_kept_visits || in_rounds;
        Self { limit, config: SearchConfig { simulations, count_kept_visits, ..config }, spent: 0 }
    }

    /// The settings to create the search with.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Simulations in all rounds so far.
    pub fn simulations(&self, search: &Search) -> u32 {
        self.spent.saturating_add(search.simulations())
    }

    /// Whether to gather again, `elapsed` after the start. If a round is over, this starts the next one. If the limit
    /// is reached, this stops the search, but not before its root is evaluated. The limit is checked only between
    /// gatherings, so the last of several leaves gathered together may exceed it.
    ///
    /// # Panics
    /// If the evaluations of the last gathering were not applied.
    pub fn goes_on(&mut self, search: &mut Search, elapsed: Duration) -> bool {
        loop {
            if !search.is_done() {
                if search.awaits_root() || !self.limit.is_spent(elapsed, self.simulations(search)) {
                    return true;
                }
                search.stop();
                return false;
            }
            let all = most_simulations(self.limit);
            let round_is_over = search.stopped() == Some(Stop::Simulations) && self.config.simulations < all;
            if !round_is_over || self.limit.is_spent(elapsed, self.simulations(search)) {
                return false;
            }
            self.spent = self.simulations(search);
            self.config.simulations = self.config.simulations.saturating_mul(2).min(all);
            search.configure(&self.config);
        }
    }
}

/// The most simulations that a search under `limit` has.
fn most_simulations(limit: Limit) -> u32 {
    limit.simulations().unwrap_or(MOST_SIMULATIONS).min(MOST_SIMULATIONS)
}
