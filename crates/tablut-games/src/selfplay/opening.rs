//! Random openings of self-play games, and the choice of an even one.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Move, MoveList};
use tablut_search::{Evaluation, Query};

/// Plays random plies and returns them. A ply that would end the game is taken back and ends the opening.
pub(super) fn play_random(game: &mut Game, n_plies: u32, rng: &mut ChaCha8Rng) -> Vec<Move> {
    let mut played = Vec::new();
    let mut moves = MoveList::new();
    for _ in 0..n_plies {
        game.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        game.play_trusted(mv);
        if game.outcome().is_some() {
            game.undo();
            break;
        }
        played.push(mv);
    }
    played
}

/// Openings of which one is to be chosen.
pub(super) struct Candidates {
    openings: Vec<Vec<Move>>,
    /// The positions after them.
    pub(super) queries: Vec<Query>,
}

impl Candidates {
    /// `n` random openings of `n_plies` plies.
    pub(super) fn draw(game: &Game, n: u32, n_plies: u32, rng: &mut ChaCha8Rng) -> Self {
        let (mut openings, mut queries) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let mut game = game.clone();
            openings.push(play_random(&mut game, n_plies, rng));
            let mut moves = MoveList::new();
            game.legal_moves(&mut moves);
            queries.push(Query {
                rules: game.rules().clone(),
                position: *game.position(),
                occurrences: game.occurrences(),
                plies_since_capture: game.plies_since_capture(),
                moves: moves.to_vec(),
            });
        }
        Self { openings, queries }
    }

    /// The opening whose value is nearest to even, the first of equals.
    pub(super) fn most_even(mut self, evaluations: &[Evaluation]) -> Vec<Move> {
        let distance = |place: &usize| evaluations.get(*place).map_or(f32::INFINITY, |found| found.value().abs());
        let best = (0..self.openings.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.map(|place| self.openings.swap_remove(place)).unwrap_or_default()
    }
}
