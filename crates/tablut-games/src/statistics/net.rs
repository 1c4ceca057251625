//! Statistics of a net's outputs on a sample of positions: its policy compared with the search's, its values compared
//! with the results, and its losses.

#![expect(missing_docs, reason = "the names say what the other fields are")]

use serde::{Deserialize, Serialize};
use tablut_rules::Side;

use super::sample::ExaminedPosition;
use crate::window::value_target;

/// Phases of a game: the name, and the first ply.
pub const PHASES: [(&str, u32); 3] = [("opening", 0), ("middle", 16), ("late", 48)];

/// Bins of the calibration, of equal width over the values from −1 to 1.
const BINS: usize = 10;

/// A net's outputs on one rule set's positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NetStatistics {
    pub positions: usize,
    /// The policy in positions with the attackers to move.
    pub attackers: PolicyStatistics,
    /// The policy in positions with the defenders to move.
    pub defenders: PolicyStatistics,
    /// Values by phase of the game, in games whose result counts. Phases without positions are left out.
    pub phases: Vec<PhaseStatistics>,
    /// The net's values compared with the results of games whose result counts, in bins from −1 to 1. Bins without
    /// positions are left out.
    pub calibration: Vec<CalibrationBin>,
}

/// Draws in games whose result counts.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawStatistics {
    pub positions: usize,
    /// The net's mean chance of a draw, 0 to 1.
    pub predicted: f64,
    /// Share of the positions whose game was drawn, 0 to 1.
    pub drawn: f64,
}

/// The net's policy compared with the search's, with one side to move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PolicyStatistics {
    pub positions: usize,
    /// Mean entropy of the net's policy, in nats.
    pub entropy: f64,
    /// Mean Kullback-Leibler divergence D(target ‖ net) of the policies, in nats. The target is the search's policy.
    pub divergence: f64,
    /// Share of the searches that prefer another move than the net.
    pub changed: f64,
}

/// Values in one phase of the game. Errors are mean squared differences from the game's result in {−1, 0, 1}.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhaseStatistics {
    pub phase: String,
    pub from_ply: u32,
    pub positions: usize,
    pub net_error: f64,
    pub search_error: f64,
    pub mean_value: f64,
    pub mean_outcome: f64,
}

/// Positions with a net value between two bounds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationBin {
    /// The lower bound. Bins are 0.2 wide.
    pub from: f64,
    pub positions: usize,
    pub value: f64,
    pub outcome: f64,
}

/// A net's losses over a sample of positions, unweighted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NetLosses {
    pub positions: usize,
    /// Cross-entropy of the policy against its target, in nats.
    pub policy: f64,
    /// The target's entropy, in nats. It is the lower bound of `policy`.
    pub policy_floor: f64,
    /// Cross-entropy of attackers win, draw, defenders win against its target, in nats, in games whose result counts.
    pub value: f64,
    /// The sum of `policy` and `value` of the run's untrained net, or 0 if it was not measured.
    pub untrained: f64,
    /// Mean absolute difference between the plies left and the net's estimate, in plies, in finished games.
    pub moves_left: f64,
    /// Drawn games among those whose result counts: predicted and real.
    pub draws: DrawStatistics,
}

impl NetStatistics {
    /// The statistics of some positions.
    pub fn of(positions: &[ExaminedPosition]) -> Self {
        let policy = |side| {
            let of_side = positions.iter().filter(move |position| position.side == side);
            let mean = |value: fn(&ExaminedPosition) -> f64| mean(of_side.clone().map(value));
            PolicyStatistics {
                positions: of_side.clone().count(),
                entropy: mean(|p| p.prior_entropy),
                divergence: mean(|p| p.cross_entropy - p.target_entropy),
                changed: mean(|p| f64::from(u8::from(p.changed))),
            }
        };
        let phases = PHASES.iter().enumerate().filter_map(|(at, &(phase, from_ply))| {
            let end = PHASES.get(at + 1).map_or(u32::MAX, |next| next.1);
            let within = counted(positions).filter(move |position| (from_ply..end).contains(&position.ply));
            let n = within.clone().count();
            let mean = |value: fn(&ExaminedPosition) -> f64| mean(within.clone().map(value));
            (n > 0).then(|| PhaseStatistics {
                phase: phase.to_owned(),
                from_ply,
                positions: n,
                net_error: mean(|p| (p.net_value - p.outcome_value()).powi(2)),
                search_error: mean(|p| (f64::from(p.search.value()) - p.outcome_value()).powi(2)),
                mean_value: mean(|p| p.net_value),
                mean_outcome: mean(ExaminedPosition::outcome_value),
            })
        });
        Self {
            positions: positions.len(),
            attackers: policy(Side::Attackers),
            defenders: policy(Side::Defenders),
            phases: phases.collect(),
            calibration: calibration(positions),
        }
    }

    /// The policy with `side` to move.
    pub fn policy(&self, side: Side) -> &PolicyStatistics {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }
}

/// The mean, or 0 if there are no values.
fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count().max(1) as f64
}

/// The positions of games whose result counts.
fn counted(positions: &[ExaminedPosition]) -> impl Iterator<Item = &ExaminedPosition> + Clone {
    positions.iter().filter(|position| position.result_counts)
}

fn draws(positions: &[ExaminedPosition]) -> DrawStatistics {
    let mean = |value: fn(&ExaminedPosition) -> f64| mean(counted(positions).map(value));
    DrawStatistics {
        positions: counted(positions).count(),
        predicted: mean(|p| f64::from(p.wdl[1])),
        drawn: mean(|p| f64::from(u8::from(p.outcome_value() == 0.0))),
    }
}

fn calibration(positions: &[ExaminedPosition]) -> Vec<CalibrationBin> {
    let width = 2.0 / BINS as f64;
    let mut bins = [CalibrationBin::default(); BINS];
    for position in counted(positions) {
        let bin = &mut bins[(((position.net_value + 1.0) / width) as usize).min(BINS - 1)];
        bin.positions += 1;
        bin.value += position.net_value;
        bin.outcome += position.outcome_value();
    }
    let mean = |(at, bin): (usize, &CalibrationBin)| {
        let n = bin.positions as f64;
        // Rounded, so that files have 0.2 instead of 0.20000000000000018.
        let from = ((at as f64 * width - 1.0) * 10.0).round() / 10.0;
        CalibrationBin { from, positions: bin.positions, value: bin.value / n, outcome: bin.outcome / n }
    };
    bins.iter().enumerate().filter(|(_, bin)| bin.positions > 0).map(mean).collect()
}

impl NetLosses {
    /// The mean losses over some positions. `value_share` is the share of the search's chances in the value target.
    pub fn of(positions: &[ExaminedPosition], value_share: f32) -> Self {
        let value_loss = |position: &ExaminedPosition| -> f64 {
            let target = value_target(position.outcome, position.search, value_share);
            let chances = position.wdl.map(|chance| f64::from(chance).max(1e-9).ln());
            target.iter().zip(chances).map(|(&target, log)| -f64::from(target) * log).sum()
        };
        Self {
            positions: positions.len(),
            policy: mean(positions.iter().map(|p| p.cross_entropy)),
            policy_floor: mean(positions.iter().map(|p| p.target_entropy)),
            value: mean(counted(positions).map(value_loss)),
            untrained: 0.0,
            moves_left: mean(positions.iter().filter_map(|p| Some((p.net_plies_left - p.plies_left?).abs()))),
            draws: draws(positions),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_search::Chances;

    fn position(ply: u32, net_value: f64, outcome: f64) -> ExaminedPosition {
        ExaminedPosition {
            rules: 0,
            side: Side::ALL[ply as usize % 2],
            ply,
            outcome: Chances::certain([Some(Side::Defenders), None, Some(Side::Attackers)][(outcome + 1.0) as usize]),
            search: Chances::new(0.0, 0.0),
            net_value,
            wdl: [0.5, 0.25, 0.25],
            prior_entropy: 2.0,
            target_entropy: 1.0,
            cross_entropy: 1.5,
            changed: ply < 20,
            plies_left: Some(10.0),
            net_plies_left: 13.0,
            result_counts: true,
        }
    }

    #[test]
    fn values_are_sorted_into_phases_and_bins() {
        let net = NetStatistics::of(&[position(0, 0.9, 1.0), position(17, 0.95, -1.0), position(90, -1.0, -1.0)]);
        let phases: Vec<_> = net.phases.iter().map(|p| (p.phase.as_str(), p.positions)).collect();
        assert_eq!(phases, [("opening", 1), ("middle", 1), ("late", 1)]);
        assert!((net.phases[0].net_error - 0.01).abs() < 1e-9 && net.phases[2].net_error == 0.0);
        assert_eq!(net.phases[1].search_error, 1.0);
        let bins: Vec<_> = net.calibration.iter().map(|bin| (bin.from, bin.positions, bin.outcome)).collect();
        assert_eq!(bins, [(-1.0, 1, -1.0), (0.8, 2, 0.0)]);
        assert!((net.calibration[1].value - 0.925).abs() < 1e-9);
    }

    #[test]
    fn predicted_draws_are_compared_with_those_of_result_counts() {
        let handicap = ExaminedPosition { result_counts: false, wdl: [0.0, 1.0, 0.0], ..position(5, 0.0, 0.0) };
        let losses = NetLosses::of(&[position(0, 0.5, 1.0), position(17, 0.1, 0.0), handicap], 0.0);
        assert_eq!(losses.draws, DrawStatistics { positions: 2, predicted: 0.25, drawn: 0.5 });
    }

    #[test]
    fn the_policy_is_told_by_side() {
        let net = NetStatistics::of(&[position(0, 0.0, 0.0), position(2, 0.0, 0.0), position(40, 0.0, 0.0)]);
        let attackers = net.policy(Side::Attackers);
        assert_eq!((attackers.positions, attackers.entropy, attackers.divergence), (3, 2.0, 0.5));
        assert!((attackers.changed - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(net.policy(Side::Defenders), &PolicyStatistics::default());
    }

    #[test]
    fn losses_are_those_of_the_training_targets() {
        let losses = NetLosses::of(&[position(0, 0.0, 1.0)], 0.0);
        assert!((losses.value - 2.0_f64.ln()).abs() < 1e-9, "{losses:?}");
        assert_eq!((losses.policy, losses.policy_floor, losses.moves_left), (1.5, 1.0, 3.0));
        let unfinished = ExaminedPosition { plies_left: None, ..position(0, 0.0, 1.0) };
        assert_eq!(NetLosses::of(&[unfinished, position(0, 0.0, 1.0)], 0.0).moves_left, 3.0);
        // Half of the target is the search's: equal chances of either win, and no draw.
        let mixed = NetLosses::of(&[position(0, 0.0, 1.0)], 0.5);
        assert!((mixed.value - (0.75 * 2.0_f64.ln() + 0.25 * 4.0_f64.ln())).abs() < 1e-9, "{mixed:?}");
    }
}
