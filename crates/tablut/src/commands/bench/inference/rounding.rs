//! How far rounding to bf16 moves what a net says.

use std::fmt;

use serde::Serialize;
use tablut_net::{Engine, EngineOptions, Inference, InputBatch, OutputBatch, Precision, Weights};

/// The outputs in bf16 against those in f32, over some positions.
#[derive(Debug, Serialize)]
pub struct Rounding {
    /// The precision that is compared with f32.
    precision: String,
    /// Positions compared.
    n_positions: usize,
    /// Mean entropy of the policies in f32, nats.
    entropy: f64,
    /// Mean divergence of the policies in bf16 from those in f32, nats.
    divergence: f64,
    /// Share of positions where the likeliest move is the same.
    same_move: f64,
    /// Mean and largest change of the value (from 1, the attackers win, to -1, the defenders win).
    value_change: f64,
    largest_value_change: f64,
}

impl Rounding {
    /// Evaluates `input` in f32 and in `precision`.
    pub fn measure(weights: &Weights, precision: Precision, input: &InputBatch) -> anyhow::Result<Self> {
        let outputs = |precision| -> anyhow::Result<OutputBatch> {
            let mut output = OutputBatch::default();
            let options = EngineOptions { precision, ..EngineOptions::default() };
            Engine::with_options(weights, options)?.infer(input, &mut output)?;
            Ok(output)
        };
        let precision = precision.chosen()?;
        let rounding = Self::of(input, &outputs(Precision::F32)?, &outputs(precision)?);
        Ok(Self { precision: precision.to_string(), ..rounding })
    }

    fn of(input: &InputBatch, exact: &OutputBatch, rounded: &OutputBatch) -> Self {
        let n = input.n as f64;
        let mut sums = Self {
            precision: String::new(),
            n_positions: input.n,
            entropy: 0.0,
            divergence: 0.0,
            same_move: 0.0,
            value_change: 0.0,
            largest_value_change: 0.0,
        };
        for row in 0..input.n {
            let range = input.move_range(row);
            let (p, q) = (softmax(&exact.logits[range.clone()]), softmax(&rounded.logits[range]));
            sums.entropy -= p.iter().map(|p| p * p.ln()).sum::<f64>() / n;
            sums.divergence += p.iter().zip(&q).map(|(p, q)| p * (p / q).ln()).sum::<f64>() / n;
            sums.same_move += f64::from(u8::from(likeliest(&p) == likeliest(&q))) / n;
            let change = (value(exact.wdl[row]) - value(rounded.wdl[row])).abs();
            sums.value_change += change / n;
            sums.largest_value_change = sums.largest_value_change.max(change);
        }
        sums
    }
}

fn value(wdl: [f32; 3]) -> f64 {
    f64::from(wdl[0] - wdl[2])
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f64> = logits.iter().map(|&logit| f64::from(logit - max).exp()).collect();
    let sum: f64 = exps.iter().sum();
    exps.into_iter().map(|exp| exp / sum).collect()
}

fn likeliest(policy: &[f64]) -> Option<usize> {
    (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]))
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} against f32 over {} positions: policy divergence {:.1e} nats (entropy {:.2}), same likeliest move \
             {:.2} %, value change {:.4} on average and {:.4} at most",
            self.precision,
            self.n_positions,
            self.divergence,
            self.entropy,
            100.0 * self.same_move,
            self.value_change,
            self.largest_value_change
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_outputs_have_no_divergence_and_others_the_one_by_hand() {
        let input = InputBatch {
            n: 1,
            moves: vec![tablut_net::PolicyIndex { entry: 0, choice: tablut_net::PolicyIndex::NO_CHOICE }; 2],
            move_ends: vec![2],
            ..InputBatch::default()
        };
        let exact = OutputBatch { logits: vec![0.0, 0.0], wdl: vec![[0.5, 0.0, 0.5]], moves_left: vec![1.0] };
        let same = Rounding::of(&input, &exact, &exact);
        assert_eq!((same.divergence, same.same_move, same.value_change), (0.0, 1.0, 0.0));
        assert!((same.entropy - 2f64.ln()).abs() < 1e-12);
        // Probabilities 3/4 and 1/4: 0.5 ln(0.5 / 0.75) + 0.5 ln(0.5 / 0.25).
        let logits = vec![3f32.ln(), 0.0];
        let other = OutputBatch { logits, wdl: vec![[0.75, 0.0, 0.25]], moves_left: vec![1.0] };
        let found = Rounding::of(&input, &exact, &other);
        let expected = 0.5 * (0.5 / 0.75f64).ln() + 0.5 * (0.5 / 0.25f64).ln();
        assert!((found.divergence - expected).abs() < 1e-6, "{}", found.divergence);
        assert_eq!(found.value_change, 0.5);
    }
}
