//! The model of paired comparisons: its likelihood, the most likely parameters, and their covariance.

use super::solve::{inverse, solve};
use crate::elo::LOGIT_PER_ELO;
use crate::pairs::PairTable;
use crate::score::Wdl;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Standard deviation, in Elo points, of the prior on a rating's distance from the anchors' mean.
pub const PRIOR_SD_ELO: f64 = 2000.0;
/// Standard deviation, in Elo points, of the prior on the side advantage (mean 0).
const PRIOR_SD_ADVANTAGE_ELO: f64 = 1000.0;
/// Standard deviation of the prior on the draw weight's logarithm (mean 0).
const PRIOR_SD_LOG_DRAW: f64 = 10.0;
/// Decided games between equal players that are added only for the draw weight, so that it stays finite if every game
/// was drawn.
const NOTIONAL_DECIDED_GAMES: f64 = 2.0;

/// All pairs of games between two players. The players are given by their indices.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Pairing {
    /// The player whose results `pairs` counts.
    pub first: usize,
    pub second: usize,
    pub pairs: PairTable,
}

/// A player with a given rating.
#[derive(Copy, Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Anchor {
    pub player: usize,
    pub elo: f64,
}

/// The model's data. The parameters are one rating per player, then the side advantage, then the logarithm of the draw
/// weight. All are in natural-logarithm units.
#[derive(Clone)]
pub(super) struct Model<'a> {
    pub(super) pairings: &'a [Pairing],
    n_players: usize,
    /// Each player's rating parameter: its own, or that of a player who is assumed to be equally strong.
    slots: Vec<usize>,
    /// Parameters with given values.
    held: Vec<Option<f64>>,
    /// The mean of the prior on ratings.
    centre: f64,
}

/// Chances of the three results at one difference of strength, with the slopes of their logarithms. Order: attackers
/// win, draw, defenders win.
pub(super) struct Chances {
    pub(super) p: [f64; 3],
    /// With respect to the difference in strength.
    pub(super) by_strength: [f64; 3],
    /// With respect to the logarithm of the draw weight.
    pub(super) by_draw: [f64; 3],
}

/// The model's formula, with `x` and `log_draw` in natural-logarithm units.
///
/// With the mean score `s = 1/(1 + e^−x)`, `q = s (1 − s)` and the draw weight `ν`, `D² = ν² W L` and `W + D/2 = s`
/// give `κ D² + D/2 = q` with `κ = 1/ν² − ¼`. The weaker side's winning chance is computed from `D² = ν² W L`, to avoid
/// cancellation.
pub(super) fn chances(x: f64, log_draw: f64) -> Chances {
    let small = (-x.abs()).exp();
    let (s, q) = (1.0 / (1.0 + small), small / (1.0 + small).powi(2));
    let inverse_square = (-2.0 * log_draw).exp();
    let root = (0.25 + 4.0 * (inverse_square - 0.25) * q).sqrt();
    let draw = 2.0 * q / (0.5 + root);
    let win = s - draw / 2.0;
    let loss = draw * draw * inverse_square / win;
    // Slopes for growing |x|, then for the logarithm of the draw weight.
    let d_draw = q * (1.0 - 2.0 * s) / root;
    let (win_x, draw_x) = ((q - d_draw / 2.0) / win, (1.0 - 2.0 * s) * (0.5 + root) / (2.0 * root));
    let draw_l = 2.0 * inverse_square * draw / root;
    let win_l = -draw_l * draw / 2.0 / win;
    let p = [win, draw, loss];
    let by_strength = [win_x, draw_x, 2.0 * draw_x - win_x];
    let by_draw = [win_l, draw_l, 2.0 * draw_l - 2.0 - win_l];
    if x >= 0.0 {
        Chances { p, by_strength, by_draw }
    } else {
        let turned = |[a, b, c]: [f64; 3]| [c, b, a];
        Chances { p: turned(p), by_strength: turned(by_strength.map(|slope| -slope)), by_draw: turned(by_draw) }
    }
}

/// The chance of a draw between equal players: `ν/(ν + 2)`.
pub(super) fn draw_rate(log_draw: f64) -> f64 {
    let draw_weight = log_draw.exp();
    draw_weight / (draw_weight + 2.0)
}

/// All games of a pairing in which one player played the attackers.
pub(super) struct Direction {
    /// The parameter of the attackers' player.
    pub(super) attackers: usize,
    /// The parameter of the defenders' player.
    pub(super) defenders: usize,
    /// How often the attackers won, drew and lost.
    counts: [f64; 3],
}

impl<'a> Model<'a> {
    pub(super) fn new(n_players: usize, anchors: &[Anchor], pairings: &'a [Pairing]) -> Self {
        let mut held = vec![None; n_players + 2];
        for anchor in anchors {
            held[anchor.player] = Some(anchor.elo * LOGIT_PER_ELO);
        }
        let centre = anchors.iter().map(|anchor| anchor.elo * LOGIT_PER_ELO).sum::<f64>() / anchors.len() as f64;
        Self { pairings, n_players, slots: (0..n_players).collect(), held, centre }
    }

    /// The same model with two players assumed to be equally strong, or `None` if both are anchors.
    pub(super) fn with_equals(&self, i: usize, j: usize) -> Option<Self> {
        let (kept, given_up) = if self.held[j].is_some() { (j, i) } else { (i, j) };
        if self.held[given_up].is_some() {
            return None;
        }
        let mut model = self.clone();
        model.slots[given_up] = kept;
        // No game depends on this parameter now.
        model.held[given_up] = Some(self.centre);
        Some(model)
    }

    pub(super) fn with_held(&self, k: usize, value: f64) -> Self {
        let mut model = self.clone();
        model.held[k] = Some(value);
        model
    }

    pub(super) fn is_held(&self, k: usize) -> bool {
        self.held[k].is_some()
    }

    pub(super) fn n_free(&self) -> usize {
        self.held.iter().filter(|held| held.is_none()).count()
    }

    /// The start values without any knowledge.
    pub(super) fn start(&self) -> Vec<f64> {
        let mut theta = vec![self.centre; self.n_players];
        theta.extend([0.0, 0.0]);
        self.start_near(&theta)
    }

    /// The start values if `theta` was best under a similar model.
    pub(super) fn start_near(&self, theta: &[f64]) -> Vec<f64> {
        theta.iter().zip(&self.held).map(|(&t, held)| held.unwrap_or(t)).collect()
    }

    /// The prior's mean and precision of parameter `k`.
    fn prior(&self, k: usize) -> (f64, f64) {
        let (mean, sd) = match k.cmp(&self.n_players) {
            Ordering::Less => (self.centre, PRIOR_SD_ELO * LOGIT_PER_ELO),
            Ordering::Equal => (0.0, PRIOR_SD_ADVANTAGE_ELO * LOGIT_PER_ELO),
            Ordering::Greater => (0.0, PRIOR_SD_LOG_DRAW),
        };
        (mean, 1.0 / (sd * sd))
    }

    /// The games of `pairing`: first those in which the first player played the attackers, then the others.
    pub(super) fn directions(&self, pairing: &Pairing) -> [Direction; 2] {
        let [first, second] = [self.slots[pairing.first], self.slots[pairing.second]];
        let counts = |score: Wdl| [score.wins, score.draws, score.losses].map(f64::from);
        [
            Direction { attackers: first, defenders: second, counts: counts(pairing.pairs.as_attackers()) },
            Direction { attackers: second, defenders: first, counts: counts(pairing.pairs.as_defenders().turned()) },
        ]
    }

    fn all_directions(&self) -> impl Iterator<Item = Direction> {
        self.pairings.iter().flat_map(|pairing| self.directions(pairing))
    }

    pub(super) fn chances_of(&self, theta: &[f64], d: &Direction) -> Chances {
        chances(theta[d.attackers] - theta[d.defenders] + theta[self.n_players], theta[self.n_players + 1])
    }

    pub(super) fn log_posterior(&self, theta: &[f64]) -> f64 {
        let log_prior = |(k, t): (usize, &f64)| {
            let (mean, precision) = self.prior(k);
            -0.5 * precision * (t - mean).powi(2)
        };
        let log_decided = -(theta[self.n_players + 1].exp() + 2.0).ln();
        let fit = self.all_directions().map(|d| {
            let p = self.chances_of(theta, &d).p;
            d.counts.iter().zip(p).map(|(n, p)| n * p.max(f64::MIN_POSITIVE).ln()).sum::<f64>()
        });
        let log_prior = theta.iter().enumerate().map(log_prior).sum::<f64>();
        log_prior + NOTIONAL_DECIDED_GAMES * log_decided + fit.sum::<f64>()
    }

    fn gradient(&self, theta: &[f64]) -> Vec<f64> {
        let by_prior = |(k, t): (usize, &f64)| {
            let (mean, precision) = self.prior(k);
            precision * (mean - t)
        };
        let mut gradient: Vec<f64> = theta.iter().enumerate().map(by_prior).collect();
        gradient[self.n_players + 1] -= NOTIONAL_DECIDED_GAMES * draw_rate(theta[self.n_players + 1]);
        for d in self.all_directions() {
            let Chances { by_strength, by_draw, .. } = self.chances_of(theta, &d);
            let sum = |slopes: [f64; 3]| d.counts.iter().zip(slopes).map(|(n, slope)| n * slope).sum::<f64>();
            let by_strength = sum(by_strength);
            gradient[d.attackers] += by_strength;
            gradient[d.defenders] -= by_strength;
            gradient[self.n_players] += by_strength;
            gradient[self.n_players + 1] += sum(by_draw);
        }
        for (slot, held) in gradient.iter_mut().zip(&self.held) {
            if held.is_some() {
                *slot = 0.0;
            }
        }
        gradient
    }

    /// The expected negative second derivatives (Fisher information), including the prior's. Fixed parameters have
    /// identity rows.
    fn information(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        let size = theta.len();
        let mut information = vec![vec![0.0; size]; size];
        for d in self.all_directions() {
            let Chances { p, by_strength, by_draw } = self.chances_of(theta, &d);
            let n: f64 = d.counts.iter().sum();
            let product = |a: [f64; 3], b: [f64; 3]| n * (0..3).map(|o| p[o] * a[o] * b[o]).sum::<f64>();
            let strength = product(by_strength, by_strength);
            let mixed = product(by_strength, by_draw);
            let signed = [(d.attackers, 1.0), (d.defenders, -1.0), (self.n_players, 1.0)];
            for (i, sign_i) in signed {
                for (j, sign_j) in signed {
                    information[i][j] += sign_i * sign_j * strength;
                }
                information[i][size - 1] += sign_i * mixed;
                information[size - 1][i] += sign_i * mixed;
            }
            information[size - 1][size - 1] += product(by_draw, by_draw);
        }
        let drawn = draw_rate(theta[size - 1]);
        information[size - 1][size - 1] += NOTIONAL_DECIDED_GAMES * drawn * (1.0 - drawn);
        for k in 0..size {
            information[k][k] += self.prior(k).1;
            if self.is_held(k) {
                information[k].fill(0.0);
                for row in &mut information {
                    row[k] = 0.0;
                }
                information[k][k] = 1.0;
            }
        }
        information
    }

    /// The parameters' covariance from the information at `theta`, with games as independent. It is zero for fixed
    /// parameters.
    pub(super) fn covariance(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        let mut covariance = inverse(&self.information(theta));
        for k in (0..theta.len()).filter(|&k| self.is_held(k)) {
            covariance[k][k] = 0.0;
        }
        covariance
    }

    /// The most likely parameters, by Fisher scoring with step halving from `theta`.
    pub(super) fn maximise(&self, mut theta: Vec<f64>) -> Vec<f64> {
        let mut value = self.log_posterior(&theta);
        for _ in 0..100 {
            let step = solve(&self.information(&theta), &self.gradient(&theta));
            let mut scale = 1.0;
            loop {
                let trial: Vec<f64> = theta.iter().zip(&step).map(|(t, s)| t + scale * s).collect();
                let trial_value = self.log_posterior(&trial);
                if trial_value >= value {
                    theta = trial;
                    value = trial_value;
                    break;
                }
                scale /= 2.0;
                if scale < 1e-9 {
                    return theta;
                }
            }
            if step.iter().all(|s| s.abs() < 1e-7) {
                break;
            }
        }
        theta
    }
}

#[cfg(test)]
mod tests {
    use super::chances;
    use crate::elo::LOGIT_PER_ELO;
    use crate::simulated::game_chances;

    #[test]
    fn chances_meet_their_definition() {
        for elo in [-700.0, -80.0, 0.0, 1.0, 250.0] {
            for draw_weight in [0.001, 0.5, 2.0, 6.0] {
                let [loss, draw, win] = game_chances(elo, draw_weight);
                let got = chances(elo * LOGIT_PER_ELO, f64::ln(draw_weight)).p;
                for (got, expected) in got.iter().zip([win, draw, loss]) {
                    assert!((got - expected).abs() < 1e-9, "{elo} {draw_weight}: {got} for {expected}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_chances() {
        let h = 1e-5;
        for (x, log_draw) in [(-3.0, -1.0), (0.4, 0.0), (6.0, 1.5), (30.0, -8.0)] {
            let at = chances(x, log_draw);
            let log = |x, log_draw| chances(x, log_draw).p.map(f64::ln);
            for o in 0..3 {
                let by_strength = (log(x + h, log_draw)[o] - log(x - h, log_draw)[o]) / (2.0 * h);
                let by_draw = (log(x, log_draw + h)[o] - log(x, log_draw - h)[o]) / (2.0 * h);
                assert!((at.by_strength[o] - by_strength).abs() < 1e-5, "{x} {log_draw} {o}: {by_strength}");
                assert!((at.by_draw[o] - by_draw).abs() < 1e-5, "{x} {log_draw} {o}: {by_draw}");
            }
        }
    }
}
