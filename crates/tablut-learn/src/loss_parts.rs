//! The parts of the loss and their weights.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Weights of the parts in the sum.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossWeights {
    /// Weight of the policy's cross-entropy (default 1).
    pub policy: f32,
    /// Weight of the outcome's cross-entropy (default 1).
    pub value: f32,
    /// Weight of the moves-left head (default 0.1).
    pub moves_left: f32,
    /// Weight of the final ownership of squares, a head that exists only for training (default 0: no such head).
    pub ownership: f32,
    /// Weight of the pieces that are captured within the next eight plies, a head that exists only for training (default
    /// 0: no such head).
    pub captures: f32,
    /// Weight of the soft policy, the search's policy to the power of 1/4, a head that exists only for training (default
    /// 0: no such head). `KataGo` gives it eight times the weight of the policy.
    pub soft_policy: f32,
    /// Weight of the opponent's reply, the policy of the next ply's search, a head that exists only for training (default
    /// 0: no such head). `KataGo` gives it 0.15 of the weight of the policy.
    pub reply: f32,
}

impl Default for LossWeights {
    fn default() -> Self {
        Self { policy: 1.0, value: 1.0, moves_left: 0.1, ownership: 0.0, captures: 0.0, soft_policy: 0.0, reply: 0.0 }
    }
}

impl LossWeights {
    /// All weights.
    pub fn all(&self) -> Vec<f32> {
        let heads = [self.ownership, self.captures, self.soft_policy, self.reply];
        [self.policy, self.value, self.moves_left].into_iter().chain(heads).collect()
    }
}

/// Means over a batch, unweighted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Losses of the heads that exist only for training, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub auxiliary: BTreeMap<String, f32>,
}

impl LossParts {
    /// Mean of several batches' parts. All are zero if there are none.
    pub fn mean(parts: &[Self]) -> Self {
        let n = parts.len().max(1) as f32;
        let of = |field: fn(&Self) -> f32| parts.iter().map(field).sum::<f32>() / n;
        let mut auxiliary = BTreeMap::new();
        for (name, loss) in parts.iter().flat_map(|p| &p.auxiliary) {
            *auxiliary.entry(name.clone()).or_default() += loss / n;
        }
        Self {
            policy: of(|p| p.policy),
            policy_floor: of(|p| p.policy_floor),
            value: of(|p| p.value),
            moves_left: of(|p| p.moves_left),
            auxiliary,
        }
    }

    /// The unweighted sum of all parts. The floor is not included.
    pub fn sum(&self) -> f32 {
        self.policy + self.value + self.moves_left + self.auxiliary.values().sum::<f32>()
    }
}
