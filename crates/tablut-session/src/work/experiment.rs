//! An experiment with rules: the net plays itself at three strengths, and the results are counted for each side.

use super::{Step, Work};
use crate::protocol::Event;
use crate::results::{Balance, ExperimentView, Shares};
use crate::thinking::Thinking;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Game, MoveList, Results, Rules, Side};
use tablut_search::{EvaluateError, Evaluator};

const STRENGTHS: [u32; 3] = [0, 16, 64];
const MAX_GAMES: u32 = 400;
/// Random plies at the beginning of a game, as in a match.
const OPENING_PLIES: u32 = 4;
/// A game that reaches this length stays unfinished.
const MAX_PLIES: u32 = 400;

#[derive(Clone, Debug, Default)]
struct Counts {
    results: Results,
    plies: Vec<u32>,
    reasons: BTreeMap<&'static str, u32>,
}

#[derive(Debug)]
pub struct Experiment {
    rules: Arc<Rules>,
    games: u32,
    counts: [Counts; STRENGTHS.len()],
    played: u32,
    game: Option<Game>,
    thinking: Option<Thinking>,
    seed: u64,
}

impl Experiment {
    /// An experiment of `games` games at each strength, at least 1 and at most 400.
    pub fn new(rules: Arc<Rules>, games: u32, seed: u64) -> Self {
        let games = games.clamp(1, MAX_GAMES);
        Self { rules, games, counts: Default::default(), played: 0, game: None, thinking: None, seed }
    }

    pub fn view(&self) -> ExperimentView {
        let balances = self.counts.iter().zip(STRENGTHS).map(|(counts, simulations)| counts.balance(simulations));
        let (rules, games) = (self.rules.name().to_owned(), self.games * STRENGTHS.len() as u32);
        ExperimentView { rules, balances: balances.collect(), played: self.played, games }
    }

    /// The index of the current game's strength. The strengths take turns, so that all have results early.
    fn strength(&self) -> usize {
        self.played as usize % STRENGTHS.len()
    }

    /// A game after a few random plies, the same for each strength.
    fn opening(&self) -> Game {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(self.played) / STRENGTHS.len() as u64);
        let mut moves = MoveList::new();
        loop {
            let drawn = if rng.random() { Side::Attackers } else { Side::Defenders };
            let first = self.rules.set().first.side().unwrap_or(drawn);
            let mut game = Game::new(self.rules.clone(), first).with_max_plies(MAX_PLIES);
            for _ in 0..OPENING_PLIES {
                game.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                game.play_trusted(moves[rng.random_range(0..moves.len())]);
            }
            let decided = game.outcome().is_some();
            // Under some rules every random opening is decided. Then the game begins from the start position.
            if !decided && !game.rules().wins_at_once(game.position(), game.position().side_to_move()) {
                return game;
            }
            if rng.random_range(0..50) == 0 {
                return Game::new(self.rules.clone(), first).with_max_plies(MAX_PLIES);
            }
        }
    }

    fn finish(&mut self, game: &Game) -> Step {
        let strength = self.strength();
        let counts = &mut self.counts[strength];
        counts.plies.push(game.ply());
        if let Some(outcome) = game.outcome() {
            counts.results += Results::of_game(game.rules(), outcome, game.ply() as usize);
            *counts.reasons.entry(outcome.reason.name()).or_default() += 1;
        }
        self.played += 1;
        let done = self.played == self.games * STRENGTHS.len() as u32;
        let updates = vec![Event::Experiment { experiment: Box::new(self.view()), done }.into()];
        if done { Step::Done(updates) } else { Step::Progress(updates) }
    }
}

impl Counts {
    fn balance(&self, simulations: u32) -> Balance {
        let games = self.plies.len() as u32;
        let n = f64::from(games.max(1));
        let mean = self.plies.iter().map(|plies| f64::from(*plies)).sum::<f64>() / n;
        let squares: f64 = self.plies.iter().map(|plies| (f64::from(*plies) - mean).powi(2)).sum();
        let plies_within = if games > 1 { 1.96 * (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
        Balance {
            simulations,
            games,
            shares: Shares::of(self.results),
            mean_plies: mean,
            plies_within,
            reasons: self.reasons.clone(),
        }
    }
}

impl Work for Experiment {
    fn step(&mut self, evaluator: &mut dyn Evaluator, elapsed: Duration) -> Result<Step, EvaluateError> {
        let mut game = match self.game.take() {
            Some(game) => game,
            None => self.opening(),
        };
        if game.outcome().is_some() {
            return Ok(self.finish(&game));
        }
        let simulations = STRENGTHS[self.strength()];
        let seed = self.seed ^ u64::from(self.played).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let thinking = self.thinking.get_or_insert_with(|| Thinking::by_simulations(&game, simulations, seed));
        if !thinking.step(evaluator, elapsed)? {
            game.play_trusted(thinking.result().chosen);
            self.thinking = None;
        }
        self.game = Some(game);
        Ok(Step::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::updates_of;

    #[test]
    fn results_are_counted_by_side_and_strength() {
        let mut experiment = Experiment::new(Arc::new(Rules::named("tartu").unwrap()), 2, 3);
        let n_updates = updates_of(&mut experiment).len();
        let view = experiment.view();
        assert_eq!((n_updates, view.played, view.games), (6, 6, 6));
        for balance in &view.balances {
            assert_eq!(balance.games, 2);
            let Shares { attackers, draws, defenders, unfinished } = balance.shares;
            assert_eq!(attackers.count + draws.count + defenders.count + unfinished.count, 2);
            assert_eq!(balance.reasons.values().sum::<u32>(), 2);
            assert!(balance.mean_plies > 4.0, "{balance:?}");
        }
        let again = Experiment::new(Arc::new(Rules::named("tartu").unwrap()), 2, 3);
        assert_eq!(again.opening().position(), Experiment::new(again.rules.clone(), 2, 3).opening().position());
    }
}
