//! Runs a net on an evenly spaced sample of the searched positions.

use std::sync::Arc;

use rayon::prelude::*;
use tablut_net::{Inference, InputBatch, NetError, OutputBatch};
use tablut_rules::{Rules, Side, Symmetry};
use tablut_search::Chances;

use crate::samples::Sample;

/// The net's, the search's and the game's values for one position.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ExaminedPosition {
    /// Index of the rule set in the given list.
    pub rules: usize,
    /// The side to move.
    pub side: Side,
    /// Plies played before it.
    pub ply: u32,
    /// How the game ended, or an estimate if its result does not count.
    pub outcome: Chances,
    /// The chances that the search found.
    pub search: Chances,
    /// The net's value, absolute: its chance that the attackers win minus its chance that the defenders win.
    pub net_value: f64,
    /// The net's chances that the attackers win, that the game is drawn, and that the defenders win.
    pub wdl: [f32; 3],
    /// Entropy of the net's policy, in nats.
    pub prior_entropy: f64,
    /// Entropy of the search's policy, the target, in nats.
    pub target_entropy: f64,
    /// Cross-entropy of the net's policy against the target, in nats.
    pub cross_entropy: f64,
    /// Whether the search prefers another move than the net.
    pub changed: bool,
    /// Plies from here to the end of the game. `None` if the game is unfinished.
    pub plies_left: Option<f64>,
    /// The net's estimate of them.
    pub net_plies_left: f64,
    /// Whether the game's result measures the position's value, as in [`GameRecord::result_counts`](crate::GameRecord::result_counts).
    pub result_counts: bool,
}

const BATCH: usize = 64;

/// Runs nets from `make_net` on at most `most` of the `samples`, taken at even distances, and returns the results in
/// their order. The samples were replayed with `rules`.
///
/// # Errors
/// If a net fails.
pub fn examine(
    rules: &[Arc<Rules>],
    samples: &[&Sample],
    most: usize,
    make_net: &(dyn Fn() -> Box<dyn Inference> + Sync),
) -> Result<Vec<ExaminedPosition>, NetError> {
    let n = most.min(samples.len());
    let chosen: Vec<&Sample> = (0..n).map(|i| samples[i * samples.len() / n]).collect();
    let share = n.div_ceil(rayon::current_num_threads()).max(1);
    let examined = chosen.par_chunks(share).map(|samples| {
        let mut net = make_net();
        let (mut input, mut output) = (InputBatch::default(), OutputBatch::default());
        let mut examined = Vec::new();
        for batch in samples.chunks(BATCH) {
            input.clear();
            for sample in batch {
                sample.encode(rules, Symmetry::ALL[0], &mut input);
            }
            net.infer(&input, &mut output)?;
            let examine = |(row, sample): (usize, &&Sample)| ExaminedPosition::new(sample, &input, &output, row);
            examined.extend(batch.iter().enumerate().map(examine));
        }
        Ok(examined)
    });
    Ok(examined.collect::<Result<Vec<_>, NetError>>()?.concat())
}

impl ExaminedPosition {
    /// The position of `sample`, which is in `row` of a batch.
    fn new(sample: &Sample, input: &InputBatch, output: &OutputBatch, row: usize) -> Self {
        let logits = &output.logits[input.move_range(row)];
        let target = &sample.policy;
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let normaliser = logits.iter().map(|&logit| f64::from(logit - highest).exp()).sum::<f64>().ln();
        let log_prior = |place: usize| f64::from(logits[place] - highest) - normaliser;
        let total: f64 = target.iter().map(|&p| f64::from(p)).sum::<f64>().max(1.0);
        let wdl = output.wdl[row];
        Self {
            rules: sample.rules as usize,
            side: sample.side(),
            ply: u32::from(sample.ply),
            outcome: sample.outcome,
            search: sample.search,
            net_value: f64::from(wdl[0]) - f64::from(wdl[2]),
            wdl,
            prior_entropy: (0..logits.len()).map(|place| -log_prior(place).exp() * log_prior(place)).sum(),
            target_entropy: entropy(target.iter().map(|&p| f64::from(p))),
            cross_entropy: target.iter().enumerate().map(|(place, &p)| -f64::from(p) / total * log_prior(place)).sum(),
            changed: first_greatest(logits) != first_greatest(target),
            plies_left: sample.moves_left.map(|plies| f64::from(plies.get())),
            net_plies_left: f64::from(output.moves_left[row]),
            result_counts: sample.result_counts,
        }
    }

    /// The game's result, from −1 (the defenders won) to 1, or its estimate if the result does not count.
    pub fn outcome_value(&self) -> f64 {
        f64::from(self.outcome.value())
    }
}

/// The entropy, in nats, of a distribution proportional to `weights`. It is 0 if there are none.
pub(super) fn entropy(weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let total: f64 = weights.clone().sum();
    weights.filter(|&weight| weight > 0.0).map(|weight| weight / total).map(|p| -p * p.ln()).sum()
}

/// The index of the first of the greatest values.
fn first_greatest<T: PartialOrd>(values: &[T]) -> Option<usize> {
    (0..values.len()).reduce(|best, place| if values[place] > values[best] { place } else { best })
}

#[cfg(test)]
mod tests {
    use super::{entropy, first_greatest};

    #[test]
    fn the_first_of_equals_is_preferred() {
        assert_eq!(first_greatest(&[1, 3, 2, 3]), Some(1));
        assert_eq!(first_greatest::<f32>(&[]), None);
    }

    #[test]
    fn entropy_is_that_of_the_normalised_weights() {
        assert!((entropy([3.0, 3.0, 0.0, 3.0, 3.0].into_iter()) - 4.0_f64.ln()).abs() < 1e-12);
        assert_eq!(entropy([5.0].into_iter()), 0.0);
        assert_eq!(entropy(std::iter::empty()), 0.0);
    }
}
