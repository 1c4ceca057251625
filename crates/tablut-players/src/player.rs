//! What every player is: one side of a game, asked for a move in turns.

use tablut_rules::{Game, Move, Side};
use tablut_search::{Evaluation, Query};

/// A player's side of one game.
///
/// It is asked in turns, so that many games share a thread and their nets' leaves go out in one batch: a player that searches with a net
/// gives the leaves that it wants evaluated, another program is looked at now and then, a player without a net answers at once.
pub trait Player: Send {
    /// Gets ready for `game`; false while that takes more time.
    fn begin(&mut self, _game: &Game) -> Result<bool, Fault> {
        Ok(true)
    }

    /// The move for `game`, which is not over, once it is there; it may be illegal if another program chose it. Until then what is to be
    /// evaluated before the next call, if anything, is appended to `queries`.
    fn poll(&mut self, game: &Game, queries: &mut Vec<Query>) -> Result<Option<Move>, Fault>;

    /// Takes the evaluations of what the last [`Player::poll`] asked for, in its order.
    fn apply(&mut self, _evaluations: &[Evaluation]) {}

    /// Hears of `mv`, its own or the other side's, which led to `game`; the game goes on.
    fn follow(&mut self, _game: &Game, _mv: Move) -> Result<(), Fault> {
        Ok(())
    }

    /// Hears how the game ended.
    fn end(&mut self, _game: &Game, _winner: Option<Side>) {}
}

/// Why a player gives no move.
#[derive(Debug)]
pub enum Fault {
    /// It loses the game; the text says what it did.
    Forfeit(String),
    /// It cannot play at all.
    Fatal(PlayerError),
}

/// Why a player cannot play.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("player {name}: {reason}")]
pub struct PlayerError {
    /// The player, as the command names it.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}
