//! OpenTafl's line of rules, `dim:9 esc:e … start:/…/`, as the specification of its notation defines it.
//!
//! A rule that the line leaves out has the specification's default. Letters stand for kinds of pieces: `t`, `T` and `K`
//! are this board's attackers, defenders and king. The other kinds (`c`, `n`, `m`, `g`) do not exist on this board.

mod read;
mod words;
mod write;

use std::fmt;

use crate::position::Position;
use crate::ruleset::{Landing, RuleSet};

pub(crate) use read::read_start;

/// A game as an OpenTafl line of rules describes it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RulesLine {
    /// The rule set. It is a built-in one if the line describes the same rules. Otherwise it takes the line's `name`,
    /// with a suffix if a built-in rule set has that name.
    pub set: RuleSet,
    /// The position at the start of a game.
    pub start: Position,
    /// Rules about the end of the game that the line has and this project's rule sets cannot express, in words. Moves
    /// and captures are exact, but the other program may end a game that continues here.
    pub other_endings: Vec<&'static str>,
}

/// A rule set written as an OpenTafl line of rules.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WordedRules {
    /// The line.
    pub line: String,
    /// Keys of the rule set about repetition and length that the line cannot express.
    pub other_endings: Vec<&'static str>,
}

/// No rule set of this project can express the line of rules. The error lists all problems.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("line of rules: {}", faults.join("; "))]
pub struct RulesLineError {
    faults: Vec<String>,
}

#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
struct Kinds {
    attacker: bool,
    defender: bool,
    king: bool,
}

impl Kinds {
    const NONE: Kinds = Kinds { attacker: false, defender: false, king: false };
    const ALL: Kinds = Kinds { attacker: true, defender: true, king: true };
    const KING: Kinds = Kinds { king: true, ..Kinds::NONE };

    const fn and(self, other: Kinds) -> Kinds {
        Kinds {
            attacker: self.attacker && other.attacker,
            defender: self.defender && other.defender,
            king: self.king && other.king,
        }
    }

    const fn landing(landing: Landing) -> Kinds {
        match landing {
            Landing::Nobody => Kinds::NONE,
            Landing::King => Kinds::KING,
            Landing::Anyone => Kinds::ALL,
        }
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (letter, is_listed) in [("t", self.attacker), ("T", self.defender), ("K", self.king)] {
            if is_listed {
                f.write_str(letter)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
