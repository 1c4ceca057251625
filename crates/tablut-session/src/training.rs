//! How a training that a page started stands: what a host that can train tells.

use crate::work::Share;
use serde::Serialize;

/// A training of a few minutes on somebody's rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingView {
    /// The rule set's name.
    pub rules: String,
    /// Seconds since it began.
    pub seconds: u64,
    /// Seconds that it may take.
    pub of: u64,
    /// What came of each generation's games of the net against itself, the first one first.
    pub generations: Vec<GenerationBalance>,
    /// Whether it goes on.
    pub state: TrainingState,
    /// The folder of the run.
    pub folder: String,
}

/// Whether a training goes on.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingState {
    /// It goes on.
    Running,
    /// It has come to its end, or was ended.
    Ended,
    /// It could not go on; the text says why.
    Failed(String),
}

/// The balance of one generation's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GenerationBalance {
    /// The generation, from 0.
    pub generation: u32,
    /// Games that the attackers won.
    pub attackers: Share,
    /// Draws.
    pub draws: Share,
    /// Games that the defenders won.
    pub defenders: Share,
    /// The mean length in plies.
    pub mean_plies: f64,
}

impl GenerationBalance {
    /// The balance of so many wins, draws and losses of the attackers.
    pub fn of(generation: u32, wins: u32, draws: u32, losses: u32, mean_plies: f64) -> Self {
        let games = wins + draws + losses;
        let share = |count| Share::of(count, games);
        Self { generation, attackers: share(wins), draws: share(draws), defenders: share(losses), mean_plies }
    }
}
