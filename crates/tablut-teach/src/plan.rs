//! The config of a run that a visitor begins.

use serde::{Deserialize, Serialize};
use tablut_learn::{MachinePace, TrainConfig};
use tablut_session::check_teachable;
use tablut_session::protocol::RequestedRules;

/// A run without a limit is planned for this time. Then it goes on.
const UNLIMITED_SECONDS: f64 = 600.0;
/// The first games have this many plies under the usual rules. After each generation the run is planned again, with what was
/// measured.
const PLIES: f64 = 100.0;
/// Samples that one worker learns from in the time of one evaluation by one worker. Players and learner run on cores of one
/// kind, so one speed follows from the other.
const SAMPLES_PER_EVALUATION: f64 = 0.05;
/// Games that show how strong each generation is, as a share of the games of self-play. People watch them.
const RATING_SHARE: f32 = 0.2;

/// What a visitor has chosen, and how fast the machine is.
#[derive(Clone, Debug, Deserialize)]
pub struct Plan {
    rules: RequestedRules,
    /// `None` until stopped.
    seconds: Option<f64>,
    /// Evaluations per second of one player.
    evaluations_per_second: f64,
    players: f64,
    seed: u32,
}

/// A config with its rules, as TOML.
#[derive(Clone, Debug, Serialize)]
pub struct Planned {
    /// The name of the rules.
    pub name: String,
    /// The config.
    pub config: String,
    /// The rule set.
    pub rules: String,
}

impl Plan {
    /// The recipe of `tablut train --time` for this machine.
    ///
    /// # Errors
    /// If the rules are not valid, or a side cannot move.
    pub fn planned(&self) -> Result<Planned, String> {
        let rules = self.rules.compiled()?;
        check_teachable(&rules)?;
        let speed = self.evaluations_per_second.max(1.0);
        let pace = MachinePace {
            plies_per_game: PLIES,
            positions_per_game: PLIES,
            evaluations_per_simulation: 0.85,
            evaluations_per_second: speed * self.players,
            samples_per_second: speed * SAMPLES_PER_EVALUATION,
            ..MachinePace::default()
        };
        let seconds = self.seconds.unwrap_or(UNLIMITED_SECONDS);
        let mut config = TrainConfig::new(vec![rules.name().to_owned()]);
        config.seed = u64::from(self.seed);
        config.evaluation.rating_share = RATING_SHARE;
        config.evaluation.against.clear();
        // There is no match at the end: the scores of the generations show how strong the net is.
        config.evaluation.games = 0;
        let config = config.recipe(&pace, seconds).fit(&pace, seconds);
        Ok(Planned { name: rules.name().to_owned(), config: config.to_toml(), rules: rules.set().to_toml() })
    }
}
