//! What the games of a match are a function of, so that any machine can play any of them.

use crate::match_game::{MatchGame, MatchSeat};
use crate::openings::Opening;
use std::sync::Arc;
use tablut_players::Contestant;
use tablut_rules::{Game, Rules, Side};

/// Rules, players, seed and limit of a match. A game of it is a function of this, its number and its opening.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The two players.
    pub contestants: [Contestant; 2],
    /// Plies after which a game is a draw, beside what the rules say.
    pub max_plies: Option<u32>,
    /// Everything random comes from here.
    pub seed: u64,
}

impl MatchPlan {
    /// Game `game_idx`: even ones give the first contestant the attackers, odd ones the defenders.
    pub fn game(&self, opening: &Opening, game_idx: usize) -> MatchGame {
        let mut game = Game::new(self.rules.clone(), opening.first);
        if let Some(max_plies) = self.max_plies {
            game = game.with_max_plies(max_plies);
        }
        for &mv in &opening.moves {
            // A limit shorter than the opening leaves a game that is already over.
            if game.play(mv).is_err() {
                break;
            }
        }
        let seat = |side: Side| {
            let contestant = &self.contestants[(game_idx + side.index()) % 2];
            let seed = mix(mix(self.seed, game_idx as u64), side.index() as u64);
            MatchSeat { player: contestant.sit(&self.rules, side, seed), evaluator: contestant.evaluator }
        };
        MatchGame::new(game, opening, [seat(Side::Attackers), seat(Side::Defenders)])
    }
}

/// A seed made of two numbers: one round of `SplitMix64`.
fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
