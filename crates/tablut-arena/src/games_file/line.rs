//! A finished game as one line of a file.

use super::header::MatchHeader;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tablut_games::{GameRecord, Handicap, PlyRecord};
use tablut_rules::{Move, Outcome, Reason, Rules, Side};

/// The place of a game: the number of its match in the header's list and its number in that match, both from 0.
pub(super) type GamePlace = (usize, u64);

/// A line of the file. The moves are in the form that `tablut replay` reads.
#[derive(Serialize, Deserialize)]
pub(super) struct GameLine {
    /// The number of its match, from 1.
    #[serde(rename = "match")]
    match_number: usize,
    /// Its number in the match, from 1. Games 1 and 2 are the first pair.
    game: u64,
    rules: String,
    attackers: String,
    defenders: String,
    first: Side,
    /// Random plies before the players' first moves.
    opening_plies: u32,
    moves: Vec<Move>,
    winner: Option<Side>,
    reason: Reason,
    /// What the loser did, if it forfeited the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeit: Option<String>,
}

impl GameLine {
    /// The line of a game of match `match_idx` of the header's list.
    pub(super) fn new(header: &MatchHeader, match_idx: usize, game: &GameRecord) -> Self {
        // The first player plays the attackers in the first game of each pair.
        let player = |side: Side| {
            let player = header.matches[match_idx][(game.index as usize + side.index()) % 2];
            header.players[player].name.clone()
        };
        Self {
            match_number: match_idx + 1,
            game: game.index + 1,
            rules: game.rules.clone(),
            attackers: player(Side::Attackers),
            defenders: player(Side::Defenders),
            first: game.start.side_to_move(),
            opening_plies: header.opening_plies,
            moves: game.plies.iter().map(|ply| ply.mv).collect(),
            winner: game.outcome.winner,
            reason: game.outcome.reason,
            forfeit: game.forfeit.clone(),
        }
    }

    /// The game and its place, or an error if it is not one of the header's, or cannot be replayed under `rules`.
    pub(super) fn read(self, header: &MatchHeader, rules: &Arc<Rules>) -> Result<(GamePlace, GameRecord), String> {
        let (matches, games) = (header.matches.len(), header.games as u64);
        if !(1..=matches).contains(&self.match_number) || !(1..=games).contains(&self.game) {
            let (number, game) = (self.match_number, self.game);
            return Err(format!("game {game} of match {number}, expected 1 to {games} of 1 to {matches}"));
        }
        let game = GameRecord {
            index: self.game - 1,
            rules: self.rules,
            max_plies: header.max_plies,
            start: rules.start(self.first),
            plies: self.moves.into_iter().map(|mv| PlyRecord { mv, search: None }).collect(),
            outcome: Outcome { winner: self.winner, reason: self.reason },
            forfeit: self.forfeit,
            handicap: Handicap::default(),
            evaluations: 0,
        };
        let is_forfeit = game.outcome.reason == Reason::Forfeit && game.outcome.winner.is_some();
        if is_forfeit != game.forfeit.is_some() {
            return Err("expected a winner and the reason `forfeit` where a player forfeits, and only there".to_owned());
        }
        game.replay(rules, |_, _, _| {}).map_err(|error| error.to_string())?;
        Ok(((self.match_number - 1, game.index), game))
    }
}
