//! The trait of all players, and the reasons for which a player has no move.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Move, Side};
use tablut_search::{Evaluation, Situation};

/// One side of a game.
///
/// A player is polled, so that many games share a thread and the leaves of their nets form one batch. A player that
/// searches with a net requests evaluations of leaves, a player that is another program is checked from time to time,
/// and a player without a net answers at once.
pub trait Player: Send {
    /// Prepares for `game`. Returns false while it needs more time.
    ///
    /// # Errors
    /// If the player cannot play, or forfeits the game.
    fn begin(&mut self, _game: &Game) -> Result<bool, Fault> {
        Ok(true)
    }

    /// Returns the move for `game`, which is not over, or `None` while the player needs more time. The player then
    /// appends the positions to evaluate before the next call to `queries`. A move from another program may be illegal.
    ///
    /// # Errors
    /// If the player cannot play, or forfeits the game.
    fn poll(&mut self, game: &Game, queries: &mut Vec<Situation>) -> Result<Option<Move>, Fault>;

    /// Receives the evaluations of the last [`Player::poll`]'s queries, in the same order.
    fn apply(&mut self, _evaluations: &[Evaluation]) {}

    /// Tells the player that `mv`, a move of either side, has led to `game`. The game continues.
    ///
    /// # Errors
    /// If the player cannot play, or forfeits the game.
    fn follow(&mut self, _game: &Game, _mv: Move) -> Result<(), Fault> {
        Ok(())
    }

    /// Tells the player how the game ended.
    fn end(&mut self, _game: &Game, _winner: Option<Side>) {}
}

/// The player has no move.
#[derive(Debug)]
pub enum Fault {
    /// It loses the game. The text gives the reason.
    Forfeit(String),
    /// It cannot play at all.
    Fatal(PlayerError),
}

/// The player cannot play.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("player {name}: {reason}")]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct PlayerError {
    pub name: String,
    pub reason: String,
}

/// A random move of `moves`, all equally likely.
pub(crate) fn pick(moves: &[Move], rng: &mut ChaCha8Rng) -> Move {
    assert!(!moves.is_empty(), "a player was asked for a move in a game that is over");
    moves[rng.random_range(0..moves.len())]
}
