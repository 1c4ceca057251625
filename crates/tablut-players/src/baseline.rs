//! Creates players without a net from their text, and implements the simplest of them.

use crate::alphabeta::AlphaBeta;
use crate::player::{Fault, Player, pick};
use crate::rollouts::Rollouts;
use crate::spec::PlayerSpec;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use tablut_rules::{Game, Move, MoveList, Rules};
use tablut_search::Situation;

/// Creates a player for games under some rules. All its randomness comes from the number.
type Make = Box<dyn Fn(&Arc<Rules>, u64) -> Box<dyn Player> + Send + Sync>;

/// Creates the player without a net that `spec` names. Returns `None` for other kinds of players.
pub(crate) fn maker(spec: &PlayerSpec) -> Option<Make> {
    let rng = ChaCha8Rng::seed_from_u64;
    Some(match *spec {
        PlayerSpec::Random => Box::new(move |_, seed| Box::new(RandomMoves::new(false, rng(seed)))),
        PlayerSpec::Greedy => Box::new(move |_, seed| Box::new(RandomMoves::new(true, rng(seed)))),
        PlayerSpec::AlphaBeta(limit) => Box::new(move |rules, seed| Box::new(AlphaBeta::new(rules, limit, rng(seed)))),
        PlayerSpec::Rollouts { playouts } => Box::new(move |_, seed| Box::new(Rollouts::new(playouts, rng(seed)))),
        _ => return None,
    })
}

/// A player without a net, outside a match. It answers at once.
pub struct Baseline {
    make: Make,
    seed: u64,
    player: Box<dyn Player>,
}

impl Baseline {
    /// The player that `spec` names, for games under `rules`. `None` for other kinds of players. All its randomness
    /// comes from `seed`.
    pub fn new(spec: &PlayerSpec, rules: &Arc<Rules>, seed: u64) -> Option<Self> {
        let make = maker(spec)?;
        let player = make(rules, seed);
        Some(Self { make, seed, player })
    }

    /// Changes the rules.
    pub fn play_by(&mut self, rules: &Arc<Rules>) {
        self.player = (self.make)(rules, self.seed);
    }

    /// A legal move of `game`.
    ///
    /// # Panics
    /// If the game is over.
    pub fn choose(&mut self, game: &Game) -> Move {
        match self.player.poll(game, &mut Vec::new()) {
            Ok(Some(mv)) => mv,
            _ => unreachable!("a player without a net answers at once"),
        }
    }
}

/// Plays a random legal move. If it is greedy, it plays a move that wins at once if there is one, otherwise a capture
/// if there is one, otherwise any move. Moves of the same kind are equally likely.
pub struct RandomMoves {
    is_greedy: bool,
    rng: ChaCha8Rng,
    moves: MoveList,
}

impl RandomMoves {
    /// A player that draws from `rng`.
    pub fn new(is_greedy: bool, rng: ChaCha8Rng) -> Self {
        Self { is_greedy, rng, moves: MoveList::new() }
    }
}

impl Player for RandomMoves {
    fn poll(&mut self, game: &Game, _: &mut Vec<Situation>) -> Result<Option<Move>, Fault> {
        game.legal_moves(&mut self.moves);
        let (mut wins, mut captures) = (Vec::new(), Vec::new());
        for &mv in self.moves.iter().filter(|_| self.is_greedy) {
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
