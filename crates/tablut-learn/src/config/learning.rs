//! The config of learning.

use serde::{Deserialize, Serialize};

/// How the net learns from the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearningConfig {
    /// Positions per step, 1 to 65,536.
    pub batch_size: usize,
    /// How often each new position is drawn on average. This determines the number of steps per generation. Above 0, at
    /// most 100.
    pub draws_per_position: f32,
    /// Maximum number of positions in the replay window. The latest generation is always in it. A position takes about
    /// 200 bytes; [`tablut_games::ReplayWindow::most_bytes`] is an upper bound.
    pub window_positions: usize,
    /// Peak learning rate, above 0, at most 1.
    pub learning_rate: f32,
    /// Number of steps in which the learning rate rises to its peak.
    pub warmup_steps: u64,
    /// Share of the generations, at the end of the run, in which the learning rate falls to a twentieth, 0 to 1.
    pub decay_share: f32,
    /// Share of the search's value in the value target, 0 to 1. The rest is the game's outcome.
    pub value_share: f32,
    /// Share of each rule set's games that are held out from training and used only for measuring; 0 (the default) to
    /// 0.5. With 0, the losses on unseen games are measured on each generation's games before the net learns from them,
    /// so no games are lost for training.
    pub held_out_share: f32,
    /// Share of the search's value in the value target of games with unequal searches (`selfplay.balance`),
    /// 0 to 1. Default 1: their outcomes, which the better player decides, teach no values.
    pub uneven_value_share: f32,
}

impl Default for LearningConfig {
    fn default() -> Self {
        Self {
            batch_size: 256,
            draws_per_position: 1.5,
            window_positions: 60_000,
            learning_rate: 0.003,
            warmup_steps: 100,
            decay_share: 0.3,
            value_share: 0.4,
            held_out_share: 0.0,
            uneven_value_share: 1.0,
        }
    }
}
