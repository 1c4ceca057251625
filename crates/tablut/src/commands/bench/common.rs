//! What the benchmarks have in common: positions from random games, arguments, and the figures that they print.

use std::fmt::Display;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::Context;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_net::{FEATURES, InputBatch, PLANES, encode};
use tablut_rules::{Game, MoveList, Rules, SQUARES, Side};

use crate::console::Console;

/// The most plies played before a position is encoded.
const MAX_PLIES: u32 = 60;

/// All rule sets that come with the program.
pub fn all_rules() -> anyhow::Result<Vec<Arc<Rules>>> {
    Rules::names().map(|name| Rules::named(name).map(Arc::new).with_context(|| format!("rule set {name}"))).collect()
}

/// A game after `plies` random moves, or fewer if it ends before.
pub fn random_game(rules: &Arc<Rules>, plies: u32, rng: &mut ChaCha8Rng) -> Game {
    let mut game = Game::new(Arc::clone(rules), rules.set().first.side().unwrap_or(Side::Attackers));
    let mut moves = MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play_trusted(moves[rng.next_u32() as usize % moves.len()]);
    }
    game
}

/// Encodes `n` positions, each after a random number of random moves, the rule sets by turns.
pub fn encoded(n: usize, seed: u64) -> anyhow::Result<InputBatch> {
    let rules = all_rules()?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut batch, mut moves) = (InputBatch::default(), MoveList::new());
    while batch.n < n {
        let plies = rng.next_u32() % MAX_PLIES;
        let game = random_game(&rules[batch.n % rules.len()], plies, &mut rng);
        if game.outcome().is_none() {
            game.legal_moves(&mut moves);
            encode(&game.situation(&moves), &mut batch);
        }
    }
    Ok(batch)
}

/// The first `n` rows of `batch`.
///
/// # Panics
/// When it has fewer.
pub fn first(batch: &InputBatch, n: usize) -> InputBatch {
    let n_moves = batch.move_ends[n - 1] as usize;
    InputBatch {
        n,
        planes: batch.planes[..n * PLANES * SQUARES].to_vec(),
        features: batch.features[..n * FEATURES].to_vec(),
        moves: batch.moves[..n_moves].to_vec(),
        move_ends: batch.move_ends[..n].to_vec(),
    }
}

/// Prints one line, in words or as JSON.
pub fn print(console: &mut Console, figures: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
    if json {
        writeln!(console, "{}", serde_json::to_string(figures)?)?;
    } else {
        writeln!(console, "{figures}")?;
    }
    Ok(())
}

/// An argument that is a number of at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of at least 1".to_owned()),
        Ok(n) => Ok(n),
    }
}

/// An argument that is a time.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(secs) if (0.0..=3600.0).contains(&secs) => Ok(secs),
        _ => Err("expected seconds from 0 to 3600".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_positions_are_valid_and_repeat() {
        let batch = encoded(40, 3).unwrap();
        assert_eq!(batch.n, 40);
        batch.validate().unwrap();
        assert!((0..40).all(|row| !batch.move_range(row).is_empty()));
        let again = encoded(40, 3).unwrap();
        assert_eq!((&batch.planes, &batch.moves), (&again.planes, &again.moves));
        first(&batch, 7).validate().unwrap();
    }
}
