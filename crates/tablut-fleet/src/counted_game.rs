//! A game of self-play or of a match that counts its evaluations and can use several nets.

use std::sync::Arc;

use tablut_arena::{GameResult, MatchGame};
use tablut_games::{GameRecord, Handicap, LeafRequest, PlyRecord, SelfPlayGame, Task};
use tablut_players::{Ending, PlayerError};
use tablut_rules::{Game, Rules};
use tablut_search::Evaluation;

use crate::result_message::ResultGame;

/// A game and the number of its evaluations.
pub struct CountedGame {
    game: Kind,
    /// For each net of the game, the index of the thread's evaluator.
    slots: Vec<usize>,
    evaluations: u64,
}

enum Kind {
    SelfPlay(Box<SelfPlayGame>),
    Match { game: Box<MatchGame>, index: usize, rules: Arc<Rules>, max_plies: u32 },
}

impl CountedGame {
    pub fn selfplay(game: SelfPlayGame, slots: &[usize]) -> Self {
        Self { game: Kind::SelfPlay(Box::new(game)), slots: slots.to_vec(), evaluations: 0 }
    }

    /// Game number `index` of a match.
    pub fn of_match(game: MatchGame, index: usize, rules: &Arc<Rules>, max_plies: u32, slots: &[usize]) -> Self {
        let game = Kind::Match { game: Box::new(game), index, rules: Arc::clone(rules), max_plies };
        Self { game, slots: slots.to_vec(), evaluations: 0 }
    }
}

impl Task for CountedGame {
    type Output = ResultGame;
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<Self::Output>, PlayerError> {
        let before = requests.len();
        let ended = match &mut self.game {
            Kind::SelfPlay(game) => match game.gather(requests) {
                Ok(ended) => ended,
                Err(never) => match never {},
            },
            Kind::Match { game, index, rules, max_plies } => match game.gather(requests)? {
                Some(result) => Some(record(&result, *index, rules, *max_plies)?),
                None => None,
            },
        };
        for request in &mut requests[before..] {
            request.0 = self.slots[request.0];
        }
        self.evaluations += (requests.len() - before) as u64;
        Ok(ended.map(|game| ResultGame { game, evaluations: self.evaluations }))
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        match &mut self.game {
            Kind::SelfPlay(game) => game.apply(evaluations),
            Kind::Match { game, .. } => game.apply(evaluations),
        }
    }
}

/// The record of a match's game, which is sent to the trainer.
fn record(result: &GameResult, index: usize, rules: &Arc<Rules>, max_plies: u32) -> Result<GameRecord, PlayerError> {
    let outcome = match &result.ending {
        Ending::Rules(outcome) => *outcome,
        Ending::Forfeit { loser, reason } => {
            return Err(PlayerError { name: format!("of the {loser}"), reason: reason.clone() });
        }
    };
    Ok(GameRecord {
        index: index as u64,
        rules: rules.name().to_owned(),
        max_plies,
        start: *Game::new(Arc::clone(rules), result.first).position(),
        plies: result.moves.iter().map(|&mv| PlyRecord { mv, search: None }).collect(),
        outcome,
        handicap: Handicap::default(),
    })
}

/// The match's game of a record.
pub fn game_result(record: &GameRecord) -> GameResult {
    GameResult {
        first: record.start.side_to_move(),
        moves: record.plies.iter().map(|ply| ply.mv).collect(),
        ending: Ending::Rules(record.outcome),
    }
}
