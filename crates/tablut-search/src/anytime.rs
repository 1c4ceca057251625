//! A search under a [`Limit`] that may be cut at any moment. The caller reads the clock.
//!
//! PUCT plays the move of most visits, whenever it is stopped: it runs as one search to the end of the time. Gumbel
//! must know its budget beforehand, for sequential halving spends the first half of it on moves that it then drops.
//! Under a clock it therefore runs in rounds, each a whole search of twice the simulations of the one before, on the
//! tree that was kept; kept visits pay for the same visits of the next round. So at least the last round but one
//! has always come to its end, and the moves that it left are the first that the last one considers, by scores that
//! know all visits. With [`Method::Auto`] the rounds end at `gumbel_up_to` simulations, and PUCT goes on with the tree
//! until the end. (The doubling trick of bandit algorithms. Sagers, Winands and Soemers 2024, "Anytime Sequential
//! Halving in Monte-Carlo Tree Search", instead pass through all halvings again and again, with few visits in each.)

use std::time::Duration;

use crate::config::{Method, SearchConfig};
use crate::limit::Limit;
use crate::search::{Search, Stop};

/// Simulations of a Gumbel search's first round under a clock.
pub const FIRST_ROUND: u32 = 32;

/// Leads one search through its rounds until a limit is reached.
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
    /// Simulations of the rounds that are over.
    spent: u32,
}

impl Anytime {
    /// A search under `limit`; the simulations of `config` are not read. With simulations alone it is one search of so
    /// many; under a clock it is rounds, unless it is PUCT alone.
    pub fn new(limit: Limit, config: &SearchConfig) -> Self {
        let most = limit.simulations().unwrap_or(u32::MAX);
        let in_rounds = limit.time().is_some() && config.method != Method::Puct;
        let simulations = if in_rounds { most.min(FIRST_ROUND) } else { most };
        // Between rounds, visits must count.
        let count_kept_visits = config.count_kept_visits || in_rounds;
        let config = SearchConfig { simulations, count_kept_visits, ..config.clone() };
        Self { limit, config, spent: 0 }
    }

    /// The settings that the search must begin with.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Simulations of all rounds so far.
    pub fn simulations(&self, search: &Search) -> u32 {
        self.spent.saturating_add(search.simulations())
    }

    /// Whether the next thing to do is a gathering, `elapsed` after the beginning; begins the next round where one is
    /// over. When the limit is reached the search is stopped, but not before its root is evaluated. (Both bounds
    /// are looked at between gatherings: of several leaves asked for together the last may come too late.)
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
            let all = self.limit.simulations().unwrap_or(u32::MAX);
            let round_is_over = search.stopped() == Some(Stop::Simulations) && self.config.simulations < all;
            if !round_is_over || self.limit.is_spent(elapsed, self.simulations(search)) {
                return false;
            }
            self.spent = self.simulations(search);
            let doubled = self.config.simulations.saturating_mul(2);
            let is_last = self.config.method == Method::Auto && doubled > self.config.gumbel_up_to;
            self.config.simulations = if is_last { all } else { doubled.min(all) };
            search.configure(&self.config);
        }
    }
}
