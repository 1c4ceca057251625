//! A finished game as one line of a file.

use super::header::MatchHeader;
use crate::match_game::GameResult;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tablut_players::Ending;
use tablut_rules::{Game, Move, Rules, Side};

/// The place of a game: the number of its match in the header's list and its number in that match, both from 0.
pub type GamePlace = (usize, usize);

/// A finished game. Its moves are in the form that `tablut replay` reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// The number of its match, from 1.
    #[serde(rename = "match")]
    pub match_number: usize,
    /// Its number in the match, from 1. Games 1 and 2 are the first pair.
    pub game: usize,
    /// The rule set's name.
    pub rules: String,
    /// The player of the attackers.
    pub attackers: String,
    /// The player of the defenders.
    pub defenders: String,
    /// The side that moved first.
    pub first: Side,
    /// Random plies before the players' first moves.
    pub opening_plies: usize,
    /// All moves.
    pub moves: Vec<String>,
    /// The winner, or `None` for a draw.
    pub winner: Option<Side>,
    /// Why the game ended.
    pub reason: String,
    /// The reason for the loss, if the game did not end by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forfeit: Option<String>,
}

impl GameLine {
    /// The line of a game of `header`'s matches.
    pub(super) fn new(header: &MatchHeader, (match_idx, game_idx): GamePlace, game: &GameResult) -> Self {
        // The first player plays the attackers in the first game of each pair.
        let player = |side: Side| {
            let player = header.matches[match_idx][(game_idx + side.index()) % 2];
            header.players[player].name.clone()
        };
        let forfeit = match &game.ending {
            Ending::Rules(_) => None,
            Ending::Forfeit { reason, .. } => Some(reason.clone()),
        };
        Self {
            match_number: match_idx + 1,
            game: game_idx + 1,
            rules: header.rules.name.clone(),
            attackers: player(Side::Attackers),
            defenders: player(Side::Defenders),
            first: game.first,
            opening_plies: header.opening_plies as usize,
            moves: game.moves.iter().map(ToString::to_string).collect(),
            winner: game.ending.winner(),
            reason: game.ending.keyword(),
            forfeit,
        }
    }

    /// The place of the game, or an error if it is not one of the header's.
    pub(super) fn place(&self, header: &MatchHeader) -> Result<GamePlace, String> {
        let (match_idx, game_idx) = (self.match_number.wrapping_sub(1), self.game.wrapping_sub(1));
        if match_idx < header.matches.len() && game_idx < header.games {
            return Ok((match_idx, game_idx));
        }
        let (matches, games) = (header.matches.len(), header.games);
        Err(format!("game {} of match {}, expected 1 to {games} of 1 to {matches}", self.game, self.match_number))
    }

    /// The replayed game, or an error if the moves are illegal or do not lead to the result.
    pub(super) fn result(&self, rules: &Arc<Rules>, max_plies: Option<u32>) -> Result<GameResult, String> {
        let mut game = Game::new(rules.clone(), self.first);
        if let Some(max_plies) = max_plies {
            game = game.with_max_plies(max_plies);
        }
        for (at, text) in self.moves.iter().enumerate() {
            let ply = at + 1;
            let mv: Move = text.parse().map_err(|error| format!("ply {ply}: {error}"))?;
            game.play(mv).map_err(|error| format!("ply {ply}: {error}"))?;
        }
        let ending = match (game.outcome(), &self.forfeit, self.winner) {
            (Some(outcome), None, _) => Ending::Rules(outcome),
            (None, Some(reason), Some(winner)) => Ending::Forfeit { loser: winner.opponent(), reason: reason.clone() },
            (None, None, _) => return Err("the game does not end with its last move".to_owned()),
            _ => return Err("expected that a forfeited game has a winner and does not end by the rules".to_owned()),
        };
        if (ending.winner(), ending.keyword()) != (self.winner, self.reason.clone()) {
            let winner = |side: Option<Side>| side.map_or("no winner".to_owned(), |side| format!("winner {side}"));
            return Err(format!(
                "the moves end in {} with {}, but the line has {} with {}",
                ending.keyword(),
                winner(ending.winner()),
                self.reason,
                winner(self.winner)
            ));
        }
        Ok(GameResult { first: self.first, moves: game.moves().collect(), ending })
    }
}
