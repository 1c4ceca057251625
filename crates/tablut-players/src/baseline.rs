//! Players without a net, who choose at once.

use crate::alphabeta::AlphaBeta;
use crate::rollouts::Rollouts;
use crate::spec::PlayerSpec;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use tablut_rules::{Game, Move, MoveList, Rules};

/// A player that needs nothing but the game to choose its move.
pub trait Baseline: Send {
    /// A legal move of `game`.
    ///
    /// # Panics
    /// If the game is over: there is no move to choose.
    fn choose(&mut self, game: &Game) -> Move;
}

/// The baseline that `spec` names, or `None` for a net or a program. All its randomness comes from `seed`.
pub fn baseline(spec: &PlayerSpec, rules: &Arc<Rules>, seed: u64) -> Option<Box<dyn Baseline>> {
    let rng = ChaCha8Rng::seed_from_u64(seed);
    Some(match spec {
        PlayerSpec::Random => Box::new(Random { rng, moves: MoveList::new() }),
        PlayerSpec::Greedy => Box::new(Greedy { rng, moves: MoveList::new() }),
        PlayerSpec::AlphaBeta(limit) => Box::new(AlphaBeta::new(rules, *limit, rng)),
        PlayerSpec::Rollouts { playouts } => Box::new(Rollouts::new(*playouts, rng)),
        PlayerSpec::Net { .. }
        | PlayerSpec::Policy { .. }
        | PlayerSpec::Engine { .. }
        | PlayerSpec::OpenTafl { .. }
        | PlayerSpec::Challenge { .. } => return None,
    })
}

/// Any legal move, all equally likely.
struct Random {
    rng: ChaCha8Rng,
    moves: MoveList,
}

impl Baseline for Random {
    fn choose(&mut self, game: &Game) -> Move {
        game.legal_moves(&mut self.moves);
        pick(&self.moves, &mut self.rng)
    }
}

/// A move that wins at once if there is one, else a capture if there is one, else any; alike ones equally likely.
struct Greedy {
    rng: ChaCha8Rng,
    moves: MoveList,
}

impl Baseline for Greedy {
    fn choose(&mut self, game: &Game) -> Move {
        game.legal_moves(&mut self.moves);
        let (mut wins, mut captures) = (Vec::new(), Vec::new());
        for &mv in &self.moves {
            let applied = game.rules().apply(game.position(), mv);
            if applied.winner == Some(game.position().side_to_move()) {
                wins.push(mv);
            } else if !applied.captured.is_empty() {
                captures.push(mv);
            }
        }
        let best: &[Move] = match (wins.is_empty(), captures.is_empty()) {
            (false, _) => &wins,
            (true, false) => &captures,
            (true, true) => &self.moves,
        };
        pick(best, &mut self.rng)
    }
}

/// One of `moves`, all equally likely.
pub(crate) fn pick(moves: &[Move], rng: &mut ChaCha8Rng) -> Move {
    assert!(!moves.is_empty(), "a player was asked for a move in a game that is over");
    moves[rng.random_range(0..moves.len())]
}
