//! The record of one game: its moves, what the search said of each, and how it ended.

use std::sync::Arc;

use tablut_rules::{Game, Move, MoveList, Outcome, Position, Rules};

/// One game as it was played; the rules crate alone can replay it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Number of the game in its generation or match, from 0.
    pub index: u64,
    /// Name of the rule set.
    pub rules: String,
    /// The cap on plies that the game was played under.
    pub max_plies: u32,
    /// The position before the first move.
    pub start: Position,
    /// Every ply, in order.
    pub plies: Vec<PlyRecord>,
    /// Who won, and why the game ended.
    pub outcome: Outcome,
}

/// One ply of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct PlyRecord {
    /// The move played.
    pub mv: Move,
    /// What the search said, where a full search chose the move; `None` for random and quick plies.
    pub search: Option<SearchRecord>,
}

/// What is learnt from: a search's verdict on the position before the move.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRecord {
    /// Value of the root, absolute: +1 the attackers win, −1 the defenders win.
    pub value: f32,
    /// Simulations spent.
    pub simulations: u32,
    /// The improved policy over the legal moves in the order of `Rules::legal_moves`, in units of 1/65535.
    pub policy: Vec<u16>,
}

impl SearchRecord {
    /// Probabilities rounded to 1/65535.
    pub fn quantised(policy: impl Iterator<Item = f32>) -> Vec<u16> {
        policy.map(|p| (p.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16).collect()
    }
}

/// Why a record cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The rule set is not the record's.
    #[error("game {index} was played under `{found}`, not `{expected}`")]
    Rules {
        /// The game's number.
        index: u64,
        /// The record's rule set.
        found: String,
        /// The rule set given.
        expected: String,
    },
    /// A number that is too large for where it is kept.
    #[error("game {index}: {found} {what}, at most {most} can be kept")]
    TooMany {
        /// The game's number.
        index: u64,
        /// Of what there are too many.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A position or move that the rules do not allow.
    #[error("game {index}, ply {ply}: {reason}")]
    Ply {
        /// The game's number.
        index: u64,
        /// The ply, counted from 1; 0 is the start.
        ply: usize,
        /// What is wrong.
        reason: String,
    },
    /// The end is not the recorded one.
    #[error("game {index} ends with {found}, its record says {expected}")]
    Outcome {
        /// The game's number.
        index: u64,
        /// What the rules say.
        found: String,
        /// What the record says.
        expected: String,
    },
}

impl GameRecord {
    /// The place of the game's rule set among `rules`.
    pub(crate) fn place_among(&self, rules: &[Arc<Rules>]) -> Result<usize, ReplayError> {
        rules.iter().position(|rules| rules.name() == self.rules).ok_or_else(|| ReplayError::Rules {
            index: self.index,
            found: self.rules.clone(),
            expected: rules.iter().map(|rules| rules.name()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Plays the record again, calling `visit` before each ply with the game so far, its legal moves and the ply.
    pub fn replay(
        &self,
        rules: &Arc<Rules>,
        mut visit: impl FnMut(&Game, &[Move], &PlyRecord),
    ) -> Result<Game, ReplayError> {
        if rules.name() != self.rules {
            let (found, expected) = (self.rules.clone(), rules.name().to_owned());
            return Err(ReplayError::Rules { index: self.index, found, expected });
        }
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
        if game.outcome() != Some(self.outcome) {
            let found = game.outcome().map_or("no result".to_owned(), |outcome| outcome.to_string());
            let expected = self.outcome.to_string();
            return Err(ReplayError::Outcome { index: self.index, found, expected });
        }
        Ok(game)
    }
}
