//! The settings of a search: plain data, readable from TOML and JSON.

mod draw_values;
mod ranges;

use serde::{Deserialize, Serialize};

pub use self::draw_values::DrawValues;
pub use self::ranges::ConfigError;
use crate::limit::Limit;

/// Settings of the search in self-play: Gumbel `AlphaZero` with noise at the root, in which a draw is worth 0. Every
/// field has a default, so a file needs only the fields that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlaySearch {
    /// What the search proves, and what it finds without an evaluation.
    pub solver: Solver,
    /// m: the number of moves that the root considers at first.
    pub max_considered: u32,
    /// Weight of Q relative to the logits in σ. Q runs from 0, the lowest value of the node's moves, to 1, the highest.
    /// The default is that of mctx.
    pub c_scale: f32,
}

impl Default for SelfPlaySearch {
    fn default() -> Self {
        Self { solver: Solver::Deep, max_considered: 16, c_scale: 0.1 }
    }
}

impl SelfPlaySearch {
    /// All settings of the search.
    pub fn config(&self) -> SearchConfig {
        let &Self { solver, max_considered, c_scale } = self;
        let sigma = SigmaConfig { c_scale, q_scale: QScale::MinMax, ..SigmaConfig::default() };
        SearchConfig {
            method: Method::Gumbel,
            gumbel: GumbelConfig { max_considered, simulations_per_considered: 1, noise: true, sigma },
            moves_left: 0.0,
            repeats: Repeats::Evaluated,
            draw_value: DrawValues::default(),
            solver,
            ..SearchConfig::for_play()
        }
    }
}

/// Settings of a search in play and in analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// How the search chooses moves in the tree, and what its policy target is.
    pub method: Method,
    /// Used in Gumbel searches.
    pub gumbel: GumbelConfig,
    /// Used in PUCT searches.
    pub puct: PuctConfig,
    /// The largest change of Q by the bonus for moves that shorten a won game or lengthen a lost one (Lc0's "moves left
    /// head" utility), from 0 (no bonus) to 1.
    pub moves_left: f32,
    /// The value of a leaf whose position occurred before.
    pub repeats: Repeats,
    /// The value of a draw for the side that was to move when the search was created, from −1 (a loss) to 1 (a win).
    /// Below 0 that side avoids draws, for example against a weaker opponent. All values of the search use this value
    /// for draws. It is one number for both sides, or a number for `attackers` and one for `defenders`.
    pub draw_value: DrawValues,
    /// What the search proves, and what it finds without an evaluation.
    pub solver: Solver,
    /// Stops the search if more simulations would not change the chosen move. Analysis turns it off, because values
    /// need simulations too. If the root is proven, every search stops.
    pub stop_when_decided: bool,
    /// How many leaves of one tree may wait for evaluation at the same time. Virtual visits make the simulations choose
    /// different leaves. With 1 the result equals that of a sequential search. The leaves of a Gumbel round are in
    /// different subtrees and are always gathered together. In a PUCT search the number is at most a sixteenth of the
    /// visits so far.
    pub leaves_in_flight: u32,
    /// Maximum number of nodes in the tree. The search stops when it is reached. A node with the edge to it takes 76
    /// bytes, plus 8 for each legal move (about 700 bytes in total in the middle of a game).
    pub max_nodes: u32,
}

/// The most simulations of a search for which [`Method::Auto`] chooses Gumbel.
const GUMBEL_UP_TO: u32 = 32;

/// How the search chooses moves in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Gumbel `AlphaZero` (Danihelka et al. 2022): sequential halving at the root, completed-Q policy target.
    /// Sequential halving needs its budget in advance, so a search with only a time is a PUCT search.
    Gumbel,
    /// `AlphaZero`'s PUCT with first-play urgency and temperature. The policy target is the visit distribution. It
    /// plays the most visited move, whenever it stops.
    Puct,
    /// Gumbel with up to 32 simulations, PUCT with more.
    Auto,
}

/// How Q-values are scaled to [0, 1] before σ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QScale {
    /// (q + 1) / 2: the paper's scale for games with values in [−1, 1].
    Fixed,
    /// The lowest completed Q of the node becomes 0, the highest 1 (mctx's `rescale_values`, which mctx combines with
    /// `c_scale` 0.1).
    MinMax,
}

/// The value of a leaf whose position occurred before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeats {
    /// The net's value.
    Evaluated,
    /// A draw, if the position occurred on the path from the root to the leaf. So repeating moves gains nothing. Proofs
    /// do not use this value.
    Drawn,
}

/// What a search proves, and what it finds without an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// The search proves nothing. It recognises only finished games.
    Off,
    /// Proven results are backed up through the tree. The search finds wins in one ply and losses in two plies at every
    /// leaf, and wins in three plies near the root.
    Threats,
    /// Like `threats`, with wins in three plies at every leaf. It costs 1 to 2 µs per leaf.
    Deep,
}

impl Solver {
    /// Whether the search proves anything.
    pub fn is_on(self) -> bool {
        self != Solver::Off
    }
}

/// Settings of Gumbel `AlphaZero`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GumbelConfig {
    /// m: the number of moves that the root considers at first.
    pub max_considered: u32,
    /// Minimum simulations per considered move. The root considers at most the number of simulations divided by this. 1
    /// is the paper's number. Play uses 4, so that the better moves are visited several times.
    /// With fewer simulations than this, the search plays the move with the highest prior.
    pub simulations_per_considered: u32,
    /// Whether Gumbel noise is added at the root: on to explore (self-play), off to play the best move (matches).
    pub noise: bool,
    /// The transformation σ of Q-values.
    pub sigma: SigmaConfig,
}

impl GumbelConfig {
    /// How many of the `n_open` moves the root considers at first, with a budget of `simulations`.
    pub(crate) fn considered(&self, n_open: u32, simulations: u32) -> u32 {
        let considered = self.max_considered.min(n_open);
        match self.simulations_per_considered {
            // The paper's schedule also works with fewer simulations than moves.
            1 => considered,
            each => considered.min((simulations / each.max(1)).max(1)),
        }
    }
}

/// Constants of σ(q) = (`c_visit` + max visits) · `c_scale` · q, with q scaled to [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigmaConfig {
    /// Added to the visits of the most visited move.
    pub c_visit: f32,
    /// Weight of Q relative to the logits.
    pub c_scale: f32,
    /// How Q is scaled to [0, 1].
    pub q_scale: QScale,
}

/// The paper's constants for board games.
impl Default for SigmaConfig {
    fn default() -> Self {
        Self { c_visit: 50.0, c_scale: 1.0, q_scale: QScale::Fixed }
    }
}

/// Settings of PUCT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PuctConfig {
    /// Exploration at few visits. Default 1.25 (`AlphaZero`).
    pub c_init: f32,
    /// First-play urgency. An unvisited move gets its parent's value minus this number times the square root of the
    /// visited moves' total prior. Default 0.2 (`KataGo`).
    pub fpu_reduction: f32,
    /// Temperature of the policy in PUCT's tree. Priors become π^(1 / temperature), so a number above 1 makes them more
    /// even. Default 1.8.
    pub policy_temperature: f32,
    /// The move is drawn in proportion to visits^(1 / temperature). 0 plays the most visited move. Default 0.
    pub temperature: f32,
    /// Number of plies at the start of the game in which `temperature` applies. After that it is 0. Default: the whole
    /// game.
    pub temperature_plies: u32,
}

impl Default for PuctConfig {
    fn default() -> Self {
        Self {
            c_init: 1.25,
            fpu_reduction: 0.2,
            policy_temperature: 1.8,
            temperature: 0.0,
            temperature_plies: u32::MAX,
        }
    }
}

impl PuctConfig {
    /// The temperature at which the move of this ply is drawn. At 0 the search plays the most visited move.
    pub(crate) fn temperature_at(&self, ply: u32) -> f32 {
        if ply < self.temperature_plies { self.temperature } else { 0.0 }
    }
}

impl SearchConfig {
    /// The settings of matches and play. The search plays the best move that it finds, without noise. With few
    /// simulations the method is Gumbel, which considers fewer moves than in self-play. With many simulations or a time
    /// limit the method is PUCT, with more even priors than the net's. The solver looks for
    /// wins in three plies at every leaf. The search prefers the shorter of two wins and gains nothing by repeating
    /// positions. A draw is worth less than an even game.
    pub fn for_play() -> Self {
        let sigma = SigmaConfig::default();
        Self {
            method: Method::Auto,
            gumbel: GumbelConfig { max_considered: 16, simulations_per_considered: 4, noise: false, sigma },
            puct: PuctConfig::default(),
            moves_left: 0.05,
            repeats: Repeats::Drawn,
            draw_value: (-0.25).into(),
            solver: Solver::Deep,
            stop_when_decided: true,
            leaves_in_flight: 1,
            max_nodes: 1_000_000,
        }
    }

    /// The settings of analysis. They differ from those of play in two ways: a draw is worth 0, and the search
    /// continues when the best move is certain, because values need simulations too.
    pub fn for_analysis() -> Self {
        Self { draw_value: DrawValues::default(), stop_when_decided: false, ..Self::for_play() }
    }

    /// The settings with `auto` replaced by the method for `limit`.
    pub(crate) fn with_method_for(&self, limit: Limit) -> Self {
        let method = match (self.method, limit.simulations()) {
            (_, None) => Method::Puct,
            (Method::Auto, Some(simulations)) if simulations > GUMBEL_UP_TO => Method::Puct,
            (Method::Auto, Some(_)) => Method::Gumbel,
            (method, Some(_)) => method,
        };
        Self { method, ..self.clone() }
    }

    /// The temperature by which the logits of nodes are divided. The method must not be `auto`.
    pub(crate) fn prior_temperature(&self) -> f32 {
        if self.method == Method::Puct { self.puct.policy_temperature } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_of_self_play_is_valid_survives_toml_and_needs_no_key() {
        let search = SelfPlaySearch::default();
        search.validate().expect("defaults are in range");
        let text = toml::to_string(&search).expect("plain data");
        assert_eq!(toml::from_str::<SelfPlaySearch>(&text).expect("its own text"), search);
        assert_eq!(toml::from_str::<SelfPlaySearch>("").expect("defaults"), search);
        let partial: SelfPlaySearch = toml::from_str("solver = \"off\"").expect("the rest are defaults");
        assert_eq!(partial, SelfPlaySearch { solver: Solver::Off, ..search });
    }

    #[test]
    fn the_searches_of_play_and_analysis_are_valid_and_survive_toml() {
        for config in [SearchConfig::for_play(), SearchConfig::for_analysis(), SelfPlaySearch::default().config()] {
            config.validate().expect("in range");
            let text = toml::to_string(&config).expect("plain data");
            assert_eq!(toml::from_str::<SearchConfig>(&text).expect("its own text"), config);
        }
    }

    #[test]
    fn few_simulations_consider_few_moves_where_asked() {
        let considered = |each, n_open, simulations| {
            let gumbel = GumbelConfig { simulations_per_considered: each, ..SearchConfig::for_play().gumbel };
            gumbel.considered(n_open, simulations)
        };
        assert_eq!([0, 8, 800].map(|simulations| considered(1, 40, simulations)), [16; 3]);
        assert_eq!([0, 3, 16, 31, 32, 800].map(|simulations| considered(2, 40, simulations)), [1, 1, 8, 15, 16, 16]);
        assert_eq!(considered(2, 5, 800), 5);
    }

    #[test]
    fn the_method_follows_the_limit() {
        let chosen = |method, limit: &str| {
            let config = SearchConfig { method, ..SearchConfig::for_play() };
            config.with_method_for(limit.parse().expect("a limit")).method
        };
        for (limit, method) in [("0", Method::Gumbel), ("32", Method::Gumbel), ("33", Method::Puct)] {
            assert_eq!(chosen(Method::Auto, limit), method, "{limit}");
        }
        assert_eq!([chosen(Method::Auto, "32/1s"), chosen(Method::Auto, "33/1s")], [Method::Gumbel, Method::Puct]);
        assert_eq!([chosen(Method::Gumbel, "800/1s"), chosen(Method::Gumbel, "1s")], [Method::Gumbel, Method::Puct]);
        assert_eq!(chosen(Method::Puct, "8"), Method::Puct);
    }

    #[test]
    fn misspelt_keys_are_refused() {
        let error = toml::from_str::<SelfPlaySearch>("max_considerd = 8").expect_err("a misspelt key");
        assert!(error.to_string().contains("max_considerd"), "{error}");
    }
}
