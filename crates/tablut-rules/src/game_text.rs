//! Games as text: lists of moves as people write them, files that the command `save` of `tablut play` writes, and
//! OpenTafl's records (OTG).
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
//! The last line is a variation. Its address `1b.1.1a` means: the first variation that replaces move 1b, turn 1a. The
//! reader also accepts a variation in parentheses after the move that it replaces, and a comment in braces.

mod read;
mod write;

use std::sync::Arc;

use crate::game::{Game, PositionError};
use crate::move_text::{MoveText, ReadMoveError};
use crate::position::Position;
use crate::rules::Rules;
use crate::rules_line::{RulesLine, RulesLineError};
use crate::ruleset::RuleSet;
use crate::side::Side;

/// A game read from text. Its moves have not been checked against the rules.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct GameText {
    /// Tags in order, such as `("variant", "masters-edge")`. The tags of the rules and the position are not among them.
    pub tags: Vec<(String, String)>,
    /// OpenTafl's line of rules.
    pub rules_line: Option<String>,
    /// The position at the start of the game, or `None` if the text does not give it.
    pub start: Option<Position>,
    /// The moves of all lines. A move comes after its parent. The first child of a move continues the parent's line,
    /// and the other children start variations.
    pub moves: Vec<WrittenMove>,
    /// Whether the side to move at the end of the main line resigned (`---`).
    pub resigned: bool,
}

/// A move of a [`GameText`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WrittenMove {
    /// The index of the parent, the move before it. `None` for a first move.
    pub parent: Option<usize>,
    /// The move.
    pub text: MoveText,
    /// The comment on it, or an empty text.
    pub comment: String,
}

/// The text is not a game on this board, or the game cannot be written as a record of OpenTafl.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum GameTextError {
    #[error("line {number}: {reason}")]
    Line { number: usize, reason: String },
    #[error("{0}")]
    Rules(RulesLineError),
    #[error("the variant {0} and the line of rules disagree; remove one of them, or choose the rules")]
    OtherRules(String),
    #[error("ply {ply}: {reason}")]
    Move { ply: usize, reason: ReadMoveError },
    #[error("{0}")]
    Start(PositionError),
    #[error("the format cannot express this rule set's {}", .0.join(", "))]
    Inexpressible(Vec<&'static str>),
}

impl GameText {
    /// The value of a tag, if the text has it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The rules of the game, or `None` if the text does not give them.
    ///
    /// # Errors
    /// If no rule set can express the line of rules, or the line differs from the built-in rule set that the tag
    /// `variant` names.
    pub fn rule_set(&self) -> Result<Option<RuleSet>, GameTextError> {
        let named = self.tag("variant").and_then(|name| RuleSet::named(name).ok());
        let Some(line) = &self.rules_line else { return Ok(named) };
        let read: RulesLine = line.parse().map_err(GameTextError::Rules)?;
        let Some(named) = named else { return Ok(Some(read.set)) };
        let written = named.to_opentafl(&read.start).ok().and_then(|worded| worded.line.parse::<RulesLine>().ok());
        // A record's line may omit the result of repetitions. The variant defines it then.
        let alike =
            |set: RuleSet| RuleSet { name: String::new(), source: String::new(), repetition: named.repetition, ..set };
        if written.map(|written| alike(written.set)) == Some(alike(read.set)) {
            Ok(Some(named))
        } else {
            Err(GameTextError::OtherRules(named.name))
        }
    }

    /// The winner according to the tag `result`, `Some(None)` for a draw. `None` if the text does not tell the result.
    pub fn winner(&self) -> Option<Option<Side>> {
        match self.tag("result")? {
            "1" => Some(Some(Side::Attackers)),
            "-1" => Some(Some(Side::Defenders)),
            "0" => Some(None),
            _ => None,
        }
    }

    /// The side that resigned according to the tags, or `None`.
    pub fn resignation(&self) -> Option<Side> {
        let resigned = self.tag("termination").is_some_and(|words| words.to_lowercase().contains("resign"));
        self.winner().flatten().filter(|_| resigned).map(Side::opponent)
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

    /// Plays the main line under the given rules, from [`GameText::start_under`].
    ///
    /// # Errors
    /// If the start position has no king or a move is illegal.
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

    /// The position at the start of the game. If the text does not give it, the game has the start position of the
    /// rules. If the rules draw the first side, the side of the first move's piece moves first.
    pub fn start_under(&self, rules: &Rules) -> Position {
        self.start.unwrap_or_else(|| {
            let first = self.moves.first().map(|mv| mv.text.to_string());
            rules.opening_of(None, None, first.as_deref()).expect("the rules' own start position is valid")
        })
    }
}

#[cfg(test)]
mod tests;
