//! Ratings from games: Bradley–Terry with draws and a side advantage.
//!
//! **Method.** Davidson's model (1970): with `x = rating(attackers) − rating(defenders) + side advantage`, in Elo
//! points, attackers win, draw and defenders win with chances in the ratio `10^(x/800) : draw rate : 10^(−x/800)`. Without
//! draws this is Elo's own curve. Ratings, side advantage and draw rate are estimated together by Newton's method on
//! the log-likelihood, which has one maximum. A weak normal prior (see [`PRIOR_SD_ELO`]) keeps a player without
//! a single loss at a finite rating. Intervals are 95 % profile-likelihood intervals of the difference from
//! the anchor: the ratings at which the best fit of everything else is worse by 1.92. Games from one opening
//! are taken as independent given the players.

use crate::elo::LOGIT_PER_ELO;
use crate::score::{Wdl, Z_95};
use serde::{Deserialize, Serialize};
use solve::{inverse, solve};
use std::cmp::Ordering;

mod solve;

/// Standard deviation, in Elo points, of the prior on a rating's distance from the anchor.
pub const PRIOR_SD_ELO: f64 = 2000.0;
/// Standard deviation, in Elo points, of the prior on the side advantage (mean 0).
const PRIOR_SD_ADVANTAGE_ELO: f64 = 1000.0;
/// Standard deviation of the prior on the draw rate's logarithm (mean 0).
const PRIOR_SD_LOG_DRAW: f64 = 10.0;
/// Half the 95 % point of the chi-squared distribution with one degree of freedom.
const PROFILE_DROP: f64 = Z_95 * Z_95 / 2.0;

/// All games of one pairing with sides: `attackers` and `defenders` are indices of players.
#[derive(Copy, Clone, Debug, Serialize, Deserialize)]
pub struct PairingResult {
    /// The player that had the attackers.
    pub attackers: usize,
    /// The player that had the defenders.
    pub defenders: usize,
    /// Results from the attackers' side.
    pub results: Wdl,
}

/// A player's rating in Elo points, relative to the anchor.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The estimate.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// Ratings of all players with the quantities estimated beside them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ratings {
    /// One per player, in the order of their indices; the anchor's is its given value without width.
    pub players: Vec<Rating>,
    /// What having the attackers is worth, in Elo points, with its interval.
    pub attackers_advantage: Rating,
    /// The chance of a draw between equal players, the side advantage evened out.
    pub draw_rate: f64,
    /// `superiority[i][j]`: the chance that player `i` is stronger than `j`, by the normal approximation.
    pub superiority: Vec<Vec<f64>>,
}

/// Why no ratings could be made.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum RatingError {
    /// A pairing names a player that does not exist.
    #[error("a pairing names player {index}, but there are {n_players}")]
    UnknownPlayer {
        /// The index named.
        index: usize,
        /// How many players there are.
        n_players: usize,
    },
    /// No game was given.
    #[error("there are no games to rate")]
    NoGames,
}

/// Rates `n_players` players; `anchor` is given `anchor_elo`.
pub fn rate(
    n_players: usize,
    anchor: usize,
    anchor_elo: f64,
    results: &[PairingResult],
) -> Result<Ratings, RatingError> {
    let named = results.iter().flat_map(|r| [r.attackers, r.defenders]).chain([anchor]);
    if let Some(index) = named.into_iter().find(|&index| index >= n_players) {
        return Err(RatingError::UnknownPlayer { index, n_players });
    }
    if results.iter().all(|r| r.results.games() == 0) {
        return Err(RatingError::NoGames);
    }
    let model = Model { n_players, anchor, results };
    let best = model.maximise(model.start(), None);
    let covariance = inverse(&model.curvature(&best, None));
    let rating = |k: usize, offset: f64| {
        let (low, high) = model.profile(&best, k, covariance[k][k].max(0.0).sqrt());
        let elo = |theta: f64| theta / LOGIT_PER_ELO + offset;
        Rating { elo: elo(best[k]), low: elo(low), high: elo(high) }
    };
    let players = (0..n_players)
        .map(|k| {
            if k == anchor {
                Rating { elo: anchor_elo, low: anchor_elo, high: anchor_elo }
            } else {
                rating(k, anchor_elo)
            }
        })
        .collect();
    let nu = best[n_players + 1].exp();
    Ok(Ratings {
        players,
        attackers_advantage: rating(n_players, 0.0),
        draw_rate: nu / (nu + 2.0),
        superiority: superiority(&best, &covariance, n_players, anchor),
    })
}

/// The model's data. Parameters: one rating per player, then side advantage, then the draw rate's logarithm; all in
/// natural-logarithm units. The anchor's rating is held at 0.
struct Model<'a> {
    n_players: usize,
    anchor: usize,
    results: &'a [PairingResult],
}

/// Chances of the three results and their scores, at one difference of strength.
struct Chances {
    /// Attackers win, draw, defenders win.
    p: [f64; 3],
    /// Mean of the centred score (½, 0, −½).
    mean: f64,
}

fn chances(x: f64, log_draw: f64) -> Chances {
    let top = (x.abs() / 2.0).max(log_draw);
    let weights = [(x / 2.0 - top).exp(), (log_draw - top).exp(), (-x / 2.0 - top).exp()];
    let total: f64 = weights.iter().sum();
    let p = weights.map(|w| w / total);
    Chances { p, mean: (p[0] - p[2]) / 2.0 }
}

impl Model<'_> {
    fn start(&self) -> Vec<f64> {
        vec![0.0; self.n_players + 2]
    }

    fn prior_precision(&self, k: usize) -> f64 {
        let sd = match k.cmp(&self.n_players) {
            Ordering::Less => PRIOR_SD_ELO * LOGIT_PER_ELO,
            Ordering::Equal => PRIOR_SD_ADVANTAGE_ELO * LOGIT_PER_ELO,
            Ordering::Greater => PRIOR_SD_LOG_DRAW,
        };
        1.0 / (sd * sd)
    }

    fn is_held(&self, k: usize, held: Option<usize>) -> bool {
        k == self.anchor || Some(k) == held
    }

    /// Log-likelihood plus log prior.
    fn log_posterior(&self, theta: &[f64]) -> f64 {
        let prior: f64 = theta.iter().enumerate().map(|(k, t)| -0.5 * self.prior_precision(k) * t * t).sum();
        let fit: f64 = self
            .results
            .iter()
            .map(|r| {
                let p = self.chances_of(theta, r).p.map(|p| p.max(f64::MIN_POSITIVE).ln());
                f64::from(r.results.wins) * p[0]
                    + f64::from(r.results.draws) * p[1]
                    + f64::from(r.results.losses) * p[2]
            })
            .sum();
        prior + fit
    }

    fn chances_of(&self, theta: &[f64], r: &PairingResult) -> Chances {
        chances(theta[r.attackers] - theta[r.defenders] + theta[self.n_players], theta[self.n_players + 1])
    }

    fn gradient(&self, theta: &[f64], held: Option<usize>) -> Vec<f64> {
        let mut gradient: Vec<f64> = theta.iter().enumerate().map(|(k, t)| -self.prior_precision(k) * t).collect();
        for r in self.results {
            let Chances { p, mean } = self.chances_of(theta, r);
            let n = f64::from(r.results.games());
            let by_strength = (f64::from(r.results.wins) - f64::from(r.results.losses)) / 2.0 - n * mean;
            gradient[r.attackers] += by_strength;
            gradient[r.defenders] -= by_strength;
            gradient[self.n_players] += by_strength;
            gradient[self.n_players + 1] += f64::from(r.results.draws) - n * p[1];
        }
        for (k, slot) in gradient.iter_mut().enumerate() {
            if self.is_held(k, held) {
                *slot = 0.0;
            }
        }
        gradient
    }

    /// The negated second derivatives; identity rows for parameters that are held.
    fn curvature(&self, theta: &[f64], held: Option<usize>) -> Vec<Vec<f64>> {
        let size = theta.len();
        let mut curvature = vec![vec![0.0; size]; size];
        for r in self.results {
            let Chances { p, mean } = self.chances_of(theta, r);
            let n = f64::from(r.results.games());
            let strength = n * ((p[0] + p[2]) / 4.0 - mean * mean);
            let signed = [(r.attackers, 1.0), (r.defenders, -1.0), (self.n_players, 1.0)];
            for (i, sign_i) in signed {
                for (j, sign_j) in signed {
                    curvature[i][j] += sign_i * sign_j * strength;
                }
                curvature[i][size - 1] -= sign_i * n * p[1] * mean;
                curvature[size - 1][i] -= sign_i * n * p[1] * mean;
            }
            curvature[size - 1][size - 1] += n * p[1] * (1.0 - p[1]);
        }
        for k in 0..size {
            curvature[k][k] += self.prior_precision(k);
            if self.is_held(k, held) {
                curvature[k].fill(0.0);
                for row in &mut curvature {
                    row[k] = 0.0;
                }
                curvature[k][k] = 1.0;
            }
        }
        curvature
    }

    /// Newton's method with step halving from `theta`; parameter `held` keeps its value.
    fn maximise(&self, mut theta: Vec<f64>, held: Option<usize>) -> Vec<f64> {
        let mut value = self.log_posterior(&theta);
        for _ in 0..100 {
            let step = solve(&self.curvature(&theta, held), &self.gradient(&theta, held));
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
            if step.iter().all(|s| s.abs() < 1e-9) {
                break;
            }
        }
        theta
    }

    /// The two values of parameter `k` at which the best fit of the others is worse by [`PROFILE_DROP`].
    fn profile(&self, best: &[f64], k: usize, deviation: f64) -> (f64, f64) {
        let target = self.log_posterior(best) - PROFILE_DROP;
        let mut ends = [0.0; 2];
        for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
            let mut theta = best.to_vec();
            let mut excess = |distance: f64| {
                theta[k] = best[k] + sign * distance;
                theta = self.maximise(std::mem::take(&mut theta), Some(k));
                self.log_posterior(&theta) - target
            };
            let (mut near, mut far) = (0.0, Z_95 * deviation.max(1e-6));
            let (mut near_excess, mut far_excess) = (PROFILE_DROP, excess(far));
            while far_excess > 0.0 {
                (near, near_excess) = (far, far_excess);
                far *= 2.0;
                far_excess = excess(far);
            }
            *end = best[k] + sign * crossing([(near, near_excess), (far, far_excess)], excess);
        }
        (ends[0], ends[1])
    }
}

/// Where `f` crosses zero between two points with values above and below it: false position, halving the value of an end
/// that stays (the Illinois rule). Exact to a fiftieth of an Elo point.
fn crossing([mut above, mut below]: [(f64, f64); 2], mut f: impl FnMut(f64) -> f64) -> f64 {
    while below.0 - above.0 > 1e-4 {
        let x = (above.0 * below.1 - below.0 * above.1) / (below.1 - above.1);
        let value = f(x);
        if value.abs() < 1e-6 {
            return x;
        }
        if value > 0.0 {
            above = (x, value);
            below.1 /= 2.0;
        } else {
            below = (x, value);
            above.1 /= 2.0;
        }
    }
    f64::midpoint(above.0, below.0)
}

/// The chance, for every two players, that the first is stronger.
fn superiority(best: &[f64], covariance: &[Vec<f64>], n_players: usize, anchor: usize) -> Vec<Vec<f64>> {
    let cell = |i: usize, j: usize| {
        if i == anchor || j == anchor { 0.0 } else { covariance[i][j] }
    };
    (0..n_players)
        .map(|i| {
            (0..n_players)
                .map(|j| {
                    let variance = cell(i, i) + cell(j, j) - 2.0 * cell(i, j);
                    if i == j { 0.5 } else { normal_below((best[i] - best[j]) / variance.max(1e-12).sqrt()) }
                })
                .collect()
        })
        .collect()
}

/// The normal distribution's cumulative function, to about 1e-7 (Abramowitz and Stegun 26.2.17).
fn normal_below(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let series =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let tail = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * series;
    if z >= 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests;
