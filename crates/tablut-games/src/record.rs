//! The record of a finished game: its moves, the search's results for them if there are any, and the end of the game.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tablut_rules::{Game, Move, MoveList, Outcome, Position, Reason, Results, Rules};
use tablut_search::Chances;

/// A finished game of self-play or of a match. The rules crate can replay it without other crates.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct GameRecord {
    /// Number of the game in its generation or match, from 0.
    pub index: u64,
    pub rules: String,
    /// The ply limit of the game, in addition to the rules' limits. Self-play stops a game there.
    pub max_plies: u32,
    pub start: Position,
    pub plies: Vec<PlyRecord>,
    pub outcome: Outcome,
    /// What the loser did, if the outcome's reason is [`Reason::Forfeit`].
    pub forfeit: Option<String>,
    /// The simulations of unequal searches, if the game has them.
    pub handicap: Handicap,
    /// Evaluations by the net. Self-play counts them, matches do not.
    pub evaluations: u64,
}

/// Unequal searches of the two sides of a game. By default both sides have equal searches.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Handicap {
    /// Simulations of a search of the attackers and of the defenders, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<[u32; 2]>,
}

impl Handicap {
    /// Whether both sides have equal searches. If not, the result depends more on the searches than on the position.
    pub fn is_none(&self) -> bool {
        self.simulations.is_none()
    }
}

/// One ply of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyRecord {
    /// The move played.
    pub mv: Move,
    /// The search's result, if it is a training target. It is `None` for random plies and for the shorter of unequal
    /// searches.
    pub search: Option<SearchRecord>,
}

/// A training target: a search's result for the position before the move.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say what the other fields are")]
pub struct SearchRecord {
    pub chances: Chances,
    pub simulations: u32,
    /// The improved policy over the legal moves in the order of `Rules::legal_moves`, in units of 1/65535.
    pub policy: Vec<u16>,
}

impl SearchRecord {
    /// Probabilities rounded to multiples of 1/65535.
    pub fn quantised(policy: impl Iterator<Item = f32>) -> Vec<u16> {
        policy.map(|p| (p.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16).collect()
    }
}

/// The record cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ReplayError {
    #[error("game {index} was played under `{found}`, not `{expected}`")]
    Rules { index: u64, found: String, expected: String },
    /// The rules do not allow a position or move. Plies are counted from 1, and 0 is the start position.
    #[error("game {index}, ply {ply}: {reason}")]
    Ply { index: u64, ply: usize, reason: String },
    #[error("game {index} ends with {found}, its record says {expected}")]
    Outcome { index: u64, found: String, expected: String },
}

impl GameRecord {
    /// The record of `game`, which has ended with `outcome`, without search data.
    pub fn new(index: u64, game: &Game, max_plies: u32, outcome: Outcome) -> Self {
        Self {
            index,
            rules: game.rules().name().to_owned(),
            max_plies,
            start: *game.start(),
            plies: game.moves().map(|mv| PlyRecord { mv, search: None }).collect(),
            outcome,
            forfeit: None,
            handicap: Handicap::default(),
            evaluations: 0,
        }
    }

    /// The game's result under its `rules`.
    pub fn results(&self, rules: &Rules) -> Results {
        Results::of_game(rules, self.outcome, self.plies.len())
    }

    /// Whether the game was stopped at its ply limit, so that nobody knows how it would have ended.
    pub fn is_unfinished(&self, rules: &Rules) -> bool {
        self.results(rules).unfinished > 0
    }

    /// Whether the game's result measures the value of its positions: it was finished, and both sides searched equally.
    pub fn result_counts(&self, rules: &Rules) -> bool {
        self.handicap.is_none() && !self.is_unfinished(rules)
    }

    /// The index of the game's rule set in `rules`.
    pub(crate) fn place_among(&self, rules: &[Arc<Rules>]) -> Result<usize, ReplayError> {
        rules.iter().position(|rules| rules.name() == self.rules).ok_or_else(|| ReplayError::Rules {
            index: self.index,
            found: self.rules.clone(),
            expected: rules.iter().map(|rules| rules.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Replays the record. Before each ply it calls `visit` with the game so far, its legal moves and the ply.
    ///
    /// # Errors
    /// If the rule set is another one, a position or move is not legal, or the game ends in another way.
    pub fn replay(
        &self,
        rules: &Arc<Rules>,
        mut visit: impl FnMut(&Game, &[Move], &PlyRecord),
    ) -> Result<Game, ReplayError> {
        self.place_among(std::slice::from_ref(rules))?;
        let wrong = |ply: usize, reason: String| ReplayError::Ply { index: self.index, ply, reason };
        let game = Game::from_position(Arc::clone(rules), self.start).map_err(|error| wrong(0, error.to_string()))?;
        let mut game = game.with_max_plies(self.max_plies);
        let mut moves = MoveList::new();
        for (number, ply) in self.plies.iter().enumerate() {
            game.legal_moves(&mut moves);
            if let Some(search) = &ply.search
                && search.policy.len() != moves.len()
            {
                let reason = format!("policy over {} moves, the position has {}", search.policy.len(), moves.len());
                return Err(wrong(number + 1, reason));
            }
            visit(&game, &moves, ply);
            game.play(ply.mv).map_err(|error| wrong(number + 1, error.to_string()))?;
        }
        let expected = Some(self.outcome).filter(|outcome| outcome.reason != Reason::Forfeit);
        if game.outcome() != expected {
            let found = game.outcome().map_or("no result".to_owned(), |outcome| outcome.to_string());
            let expected = self.outcome.to_string();
            return Err(ReplayError::Outcome { index: self.index, found, expected });
        }
        Ok(game)
    }
}
