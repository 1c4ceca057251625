//! The metrics of each generation, as data.

#![expect(missing_docs, reason = "the names say what the other fields are")]

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tablut_ratings::RatedGeneration;
use tablut_rules::{Results, Rules};

use crate::game_source::FleetReport;
use crate::record::{GameRecord, ReplayError};
use crate::statistics::{NetLosses, RuleSetStatistics};

/// The version of a line, 5. A line of another version is refused, because its numbers have other meanings.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub struct MetricsSchema;

impl From<MetricsSchema> for u32 {
    fn from(_: MetricsSchema) -> Self {
        5
    }
}

impl TryFrom<u32> for MetricsSchema {
    type Error = String;

    fn try_from(found: u32) -> Result<Self, String> {
        let expected = u32::from(Self);
        if found == expected { Ok(Self) } else { Err(format!("schema {found}, this program reads schema {expected}")) }
    }
}

/// One generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationMetrics {
    pub schema: MetricsSchema,
    /// The generation, from 0.
    pub generation: u64,
    #[serde(default)]
    pub simulations: u32,
    #[serde(default)]
    pub selfplay: SelfPlayMetrics,
    #[serde(default)]
    pub learning: LearningMetrics,
    /// The workers, if other processes played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetReport>,
    /// The games by rule set and side, in the order of the config.
    #[serde(default)]
    pub rule_sets: Vec<RuleSetStatistics>,
    /// The rating games of the newest net, or `None` if none were played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatedGeneration>,
    /// The device that learned, or `None` for the cores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    #[serde(default)]
    pub machine: MachineMetrics,
}

/// Self-play of one generation. Speeds are 0 if the games were already on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SelfPlayMetrics {
    pub games: usize,
    /// Training positions.
    pub positions: usize,
    pub results: Results,
    pub mean_plies: f64,
    pub seconds: f64,
    pub evaluations: u64,
    /// Mean number of positions evaluated at once.
    pub mean_batch: f64,
    /// Share of the workers' time spent inside the net.
    pub net_share: f64,
    /// Share of the games that a worker may play at once that have a position in a batch, on average, 0 to 1. It is 0
    /// if other processes played.
    pub batch_fill: f64,
}

/// Training of one generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LearningMetrics {
    pub steps: u64,
    /// Positions in the replay window.
    pub window: usize,
    pub window_bytes: usize,
    pub loss: LossParts,
    /// Mean norm of the gradients before clipping.
    pub gradient_norm: f32,
    pub learning_rate: f32,
    pub seconds: f64,
    pub samples_per_second: f64,
    /// Norm of the weights after the last step.
    pub weight_norm: f32,
    /// Losses of the net that played the generation's games, on a sample of their positions, before it learns from
    /// them.
    pub fresh: NetLosses,
    /// Losses of the net after it has learnt from them, on the same positions.
    pub learnt: NetLosses,
    /// Losses of the same net on the generation's held-out games, or `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<NetLosses>,
}

/// The machine at the end of a generation. Unknown values are 0.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineMetrics {
    pub memory_bytes: u64,
    /// Total size of the run's files in bytes, before the generation's checkpoint is written.
    pub run_bytes: u64,
    pub free_bytes: u64,
    /// Wall time for these metrics, in seconds.
    pub measuring_seconds: f64,
    /// Threads of self-play in this process. 0 if unknown.
    pub threads: usize,
}

impl SelfPlayMetrics {
    /// Counts results and lengths. Times and speeds stay 0.
    ///
    /// # Errors
    /// If a game was played under other rules.
    pub fn count(rules: &[Arc<Rules>], games: &[GameRecord]) -> Result<Self, ReplayError> {
        let mut results = Results::default();
        for game in games {
            results += game.results(&rules[game.place_among(rules)?]);
        }
        let plies: usize = games.iter().map(|game| game.plies.len()).sum();
        let searched = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.search.is_some());
        Ok(Self {
            games: games.len(),
            positions: searched.count(),
            results,
            mean_plies: plies as f64 / games.len().max(1) as f64,
            ..Self::default()
        })
    }
}

/// Means over a batch, unweighted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LossParts {
    /// Cross-entropy of the policy against its target, in nats.
    pub policy: f32,
    /// The target's own entropy in nats. It is the lower bound of the cross-entropy.
    pub policy_floor: f32,
    /// Cross-entropy of win, draw, loss against its target, in nats.
    pub value: f32,
    /// Huber loss of the moves left, in units of 32 plies.
    pub moves_left: f32,
}

impl LossParts {
    /// Mean of several batches' parts. All are zero if there are none.
    pub fn mean(parts: &[Self]) -> Self {
        let n = parts.len().max(1) as f32;
        let of = |field: fn(&Self) -> f32| parts.iter().map(field).sum::<f32>() / n;
        Self {
            policy: of(|p| p.policy),
            policy_floor: of(|p| p.policy_floor),
            value: of(|p| p.value),
            moves_left: of(|p| p.moves_left),
        }
    }

    /// The unweighted sum of all parts. The floor is not included.
    pub fn sum(&self) -> f32 {
        self.policy + self.value + self.moves_left
    }

    /// The parts by name, sorted.
    pub fn named(&self) -> [(&'static str, f32); 4] {
        let Self { policy, policy_floor, value, moves_left } = *self;
        [("moves_left", moves_left), ("policy", policy), ("policy_floor", policy_floor), ("value", value)]
    }
}

impl LearningMetrics {
    /// A part of the loss, or `None` if the line has no loss.
    pub fn loss_part(&self, part: impl Fn(&LossParts) -> f32) -> Option<f64> {
        (self.loss != LossParts::default()).then(|| f64::from(part(&self.loss)))
    }

    /// The policy's loss minus its floor, in nats, averaged over the generation's steps.
    pub fn policy_gap(&self) -> Option<f64> {
        self.loss_part(|loss| loss.policy - loss.policy_floor)
    }
}

impl GenerationMetrics {
    /// The results of ordinary games, or of all games if there are no ordinary ones.
    pub fn results(&self) -> Results {
        let ordinary: Results = self.rule_sets.iter().map(RuleSetStatistics::ordinary).sum();
        if ordinary.games() > 0 { ordinary } else { self.selfplay.results }
    }

    /// The measured wall time of the generation, in seconds.
    pub fn seconds(&self) -> f64 {
        self.selfplay.seconds + self.learning.seconds + self.rating_seconds() + self.machine.measuring_seconds
    }

    /// The wall time of the rating games, in seconds.
    pub fn rating_seconds(&self) -> f64 {
        self.rating.as_ref().map_or(0.0, |rating| rating.seconds)
    }

    /// Mean squared errors of the net's values and of the search's values against the results, over all rule sets and
    /// phases.
    pub fn value_errors(&self) -> Option<[f64; 2]> {
        let phases = self.rule_sets.iter().filter_map(|set| set.net.as_ref()).flat_map(|net| &net.phases);
        let (mut n, mut errors) = (0.0, [0.0; 2]);
        for phase in phases {
            let positions = phase.positions as f64;
            n += positions;
            errors[0] += positions * phase.net_error;
            errors[1] += positions * phase.search_error;
        }
        (n > 0.0).then(|| errors.map(|error| error / n))
    }
}
