//! How the learning rate falls at the end of a run.

use std::f32::consts::PI;

use serde::{Deserialize, Serialize};

use crate::learner::learning_rate_share;

/// The way from the peak to the end of a run, over its last generations.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateSchedule {
    /// A line to a twentieth of the peak.
    #[default]
    Linear,
    /// Half a period of a cosine to a twentieth of the peak (Loshchilov & Hutter 2017, without restarts).
    Cosine,
    /// Two steps: a fifth of the peak for the first half of the fall, a twentieth for the second (`AlphaZero` drops by
    /// steps too, to a tenth each time).
    Drop,
}

impl RateSchedule {
    /// The factor on the learning rate after `progress` of `total` generations. It is 1 before the last `decay_share` of
    /// them.
    pub fn share(self, progress: f32, total: f32, decay_share: f32) -> f32 {
        const FLOOR: f32 = 0.05;
        let decay = total * decay_share;
        let left = (total - progress).max(0.0);
        match self {
            Self::Linear => learning_rate_share(progress, total, decay_share),
            _ if left >= decay => 1.0,
            Self::Cosine => FLOOR + (1.0 - FLOOR) * 0.5 * (1.0 - (PI * left / decay).cos()),
            Self::Drop if left > decay / 2.0 => 0.2,
            Self::Drop => FLOOR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schedule_begins_at_the_peak_and_ends_at_a_twentieth() {
        for schedule in [RateSchedule::Linear, RateSchedule::Cosine, RateSchedule::Drop] {
            let share = |progress| schedule.share(progress, 10.0, 0.5);
            assert_eq!([0.0, 4.9, 5.0].map(share), [1.0; 3], "{schedule:?}");
            assert!((share(10.0) - 0.05).abs() < 1e-6, "{schedule:?}");
            assert_eq!(schedule.share(9.0, 10.0, 0.0), 1.0, "{schedule:?}");
            let shares: Vec<f32> = (0..=100).map(|step| share(step as f32 / 10.0)).collect();
            assert!(shares.is_sorted_by(|a, b| a >= b), "{schedule:?}: {shares:?}");
        }
    }

    #[test]
    fn a_cosine_is_flat_at_both_ends_and_drops_are_sudden() {
        let at = |schedule: RateSchedule, progress| schedule.share(progress, 10.0, 1.0);
        let cosine = [2.5, 5.0, 7.5].map(|progress| at(RateSchedule::Cosine, progress));
        for (found, expected) in cosine.into_iter().zip([0.860_876, 0.525, 0.189_124_f32]) {
            assert!((found - expected).abs() < 1e-5, "{cosine:?}");
        }
        assert_eq!([0.1, 4.9, 5.1, 9.9].map(|progress| at(RateSchedule::Drop, progress)), [0.2, 0.2, 0.05, 0.05]);
        assert_eq!(
            [2.5, 7.5].map(|p| at(RateSchedule::Linear, p)),
            [2.5, 7.5].map(|p| learning_rate_share(p, 10.0, 1.0))
        );
    }
}
