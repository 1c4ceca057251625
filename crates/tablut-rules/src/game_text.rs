//! Games as text: lists of moves as people write them, the output of `save` in `play`, and OpenTafl's records (OTG).
//!
//! ```text
//! [variant:masters-edge]
//! [result:-1]
//! [rules:dim:9 esc:e atkf:y … start:/3ttt3/4t4/…/3ttt3/]
//!
//! 1. d1-d3 e3-d3
//! [a comment on the first move|and one on the second]
//!
//! 1b.1.1a. ..... e3-f3
//! ```
//!
//! The last line is a variation. Its address says which move it replaces, 1b, and that it is the first variation there.
//! A variation may also stand in parentheses after the move that it replaces, and a comment in braces.

mod read;
mod write;

use std::fmt;
use std::sync::Arc;

use crate::game::{Game, PositionError};
use crate::move_text::{MoveText, ReadMoveError};
use crate::position::Position;
use crate::rules::Rules;
use crate::rules_line::{RulesLine, RulesLineError};
use crate::ruleset::RuleSet;
use crate::side::Side;

/// A game as a text says it. Its moves have not been played yet.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct GameText {
    /// Tags in order, such as `("variant", "masters-edge")`. The tags of the rules and the position are not among them.
    pub tags: Vec<(String, String)>,
    /// OpenTafl's line of rules.
    pub rules_line: Option<String>,
    /// The position at the start of the game. `None` if the text does not say it.
    pub start: Option<Position>,
    /// The moves of all variations, each after the move before it. The first one after a move continues the main line.
    pub moves: Vec<WrittenMove>,
    /// Whether the side to move at the end of the main line resigned (`---`).
    pub resigned: bool,
}

/// A move of a [`GameText`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WrittenMove {
    /// The index of the move before it. `None` for a first move.
    pub parent: Option<usize>,
    /// The move.
    pub text: MoveText,
    /// The comment on it, or an empty text.
    pub comment: String,
}

/// The text is not a game on this board, or the game cannot be written as a record of OpenTafl.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum GameTextError {
    /// Something in a line that cannot be read.
    Line {
        /// The line, from 1.
        number: usize,
        /// What was found and what was expected.
        reason: String,
    },
    /// The line of rules cannot be expressed by this project's rules.
    Rules(RulesLineError),
    /// The text names a rule set, and its line of rules has other rules.
    OtherRules(String),
    /// A move of the main line is not legal.
    Move {
        /// The ply, from 1.
        ply: usize,
        /// Why the move is not legal.
        reason: ReadMoveError,
    },
    /// No game can start from the position.
    Start(PositionError),
    /// The rule set has values under these keys that a line of rules cannot express.
    Inexpressible(Vec<&'static str>),
}

impl fmt::Display for GameTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { number, reason } => write!(f, "line {number}: {reason}"),
            Self::Rules(reason) => reason.fmt(f),
            Self::OtherRules(name) => {
                write!(f, "the variant {name} and the line of rules disagree; remove one of them, or choose the rules")
            }
            Self::Move { ply, reason } => write!(f, "ply {ply}: {reason}"),
            Self::Start(reason) => reason.fmt(f),
            Self::Inexpressible(keys) => {
                write!(f, "the format cannot express this rule set's {}", keys.join(", "))
            }
        }
    }
}

impl std::error::Error for GameTextError {}

impl GameText {
    /// The value of a tag, if the text has it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The rules of the game, or `None` if the text does not say them. It fails if its variant is a built-in rule set and
    /// its line of rules disagrees.
    pub fn rule_set(&self) -> Result<Option<RuleSet>, GameTextError> {
        let named = self.tag("variant").and_then(|name| RuleSet::named(name).ok());
        let Some(line) = &self.rules_line else { return Ok(named) };
        let read: RulesLine = line.parse().map_err(GameTextError::Rules)?;
        let Some(named) = named else { return Ok(Some(read.set)) };
        let written = named.to_opentafl(&read.start).ok().and_then(|worded| worded.line.parse::<RulesLine>().ok());
        // The line of a record may leave the result of repetitions to the variant.
        let alike =
            |set: RuleSet| RuleSet { name: String::new(), source: String::new(), repetition: named.repetition, ..set };
        if written.map(|written| alike(written.set)) == Some(alike(read.set)) {
            Ok(Some(named))
        } else {
            Err(GameTextError::OtherRules(named.name))
        }
    }

    /// The side that resigned, if the tags say that one did. The tag `result` is 1 if the attackers won.
    pub fn resignation(&self) -> Option<Side> {
        let says_so = self.tag("termination").is_some_and(|words| words.to_lowercase().contains("resign"));
        match self.tag("result") {
            Some("1") if says_so => Some(Side::Defenders),
            Some("-1") if says_so => Some(Side::Attackers),
            _ => None,
        }
    }

    /// The indices of the main line's moves.
    pub fn main_line(&self) -> Vec<usize> {
        let mut line = Vec::new();
        for (index, mv) in self.moves.iter().enumerate() {
            if mv.parent == line.last().copied() {
                line.push(index);
            }
        }
        line
    }

    /// Plays the main line under the given rules. Without a start position it begins with that of the rules; if they draw
    /// the first side, the side of the first move's piece begins.
    pub fn replay(&self, rules: Arc<Rules>) -> Result<Game, GameTextError> {
        let start = self.start_under(&rules);
        let mut game = Game::from_position(rules, start).map_err(GameTextError::Start)?;
        for (index, at) in self.main_line().into_iter().enumerate() {
            let played = match game.rules().match_move(game.position(), &self.moves[at].text) {
                Ok(mv) => game.play(mv).map(|_| ()),
                Err(error) => Err(error),
            };
            played.map_err(|error| GameTextError::Move { ply: index + 1, reason: error.into() })?;
        }
        Ok(game)
    }

    /// The position at the start of the game under `rules`.
    pub fn start_under(&self, rules: &Rules) -> Position {
        self.start.unwrap_or_else(|| {
            let first = self.moves.first().map(|mv| mv.text.to_string());
            rules.opening_of(None, None, first.as_deref()).expect("a start position without wishes")
        })
    }
}

#[cfg(test)]
mod tests;
