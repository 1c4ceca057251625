//! Ratings from games: Bradley–Terry with draws and a side advantage, all estimated together.
//!
//! **Model.** The attackers' mean score is Elo's `1/(1 + 10^(−x/400))` with
//! `x = rating(attackers) − rating(defenders) + side advantage`. Draws follow Davidson's rule (1970): the chance of a
//! draw is proportional to the geometric mean of both sides' winning chances, `D = ν √(W L)`. This is the model of Ordo
//! (Ballicora, *Ordo* manual, 2015).
//!
//! **Estimate.** Ratings, side advantage and draw weight `ν` are estimated together by maximum likelihood, with Fisher
//! scoring. A weak normal prior (see [`PRIOR_SD_ELO`]) keeps the rating of a player without a loss finite. Two notional
//! decided games keep the draw weight finite where every game was drawn.
//!
//! **Anchors** are players with given ratings. One anchor fixes the zero of the scale. The model fixes the unit, so a
//! second anchor does not stretch the scale. It replaces the measured distance of that player from the first anchor by
//! the published one. So ladders with the same anchors can be compared. [`Ratings::measured`] is the rating from the
//! games without the given value.
//!
//! **Intervals** are 95 % profile-likelihood intervals of the difference from the anchors. Their ends are the ratings
//! at which the best fit of all other parameters is worse by 1.92. The two games of a pair share an opening and are not
//! independent. Therefore the drop in likelihood is scaled by a ratio: the variance observed in the pairs, divided by
//! the variance of independent games (Chandler and Bate, *Inference for clustered data using the independence
//! loglikelihood*, Biometrika 2007). The likelihood of superiority follows from the drop at the best fit with both
//! players equal.

use crate::elo::LOGIT_PER_ELO;
use crate::pairs::PairTable;
use interval::{normal_below, profile};
use model::{Model, draw_rate};
use pair_effect::pair_effect;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

mod interval;
mod model;
mod pair_effect;
mod solve;

pub use model::{Anchor, PRIOR_SD_ELO, Pairing};

/// A rating in Elo points, with its 95 % interval.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct Rating {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

/// Ratings of all players, and the other estimated quantities.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ratings {
    /// One per player, in the order of their indices. An anchor has its given value and an interval of width zero.
    pub players: Vec<Rating>,
    /// The advantage of playing the attackers in Elo points, with its interval.
    pub attackers_advantage: Rating,
    /// The chance of a draw between equal players without the side advantage: `ν/(ν + 2)`.
    pub draw_rate: f64,
    /// `superiority[i][j]` is the likelihood that player `i` is stronger than `j`. It is ½ for a player and itself.
    pub superiority: Vec<Vec<f64>>,
    /// For each anchor other than the first, its index and the rating that it would have with only the first anchor.
    pub measured: Vec<(usize, Rating)>,
}

/// The ratings cannot be computed.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum RatingError {
    #[error("a pairing or an anchor names player {index}, but there are {n_players}")]
    UnknownPlayer { index: usize, n_players: usize },
    #[error("player {index} is anchored twice")]
    AnchoredTwice { index: usize },
    #[error("an anchor's rating is {elo} Elo, expected a number from -{MAX_ANCHOR_ELO} to {MAX_ANCHOR_ELO}")]
    AnchorRange { elo: f64 },
    #[error("there is no anchor: one player's rating must be given")]
    NoAnchor,
    #[error("there are no games to rate")]
    NoGames,
}

/// The names of the players of some matches, in the order of their first appearance, and the matches for [`rate`].
pub fn pairings_by_name<'a>(
    matches: impl IntoIterator<Item = (&'a [String; 2], PairTable)>,
) -> (Vec<&'a str>, Vec<Pairing>) {
    let mut names: Vec<&str> = Vec::new();
    let mut place = |name: &'a str| {
        names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    let pairings = matches
        .into_iter()
        .map(|([first, second], pairs)| Pairing { first: place(first), second: place(second), pairs })
        .collect();
    (names, pairings)
}

const MAX_ANCHOR_ELO: f64 = 10_000.0;

/// Rates `n_players` players. `anchors` are the given ratings. The other players are measured against the first anchor.
///
/// # Errors
/// If there are no games or no anchors, a player does not exist or is anchored twice, or an anchor is out of range.
pub fn rate(n_players: usize, anchors: &[Anchor], pairings: &[Pairing]) -> Result<Ratings, RatingError> {
    check(n_players, anchors, pairings)?;
    let fit = Fit::new(n_players, anchors, pairings);
    let players = (0..n_players).map(|k| fit.rating(k)).collect();
    let measured =
        |anchor: &Anchor| (anchor.player, Fit::new(n_players, &anchors[..1], pairings).rating(anchor.player));
    Ok(Ratings {
        players,
        attackers_advantage: fit.rating(n_players),
        draw_rate: draw_rate(fit.best[n_players + 1]),
        superiority: fit.superiority(n_players),
        measured: anchors[1..].iter().map(measured).collect(),
    })
}

fn check(n_players: usize, anchors: &[Anchor], pairings: &[Pairing]) -> Result<(), RatingError> {
    let named = pairings.iter().flat_map(|p| [p.first, p.second]).chain(anchors.iter().map(|a| a.player));
    if let Some(index) = named.into_iter().find(|&index| index >= n_players) {
        return Err(RatingError::UnknownPlayer { index, n_players });
    }
    if anchors.is_empty() {
        return Err(RatingError::NoAnchor);
    }
    for (place, anchor) in anchors.iter().enumerate() {
        if anchors[..place].iter().any(|other| other.player == anchor.player) {
            return Err(RatingError::AnchoredTwice { index: anchor.player });
        }
        if !(-MAX_ANCHOR_ELO..=MAX_ANCHOR_ELO).contains(&anchor.elo) {
            return Err(RatingError::AnchorRange { elo: anchor.elo });
        }
    }
    if pairings.iter().all(|p| p.pairs.pairs() == 0) {
        return Err(RatingError::NoGames);
    }
    Ok(())
}

/// The most likely parameters and their uncertainty.
struct Fit<'a> {
    model: Model<'a>,
    best: Vec<f64>,
    covariance: Vec<Vec<f64>>,
}

impl<'a> Fit<'a> {
    fn new(n_players: usize, anchors: &[Anchor], pairings: &'a [Pairing]) -> Self {
        let model = Model::new(n_players, anchors, pairings);
        let best = model.maximise(model.start());
        let covariance = model.covariance(&best);
        Self { model, best, covariance }
    }

    fn rating(&self, k: usize) -> Rating {
        let elo = |theta: f64| theta / LOGIT_PER_ELO;
        if self.model.is_held(k) {
            let elo = elo(self.best[k]);
            return Rating { elo, low: elo, high: elo };
        }
        let mut direction = vec![0.0; self.best.len()];
        direction[k] = 1.0;
        let effect = pair_effect(&self.model, &self.best, &self.covariance, &direction);
        let deviation = (self.covariance[k][k] * effect).max(0.0).sqrt();
        let (low, high) = profile(&self.model, &self.best, k, effect, deviation);
        Rating { elo: elo(self.best[k]), low: elo(low), high: elo(high) }
    }

    fn superiority(&self, n_players: usize) -> Vec<Vec<f64>> {
        let beyond = |i: usize| (i + 1..n_players).map(|j| self.likelihood_above(i, j)).collect();
        let upper: Vec<Vec<f64>> = (0..n_players).map(beyond).collect();
        let cell = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Less => upper[i][j - i - 1],
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0 - upper[j][i - j - 1],
        };
        (0..n_players).map(|i| (0..n_players).map(|j| cell(i, j)).collect()).collect()
    }

    /// The likelihood that player `i` is stronger than `j`: the normal distribution function at the signed root of the
    /// drop in likelihood.
    fn likelihood_above(&self, i: usize, j: usize) -> f64 {
        let difference = self.best[i] - self.best[j];
        let Some(equal) = self.model.with_equals(i, j) else {
            // Both are anchors.
            return 0.5 + 0.5 * f64::from(i8::from(difference > 0.0) - i8::from(difference < 0.0));
        };
        let mut direction = vec![0.0; self.best.len()];
        (direction[i], direction[j]) = (1.0, -1.0);
        let effect = pair_effect(&self.model, &self.best, &self.covariance, &direction);
        let fitted = equal.maximise(equal.start_near(&self.best));
        let drop = self.model.log_posterior(&self.best) - equal.log_posterior(&fitted);
        normal_below(difference.signum() * (2.0 * drop.max(0.0) / effect).sqrt())
    }
}

#[cfg(test)]
mod tests;
