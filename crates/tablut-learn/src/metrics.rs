//! What a run says of each generation: one JSON object a line in `metrics.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tablut_games::{FleetReport, GameRecord};
use tablut_net::durable;
use tablut_rules::Side;

use crate::loss::LossParts;

/// One generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationMetrics {
    /// The generation, from 0.
    pub generation: u64,
    /// Simulations of a full search.
    pub simulations: u32,
    /// Self-play.
    pub selfplay: SelfPlayMetrics,
    /// Learning.
    pub learning: LearningMetrics,
    /// The workers, where others played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetReport>,
}

/// Self-play of one generation. Speeds are 0 where the games were found on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfPlayMetrics {
    /// Games played.
    pub games: usize,
    /// Positions to learn from.
    pub positions: usize,
    /// Games that the attackers won.
    pub attackers_won: usize,
    /// Drawn games.
    pub drawn: usize,
    /// Games that the defenders won.
    pub defenders_won: usize,
    /// Games that reached the ply limit (among the drawn).
    pub ply_limit: usize,
    /// Mean length in plies.
    pub mean_plies: f64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Evaluations by the net.
    pub evaluations: u64,
    /// Mean number of positions evaluated at once.
    pub mean_batch: f64,
    /// Share of the workers' time spent inside the net.
    pub net_share: f64,
}

/// Learning of one generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningMetrics {
    /// Steps taken.
    pub steps: u64,
    /// Positions in the replay window.
    pub window: usize,
    /// Mean loss over the steps.
    pub loss: LossParts,
    /// Mean norm of the gradients before clipping.
    pub gradient_norm: f32,
    /// Learning rate of the last step.
    pub learning_rate: f32,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Samples learnt from a second.
    pub samples_per_second: f64,
}

impl SelfPlayMetrics {
    /// Counts results and lengths; times and speeds are left at 0.
    pub fn count(games: &[GameRecord]) -> Self {
        let won = |side| games.iter().filter(|game| game.outcome.winner() == Some(side)).count();
        let (attackers_won, defenders_won) = (won(Side::Attackers), won(Side::Defenders));
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        let searched = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some());
        Self {
            games: games.len(),
            positions: searched.count(),
            attackers_won,
            drawn: games.len() - attackers_won - defenders_won,
            defenders_won,
            ply_limit: games.iter().filter(|game| game.outcome.is_ply_limit()).count(),
            mean_plies: plies as f64 / games.len().max(1) as f64,
            ..Self::default()
        }
    }
}

/// Reads the lines of the generations before `end`; a line cut short by a crash is passed over.
pub fn read_metrics(path: &Path, end: u64) -> std::io::Result<Vec<GenerationMetrics>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let lines = text.lines().filter_map(|line| serde_json::from_str::<GenerationMetrics>(line).ok());
    Ok(lines.filter(|metrics| metrics.generation < end).collect())
}

/// Rewrites the file to hold `metrics` alone: on resume, what was done after the last checkpoint is done again.
pub fn rewrite_metrics(path: &Path, metrics: &[GenerationMetrics]) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for line in metrics {
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
    }
    durable::write(path, &bytes)
}

/// Appends one line.
pub fn append_metrics(path: &Path, metrics: &GenerationMetrics) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(metrics)?;
    line.push(b'\n');
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&line)?;
    file.sync_data()
}
