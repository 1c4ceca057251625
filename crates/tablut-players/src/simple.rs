//! The two simplest players: one plays random moves, the other captures if it can.

use crate::player::{Fault, Player};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Move, MoveList};
use tablut_search::Query;

/// Plays a random legal move. All moves are equally likely.
pub struct Random {
    rng: ChaCha8Rng,
    moves: MoveList,
}

impl Random {
    /// A player that draws from `rng`.
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self { rng, moves: MoveList::new() }
    }
}

impl Player for Random {
    fn poll(&mut self, game: &Game, _: &mut Vec<Query>) -> Result<Option<Move>, Fault> {
        game.legal_moves(&mut self.moves);
        Ok(Some(pick(&self.moves, &mut self.rng)))
    }
}

/// Plays a move that wins at once if there is one, otherwise a capture if there is one, otherwise any move. Moves of
/// the same kind are equally likely.
pub struct Greedy {
    rng: ChaCha8Rng,
    moves: MoveList,
}

impl Greedy {
    /// A player that draws from `rng`.
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self { rng, moves: MoveList::new() }
    }
}

impl Player for Greedy {
    fn poll(&mut self, game: &Game, _: &mut Vec<Query>) -> Result<Option<Move>, Fault> {
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
        Ok(Some(pick(best, &mut self.rng)))
    }
}

/// A random move of `moves`, all equally likely.
pub(crate) fn pick(moves: &[Move], rng: &mut ChaCha8Rng) -> Move {
    assert!(!moves.is_empty(), "a player was asked for a move in a game that is over");
    moves[rng.random_range(0..moves.len())]
}
