//! The parts of the loss.

use serde::{Deserialize, Serialize};

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
    /// Distance of the moves left: Huber's, in units of 32 plies.
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
}
