//! Positions to evaluate: from random games of every built-in rule set.

use std::sync::Arc;

use anyhow::Context;
use tablut_net::{FEATURES, InputBatch, PLANES, encode};
use tablut_rules::{Game, MoveList, Rules, SQUARES, Side};

/// The most plies played before a position is taken.
const MAX_PLIES: u64 = 60;

/// Encodes `n` positions, each after a random number of random moves, the rule sets by turns.
pub fn random(n: usize, seed: u64) -> anyhow::Result<InputBatch> {
    let rules = Rules::names()
        .map(|name| Rules::named(name).map(Arc::new).with_context(|| format!("rule set {name}")))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut batch = InputBatch::default();
    let mut moves = MoveList::default();
    for rules in rules.iter().cycle().take(n) {
        let game = random_game(rules, &mut random, &mut moves);
        game.legal_moves(&mut moves);
        encode(&game.situation(&moves), &mut batch);
    }
    Ok(batch)
}

/// A game that is not over, after some random moves.
fn random_game(rules: &Arc<Rules>, random: &mut Random, moves: &mut MoveList) -> Game {
    loop {
        let mut game = Game::new(Arc::clone(rules), Side::Attackers);
        for _ in 0..random.next() % MAX_PLIES {
            game.legal_moves(moves);
            if game.outcome().is_some() || moves.is_empty() {
                break;
            }
            let choice = random.next() as usize % moves.len();
            game.play_trusted(moves[choice]);
        }
        if game.outcome().is_none() {
            return game;
        }
    }
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

/// Marsaglia's xorshift; the positions need no better randomness.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_positions_are_valid_and_repeat() {
        let batch = random(40, 3).unwrap();
        assert_eq!(batch.n, 40);
        batch.validate().unwrap();
        assert!((0..40).all(|row| !batch.move_range(row).is_empty()));
        let again = random(40, 3).unwrap();
        assert_eq!((&batch.planes, &batch.moves), (&again.planes, &again.moves));
        first(&batch, 7).validate().unwrap();
    }
}
