//! OpenTafl's line of rules: `dim:9 esc:e … start:/…/`, as its notation's specification has it.
//!
//! A rule left out has the specification's default. Kinds of pieces are letters: `t`, `T` and `K` are the attackers,
//! defenders and king of this board; the other kinds (`c`, `n`, `m`, `g`) never stand on it.

mod read;
mod words;
mod write;

use std::fmt;

use crate::position::Position;
use crate::ruleset::{Landing, RuleSet};

pub(super) use read::read_start;

/// A game as OpenTafl's line of rules tells of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RulesLine {
    /// The rule set: a built-in one where the line says the same, else one named after the line's `name`, with a remark where
    /// that is a built-in one's.
    pub set: RuleSet,
    /// The position that games begin with.
    pub start: Position,
    /// What the line says of the game's end that no rule set here can, in words for people. Moves and captures are
    /// exact; the program at the other end of the line may end a game that goes on here.
    pub other_endings: Vec<&'static str>,
}

/// A rule set in the words of OpenTafl's line of rules.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WordedRules {
    /// The line.
    pub line: String,
    /// The keys of the rule set that speak of repetition and length and that the line has no words for.
    pub other_endings: Vec<&'static str>,
}

/// A line of rules that no rule set here can stand for: all faults of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RulesLineError {
    faults: Vec<String>,
}

impl fmt::Display for RulesLineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line of rules: {}", self.faults.join("; "))
    }
}

impl std::error::Error for RulesLineError {}

/// Kinds of pieces, as OpenTafl lists them.
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

    /// Those that are in both lists.
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
