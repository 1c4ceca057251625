//! What a search can be told: plain data, readable from TOML.

use serde::{Deserialize, Serialize};

/// Settings of one search. Every field has a default, so that a file names only what differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchConfig {
    /// Simulations of one search: descents from the root to a leaf, the root's own evaluation not counted.
    /// 0 plays by the policy alone. Default 64.
    pub simulations: u32,
    /// How moves are chosen in the tree, and what the policy target is. Default `gumbel`.
    pub method: Method,
    /// Read when `method` is `auto`: searches of at most so many simulations are Gumbel searches, longer ones PUCT.
    /// Default 512 (`experiments/scaling`).
    pub gumbel_up_to: u32,
    /// Read in Gumbel searches.
    pub gumbel: GumbelConfig,
    /// Read in PUCT searches, and in Gumbel searches whose interior rule is `puct`.
    pub puct: PuctConfig,
    /// Prefers the shorter of two wins and the longer of two losses. Off by default.
    pub moves_left: MovesLeftConfig,
    /// What a leaf is worth whose position occurred before. Default `evaluated`.
    pub repeats: Repeats,
    /// What the search proves and sees without an evaluation. Default `threats`.
    pub solver: Solver,
    /// Ends the search before its simulations are spent when the root is proven or when more simulations
    /// cannot change the move played. Default true.
    pub stop_early: bool,
    /// Leaves of one tree that may wait for their evaluation together, held apart by virtual visits.
    /// 1 (the default) changes nothing in the result; a Gumbel round's leaves lie in different subtrees and are
    /// gathered together in any case. In a PUCT search they are at most a sixteenth of the visits so far.
    pub leaves_in_flight: u32,
    /// Nodes that the tree may hold; the search ends when they are used up. A node takes 76 bytes with the edge to it, 40
    /// more with `transpositions`, and 8 for each of its legal moves (together about 700 bytes in the middle of a
    /// game). Default 1,000,000.
    pub max_nodes: u32,
    /// After `advance`, visits that the kept subtree already has pay for the same visits of the new search,
    /// which then needs fewer simulations. Otherwise all simulations are new. Default true.
    pub count_kept_visits: bool,
    /// Lines of moves that lead to the same position share what was found out about it: the tree becomes a graph.
    /// Without effect where a rule set ends the game when a position occurs for the second time (ashton). Default
    /// false.
    pub transpositions: bool,
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            simulations: 64,
            method: Method::default(),
            gumbel_up_to: 512,
            gumbel: GumbelConfig::default(),
            puct: PuctConfig::default(),
            moves_left: MovesLeftConfig::default(),
            repeats: Repeats::default(),
            solver: Solver::default(),
            stop_early: true,
            leaves_in_flight: 1,
            max_nodes: 1_000_000,
            count_kept_visits: true,
            transpositions: false,
        }
    }
}

/// How moves are chosen in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Gumbel `AlphaZero` (Danihelka et al. 2022): sequential halving at the root, completed-Q policy target.
    #[default]
    Gumbel,
    /// `AlphaZero`'s PUCT with first-play urgency, root noise and temperature; the policy target is the visits.
    Puct,
    /// Gumbel with few simulations, PUCT with many (`gumbel_up_to`). Under a clock [`crate::Anytime`] begins with Gumbel
    /// rounds and goes on with PUCT on the same tree.
    Auto,
}

/// How a Gumbel search chooses below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interior {
    /// The visits follow the improved policy, as in the paper.
    #[default]
    ImprovedPolicy,
    /// PUCT.
    Puct,
}

/// How Q-values are brought into [0, 1] before σ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QScale {
    /// (q + 1) / 2: the paper's scale for games whose values are known to lie in [−1, 1].
    #[default]
    Fixed,
    /// The lowest completed Q of the node becomes 0, the highest 1 (mctx's `rescale_values`; mctx then takes
    /// `c_scale` 0.1).
    MinMax,
}

/// What a leaf is worth whose position occurred before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeats {
    /// What the net says of it.
    #[default]
    Evaluated,
    /// As much as a draw if it occurred on the leaf's path from the root, so that shuffling gains nothing. Proofs do not
    /// rest on it.
    Drawn,
    /// As much as a draw if it occurred anywhere in the game or on the path.
    DrawnInGame,
}

/// What a search proves, and sees without an evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// The end of the game alone.
    Off,
    /// Proven results are backed up through the tree. Wins in one ply are seen at every leaf, losses in two where the
    /// opponent threatens to win, and around the root also wins in three.
    #[default]
    Threats,
    /// As `threats`, and wins in three are looked for at every leaf. Costs about 10 µs a leaf and saves evaluations
    /// where there are tactics: worth it with a net that takes longer.
    Deep,
}

impl Solver {
    /// Whether anything is proven at all.
    pub fn is_on(self) -> bool {
        self != Solver::Off
    }
}

/// Settings of Gumbel `AlphaZero`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GumbelConfig {
    /// m: moves that the root considers at first. Default 16.
    pub max_considered: u32,
    /// Simulations for each considered move at least: the root considers no more moves than the simulations divided by
    /// this. Default 1, as in the paper; matches take 2, so that some moves are looked at twice
    /// (`experiments/gumbel-puct`).
    pub simulations_per_considered: u32,
    /// Factor on the Gumbel noise of the root: 1 to explore (self-play), 0 for the best move (matches). Default 1.
    pub gumbel_scale: f32,
    /// The transformation σ of Q-values.
    pub sigma: SigmaConfig,
    /// How moves are chosen below the root. Default `improved-policy`.
    pub interior: Interior,
}

impl GumbelConfig {
    /// Moves that the root considers at first of `n_open`, when it is to spend `simulations`.
    pub(crate) fn considered(&self, n_open: u32, simulations: u32) -> u32 {
        let considered = self.max_considered.min(n_open);
        match self.simulations_per_considered {
            // The paper's schedule copes with fewer simulations than moves.
            1 => considered,
            each => considered.min((simulations / each.max(1)).max(1)),
        }
    }
}

impl Default for GumbelConfig {
    fn default() -> Self {
        Self {
            max_considered: 16,
            simulations_per_considered: 1,
            gumbel_scale: 1.0,
            sigma: SigmaConfig::default(),
            interior: Interior::default(),
        }
    }
}

/// Constants of σ(q) = (`c_visit` + max visits) · `c_scale` · q, q scaled to [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SigmaConfig {
    /// Added to the visits of the most visited move. Default 50, as in the paper.
    pub c_visit: f32,
    /// Weight of Q against the logits. Default 1, as in the paper for board games.
    pub c_scale: f32,
    /// How Q comes to lie in [0, 1]. Default `fixed`.
    pub q_scale: QScale,
}

impl Default for SigmaConfig {
    fn default() -> Self {
        Self { c_visit: 50.0, c_scale: 1.0, q_scale: QScale::Fixed }
    }
}

/// Settings of PUCT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PuctConfig {
    /// Exploration at few visits. Default 1.25 (`AlphaZero`).
    pub c_init: f32,
    /// Visits over which exploration grows by ln 2. Default 19652 (`AlphaZero`).
    pub c_base: f32,
    /// First-play urgency: an unvisited move is worth its parent's value less this much times the square root
    /// of the visited moves' prior. Default 0.2 (`KataGo`).
    pub fpu_reduction: f32,
    /// Temperature of the policy in the tree: priors are π^(1 / temperature), so that a number above 1 evens them out.
    /// Default 1.
    pub policy_temperature: f32,
    /// Share of Dirichlet noise in the root's prior, 0 (the default: none) to 1.
    pub noise_fraction: f32,
    /// Sum of the Dirichlet noise's concentrations, spread evenly over the legal moves. Default 10.
    pub noise_concentration: f32,
    /// The move is drawn from visits^(1 / temperature); 0 plays the most visited. Default 0.
    pub temperature: f32,
    /// Plies from the start of the game during which `temperature` holds; 0 afterwards. Default: always.
    pub temperature_plies: u32,
}

impl Default for PuctConfig {
    fn default() -> Self {
        Self {
            c_init: 1.25,
            c_base: 19652.0,
            fpu_reduction: 0.2,
            policy_temperature: 1.0,
            noise_fraction: 0.0,
            noise_concentration: 10.0,
            temperature: 0.0,
            temperature_plies: u32::MAX,
        }
    }
}

/// Settings of the bonus for moves that shorten a won game or lengthen a lost one (Lc0's "moves left head" utility).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MovesLeftConfig {
    /// Most that the bonus adds to Q or takes from it; 0 (the default) leaves it out.
    pub max_effect: f32,
    /// Bonus for each ply that the game becomes shorter or longer. Default 0.003.
    pub slope: f32,
    /// |Q| from which the bonus is given; it grows in proportion to what |Q| is above. Default 0.6.
    pub threshold: f32,
}

impl MovesLeftConfig {
    /// Whether there is a bonus at all.
    pub fn is_on(self) -> bool {
        self.max_effect > 0.0
    }
}

impl Default for MovesLeftConfig {
    fn default() -> Self {
        Self { max_effect: 0.0, slope: 0.003, threshold: 0.6 }
    }
}

const NOT_NEGATIVE: &str = "a number of at least 0";
const POSITIVE_INTEGER: &str = "an integer of at least 1";

/// A setting out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
pub struct ConfigError {
    /// The setting's path from [`SearchConfig`], dots between its parts.
    pub key: &'static str,
    /// The value found.
    pub found: f64,
    /// The range.
    pub expected: &'static str,
}

impl SearchConfig {
    /// The settings with `auto` replaced by the method for their simulations.
    #[must_use]
    pub fn with_method_chosen(&self) -> Self {
        let method = match self.method {
            Method::Auto if self.simulations > self.gumbel_up_to => Method::Puct,
            Method::Auto => Method::Gumbel,
            method => method,
        };
        Self { method, ..self.clone() }
    }

    /// Whether moves below the root are chosen by PUCT; the method must be chosen.
    pub(crate) fn is_puct_inside(&self) -> bool {
        self.method == Method::Puct || self.gumbel.interior == Interior::Puct
    }

    /// Checks every range. A search runs with any values, but those outside make no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let at_least = |key, found: f64, least: f64, expected| {
            if found >= least && found.is_finite() { Ok(()) } else { Err(ConfigError { key, found, expected }) }
        };
        let share = |key, found: f64| {
            let inside = (0.0..=1.0).contains(&found);
            if inside { Ok(()) } else { Err(ConfigError { key, found, expected: "a number from 0 to 1" }) }
        };
        at_least("leaves_in_flight", f64::from(self.leaves_in_flight), 1.0, POSITIVE_INTEGER)?;
        at_least("max_nodes", f64::from(self.max_nodes), 1.0, POSITIVE_INTEGER)?;
        at_least("gumbel.max_considered", f64::from(self.gumbel.max_considered), 1.0, POSITIVE_INTEGER)?;
        let per_considered = f64::from(self.gumbel.simulations_per_considered);
        at_least("gumbel.simulations_per_considered", per_considered, 1.0, POSITIVE_INTEGER)?;
        at_least("gumbel.gumbel_scale", self.gumbel.gumbel_scale.into(), 0.0, NOT_NEGATIVE)?;
        at_least("gumbel.sigma.c_visit", self.gumbel.sigma.c_visit.into(), 0.0, NOT_NEGATIVE)?;
        at_least("gumbel.sigma.c_scale", self.gumbel.sigma.c_scale.into(), 0.0, NOT_NEGATIVE)?;
        at_least("puct.c_init", self.puct.c_init.into(), 0.0, NOT_NEGATIVE)?;
        at_least("puct.c_base", self.puct.c_base.into(), 1.0, "a number of at least 1")?;
        at_least("puct.fpu_reduction", self.puct.fpu_reduction.into(), 0.0, NOT_NEGATIVE)?;
        at_least("puct.policy_temperature", self.puct.policy_temperature.into(), 0.1, "a number of at least 0.1")?;
        share("moves_left.max_effect", self.moves_left.max_effect.into())?;
        at_least("moves_left.slope", self.moves_left.slope.into(), 0.0, NOT_NEGATIVE)?;
        share("moves_left.threshold", self.moves_left.threshold.into())?;
        share("puct.noise_fraction", self.puct.noise_fraction.into())?;
        at_least("puct.noise_concentration", self.puct.noise_concentration.into(), 1e-3, "a number above 0")?;
        at_least("puct.temperature", self.puct.temperature.into(), 0.0, NOT_NEGATIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_survive_toml() {
        let config = SearchConfig::default();
        config.validate().expect("defaults are in range");
        let text = toml::to_string(&config).expect("plain data");
        assert_eq!(toml::from_str::<SearchConfig>(&text).expect("its own text"), config);
        let text = "simulations = 8\nmethod = \"puct\"\n[gumbel.sigma]\nq_scale = \"min-max\"\n";
        let partial: SearchConfig = toml::from_str(text).expect("the rest are defaults");
        assert_eq!((partial.simulations, partial.method), (8, Method::Puct));
        assert_eq!(partial.gumbel.sigma.q_scale, QScale::MinMax);
        assert!(!partial.transpositions, "files from before the setting go on as they were");
    }

    #[test]
    fn few_simulations_consider_few_moves_where_asked() {
        let considered = |each, n_open, simulations| {
            let gumbel = GumbelConfig { simulations_per_considered: each, ..GumbelConfig::default() };
            gumbel.considered(n_open, simulations)
        };
        assert_eq!([0, 8, 800].map(|simulations| considered(1, 40, simulations)), [16; 3]);
        assert_eq!([0, 3, 16, 31, 32, 800].map(|simulations| considered(2, 40, simulations)), [1, 1, 8, 15, 16, 16]);
        assert_eq!(considered(2, 5, 800), 5);
    }

    #[test]
    fn misspelt_keys_and_values_out_of_range_are_refused() {
        let error = toml::from_str::<SearchConfig>("simulation = 8").expect_err("a misspelt key");
        assert!(error.to_string().contains("simulation"), "{error}");
        let mut config = SearchConfig::default();
        config.puct.noise_fraction = 1.5;
        let error = config.validate().expect_err("a share above 1");
        assert_eq!(error.to_string(), "puct.noise_fraction = 1.5: expected a number from 0 to 1");
        config = SearchConfig { leaves_in_flight: 0, ..SearchConfig::default() };
        assert_eq!(config.validate().expect_err("no leaf at all").key, "leaves_in_flight");
    }
}
