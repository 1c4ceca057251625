//! Openings: a few random plies from the start, so that games differ. Each is played twice with sides exchanged.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use tablut_rules::{Game, Move, MoveList, Position, Rules, Side, Symmetry};

/// Default number of random plies of an opening.
pub const DEFAULT_OPENING_PLIES: u32 = 4;
/// Maximum number of attempts at one opening.
const MAX_ATTEMPTS: u32 = 1000;

/// The start of a match game.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    pub first: Side,
    /// The moves before the players' first moves.
    pub moves: Vec<Move>,
}

impl Opening {
    /// A game under `rules` after the opening.
    pub fn game(&self, rules: &Arc<Rules>) -> Game {
        let mut game = Game::new(rules.clone(), self.first);
        for &mv in &self.moves {
            game.play(mv).expect("an opening's moves are legal under its own rules");
        }
        game
    }
}

#[derive(Debug, thiserror::Error, Eq, PartialEq)]
#[non_exhaustive]
pub enum OpeningsError {
    /// There are not enough different positions after this many plies.
    #[error(
        "found only {found} different openings of {plies} random plies under {rules}, expected {wanted}; use more plies"
    )]
    TooFew { found: usize, wanted: usize, plies: u32, rules: String },
    /// The rules end a game during its opening.
    #[error("under {rules} a game ends after {limit} plies, but an opening has {plies} random plies; use fewer plies")]
    TooLong { plies: u32, limit: u32, rules: String },
}

/// `n` openings of `plies` random plies. All lead to different positions; symmetric positions count as equal. In none
/// of them the game is over or the side to move can win at once.
///
/// Opening `i` depends only on `seed` and the openings before it, so a longer list starts like a shorter one.
pub fn openings(rules: &Arc<Rules>, n: usize, plies: u32, seed: u64) -> Result<Vec<Opening>, OpeningsError> {
    if let Some(limit) = rules.set().max_plies.filter(|&limit| limit <= plies) {
        return Err(OpeningsError::TooLong { plies, limit, rules: rules.name().to_owned() });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(n);
    let mut attempts = 0;
    while openings.len() < n {
        if attempts == MAX_ATTEMPTS {
            let (found, rules) = (openings.len(), rules.name().to_owned());
            return Err(OpeningsError::TooFew { found, wanted: n, plies, rules });
        }
        attempts += 1;
        let Ok(drawn) = attempt(rules, plies, &mut rng, |_, moves, rng| Ok::<_, Infallible>(random(moves, rng)));
        if let Some((opening, position)) = drawn
            && seen.insert(canonical(&position))
        {
            openings.push(opening);
            attempts = 0;
        }
    }
    Ok(openings)
}

/// One opening and its position, or `None` if the game ends or can be won at once. `choose` returns one of the legal
/// moves.
pub(crate) fn attempt<E>(
    rules: &Arc<Rules>,
    plies: u32,
    rng: &mut ChaCha8Rng,
    mut choose: impl FnMut(&Game, &MoveList, &mut ChaCha8Rng) -> Result<Move, E>,
) -> Result<Option<(Opening, Position)>, E> {
    let either = if rng.random() { Side::Attackers } else { Side::Defenders };
    let first = rules.set().first.side().unwrap_or(either);
    let mut game = Game::new(rules.clone(), first);
    let mut list = MoveList::new();
    let mut moves = Vec::new();
    for _ in 0..plies {
        game.legal_moves(&mut list);
        let mv = choose(&game, &list, rng)?;
        game.play_trusted(mv);
        if game.outcome().is_some() {
            return Ok(None);
        }
        moves.push(mv);
    }
    let position = *game.position();
    let decided = rules.wins_at_once(&position, position.side_to_move());
    Ok((!decided).then_some((Opening { first, moves }, position)))
}

pub(crate) fn random(moves: &MoveList, rng: &mut ChaCha8Rng) -> Move {
    moves[rng.random_range(0..moves.len())]
}

/// The same hash for a position and its mirror images.
pub(crate) fn canonical(position: &Position) -> u64 {
    Symmetry::ALL.iter().map(|symmetry| symmetry.position(position).hash()).min().expect("there are eight symmetries")
}

#[cfg(test)]
mod tests {
    use super::{OpeningsError, canonical, openings};
    use std::collections::HashSet;
    use std::sync::Arc;
    use tablut_rules::{RULE_SET_NAMES, RuleSet, Rules};

    #[test]
    fn openings_are_legal_different_and_undecided_under_every_rule_set() {
        for name in RULE_SET_NAMES {
            let rules = Arc::new(Rules::named(name).unwrap());
            let list = openings(&rules, 100, 4, 7).unwrap();
            let mut seen = HashSet::new();
            for opening in &list {
                let game = opening.game(&rules);
                assert!(game.outcome().is_none(), "{name}: {opening:?}");
                assert_eq!(game.ply(), 4);
                let position = game.position();
                assert!(!rules.wins_at_once(position, position.side_to_move()), "{name}: {opening:?}");
                assert!(seen.insert(canonical(position)), "{name}: {opening:?} comes twice");
            }
        }
    }

    #[test]
    fn a_longer_list_starts_like_a_shorter_one() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let long = openings(&rules, 30, 3, 1).unwrap();
        assert_eq!(openings(&rules, 10, 3, 1).unwrap(), long[..10]);
        assert_ne!(openings(&rules, 10, 3, 2).unwrap(), long[..10]);
    }

    #[test]
    fn too_few_openings_are_reported_with_their_number() {
        let rules = Arc::new(Rules::named("kvasir").unwrap());
        let error = openings(&rules, 200, 1, 1).unwrap_err();
        // There are 80 moves from the start. They are symmetric in groups of eight, or of four along the axes.
        assert!(matches!(error, OpeningsError::TooFew { found: 10..=20, wanted: 200, plies: 1, .. }), "{error}");
        assert_eq!(openings(&rules, 1, 0, 1).unwrap()[0].moves, []);
        let one_ply = RuleSet { max_plies: Some(1), ..rules.set().clone() };
        let error = openings(&Arc::new(Rules::new(one_ply).unwrap()), 2, 4, 1).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("a game ends after 1 plies, but an opening has 4 random plies; use fewer plies")
        );
    }
}
