//! Runs a net on an evenly spaced sample of the searched positions.

use std::sync::Arc;

use rayon::prelude::*;
use tablut_net::{Inference, InputBatch, NetError, OutputBatch, encode};
use tablut_rules::{Rules, Side};
use tablut_search::{Chances, value_of};

use crate::record::{GameRecord, ReplayError};

/// The net's, the search's and the game's values for one position.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ExaminedPosition {
    /// Index of the rule set in the given list.
    pub rules: usize,
    /// The side to move.
    pub side: Side,
    /// Plies played before it.
    pub ply: u32,
    /// Who won the game.
    pub winner: Option<Side>,
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
    /// Plies from here to the end of the game.
    pub plies_left: f64,
    /// The net's estimate of them.
    pub net_plies_left: f64,
    /// Whether the game's result measures the position's value, as in [`GameRecord::result_counts`].
    pub result_counts: bool,
}

impl ExaminedPosition {
    /// The game's result: +1 the attackers won, 0 drawn, −1 the defenders won.
    pub fn outcome(&self) -> f64 {
        f64::from(value_of(self.winner))
    }
}

/// The sample could not be examined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExamineError {
    /// A record cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The net failed.
    #[error(transparent)]
    Net(#[from] NetError),
}

/// Positions per call of the net.
const BATCH: usize = 64;

/// Runs nets from `make_net` on at most `most` of the searched positions of `games`, taken at even distances. Returns
/// the results in the games' order.
///
/// # Errors
/// If a record cannot be replayed or a net fails.
pub fn examine(
    rules: &[Arc<Rules>],
    games: &[GameRecord],
    most: usize,
    make_net: &(dyn Fn() -> Box<dyn Inference> + Sync),
) -> Result<Vec<ExaminedPosition>, ExamineError> {
    let searched: Vec<usize> =
        games.iter().map(|game| game.plies.iter().filter(|ply| ply.search.is_some()).count()).collect();
    let total: usize = searched.iter().sum();
    let n = most.min(total);
    // Indices of the sample, counted over all games. `wanted` contains, for each game, the ones inside it.
    let mut wanted = vec![Vec::new(); games.len()];
    let (mut game, mut before) = (0, 0);
    for place in (0..n).map(|i| i * total / n) {
        while place >= before + searched[game] {
            before += searched[game];
            game += 1;
        }
        wanted[game].push(place - before);
    }
    let of_games: Vec<(&GameRecord, &Vec<usize>)> =
        games.iter().zip(&wanted).filter(|(_, places)| !places.is_empty()).collect();
    let share = of_games.len().div_ceil(rayon::current_num_threads()).max(1);
    let examined = of_games
        .par_chunks(share)
        .map(|games| {
            let mut examiner = Examiner::new(rules, make_net());
            for (game, places) in games {
                examiner.take(game, places)?;
            }
            examiner.finish()
        })
        .collect::<Result<Vec<_>, ExamineError>>()?;
    Ok(examined.concat())
}

/// Collects positions, and runs the net when there are enough.
struct Examiner<'a> {
    rules: &'a [Arc<Rules>],
    net: Box<dyn Inference>,
    input: InputBatch,
    output: OutputBatch,
    /// The positions in `input`, without the net's values, and their targets.
    waiting: Vec<(ExaminedPosition, Vec<u16>)>,
    done: Vec<ExaminedPosition>,
}

impl<'a> Examiner<'a> {
    fn new(rules: &'a [Arc<Rules>], net: Box<dyn Inference>) -> Self {
        let (input, output) = (InputBatch::default(), OutputBatch::default());
        Self { rules, net, input, output, waiting: Vec::new(), done: Vec::new() }
    }

    /// Takes the searched positions of `game` at `places`, which are increasing.
    fn take(&mut self, game: &GameRecord, places: &[usize]) -> Result<(), ExamineError> {
        let set = game.place_among(self.rules)?;
        let (mut place, mut next) = (0, 0);
        let (input, waiting) = (&mut self.input, &mut self.waiting);
        game.replay(&self.rules[set], |state, moves, ply| {
            let Some(search) = &ply.search else { return };
            if places.get(next) == Some(&place) {
                next += 1;
                encode(&state.situation(moves), input);
                let position = ExaminedPosition {
                    rules: set,
                    side: state.position().side_to_move(),
                    ply: state.ply(),
                    winner: game.outcome.winner,
                    search: search.chances,
                    net_value: 0.0,
                    wdl: [0.0; 3],
                    prior_entropy: 0.0,
                    target_entropy: entropy(search.policy.iter().map(|&p| f64::from(p))),
                    cross_entropy: 0.0,
                    changed: false,
                    plies_left: game.plies.len() as f64 - f64::from(state.ply()),
                    net_plies_left: 0.0,
                    result_counts: game.result_counts(&self.rules[set]),
                };
                waiting.push((position, search.policy.clone()));
            }
            place += 1;
        })?;
        if self.waiting.len() >= BATCH { self.ask() } else { Ok(()) }
    }

    /// Runs the net on all collected positions.
    fn ask(&mut self) -> Result<(), ExamineError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.net.infer(&self.input, &mut self.output)?;
        for (row, (mut position, target)) in self.waiting.drain(..).enumerate() {
            let logits = &self.output.logits[self.input.move_range(row)];
            let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let normaliser = logits.iter().map(|&logit| f64::from(logit - highest).exp()).sum::<f64>().ln();
            let log_prior = |place: usize| f64::from(logits[place] - highest) - normaliser;
            let total: f64 = target.iter().map(|&p| f64::from(p)).sum::<f64>().max(1.0);
            position.prior_entropy = (0..logits.len()).map(|place| -log_prior(place).exp() * log_prior(place)).sum();
            position.cross_entropy =
                target.iter().enumerate().map(|(place, &p)| -f64::from(p) / total * log_prior(place)).sum();
            position.changed = first_greatest(logits) != first_greatest(&target);
            position.wdl = self.output.wdl[row];
            position.net_value = f64::from(position.wdl[0]) - f64::from(position.wdl[2]);
            position.net_plies_left = f64::from(self.output.moves_left[row]);
            self.done.push(position);
        }
        self.input.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<ExaminedPosition>, ExamineError> {
        self.ask()?;
        Ok(self.done)
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
