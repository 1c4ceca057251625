//! The matches that show how strong a generation's net is.

use serde::{Deserialize, Serialize};
use tablut_arena::{DEFAULT_OPENING_PLIES, MatchGame, MatchPlan, Opening, Tally, openings};
use tablut_games::GameRecord;
use tablut_learn::{RatingOpponent, RatingPairs, TrainConfig};
use tablut_net::Model;
use tablut_players::{Contestant, NetSearch};
use tablut_ratings::RatedMatch;
use tablut_rules::Rules;
use tablut_search::{Limit, SearchConfig};

/// The matches of a generation's net as text, for players. The newest net and the opponents' nets go with it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct MatchText {
    /// The index of the rule set among those of the nets.
    pub rules: usize,
    /// The name of the opponent.
    pub opponent: String,
    /// The generation whose net is the opponent, or `None` for the net that the run began with.
    pub generation: Option<u64>,
    /// Pairs of games. In each pair both nets play each side once.
    pub n_pairs: usize,
    /// Simulations of a move.
    pub simulations: u32,
    /// A game stops unfinished after this many plies.
    pub max_plies: u32,
    /// The seed of openings and searches, as two halves, because a number in a browser has 53 bits.
    pub seed: [u32; 2],
}

impl MatchText {
    /// The text of these pairs.
    pub fn new(pairs: &RatingPairs, rules: &[std::sync::Arc<Rules>], config: &TrainConfig) -> Self {
        Self {
            rules: rules.iter().position(|set| set.name() == pairs.rules.name()).unwrap_or_default(),
            opponent: pairs.opponent.name(config),
            generation: pairs.opponent.generation(),
            n_pairs: pairs.n_pairs,
            simulations: config.schedule.simulations_at(0),
            max_plies: config.selfplay.max_plies_on(pairs.rules.size()),
            seed: [pairs.seed as u32, (pairs.seed >> 32) as u32],
        }
    }

    /// The result of its games, by number.
    pub fn rated(&self, rules: &Rules, games: &[GameRecord]) -> RatedMatch {
        let mut tally = Tally::default();
        games.chunks_exact(2).for_each(|pair| tally.record_pair(rules, &pair[0], &pair[1]));
        RatedMatch {
            rules: rules.name().to_owned(),
            opponent: self.opponent.clone(),
            generation: self.generation,
            pairs: tally.pairs(),
            unfinished: tally.results().unfinished,
        }
    }
}

/// The opponents of a run in a browser, besides the nets of its earlier generations.
pub const OPPONENTS: [RatingOpponent; 1] = [RatingOpponent::Start];

/// The games of a match. The newest net is evaluator 0, the opponent is evaluator 1.
pub struct Match {
    plan: MatchPlan,
    openings: Vec<Opening>,
}

impl Match {
    /// The games of `text`, which these nets have the rules of.
    ///
    /// # Errors
    /// If the rules have too few openings.
    pub fn new(text: &MatchText, newest: &Model) -> Result<Self, String> {
        let rules = newest.rules.get(text.rules).ok_or("a match under rules that the net does not have")?.rules();
        let [low, high] = text.seed.map(u64::from);
        let seed = high << 32 | low;
        let search = |evaluator| NetSearch {
            evaluator,
            limit: Limit::of_simulations(text.simulations),
            config: SearchConfig::for_play(),
        };
        let contestants = [0, 1].map(|evaluator| Contestant::net(format!("net {evaluator}"), search(evaluator)));
        let openings =
            openings(&rules, text.n_pairs, DEFAULT_OPENING_PLIES, seed).map_err(|error| error.to_string())?;
        Ok(Self { plan: MatchPlan { rules, contestants, max_plies: text.max_plies, seed }, openings })
    }

    /// Game number `index`, if there is one.
    pub fn game(&self, index: usize) -> Option<MatchGame> {
        Some(self.plan.game(self.openings.get(index / 2)?, index))
    }
}
