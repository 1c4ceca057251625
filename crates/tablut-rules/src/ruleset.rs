//! Rule sets as data: one value of one struct, readable from TOML.

mod check;
mod clauses;
mod load;
mod name;

use serde::{Deserialize, Serialize};

use crate::side::Side;

pub use clauses::ClauseDifference;
pub use load::{RULE_SET_NAMES, RuleSetError, USUAL_RULE_SET};
pub use name::is_rule_set_name;
pub(crate) use name::nearest_name;

/// Everything that distinguishes one game of Tablut from another (rulebook, sections 2 to 9).
///
/// What the fields do not speak of is common to all rule sets (section 1). A value is plain data:
/// [`crate::Rules`] checks it for contradictions and compiles it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleSet {
    /// The name by which commands and files know the rule set: letters, digits, `-` and `_` ([`is_rule_set_name`]).
    pub name: String,
    /// Where the rules come from, for people; one line.
    pub source: String,
    /// Who moves first.
    pub first: First,
    /// Where the king escapes to.
    pub escape: Escape,
    /// Plies in a row without a capture after which the game is a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_capture_plies: Option<u32>,
    /// Plies after which the game is a draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    /// The middle square.
    pub throne: ThroneRules,
    /// The four corner squares.
    pub corners: CornerRules,
    /// The sixteen squares on which attackers start.
    pub camps: CampRules,
    /// The king's strength and how he is captured.
    pub king: KingRules,
    /// How many of the surrounded are captured.
    pub captures: CaptureRules,
    /// What happens when positions recur.
    pub repetition: RepetitionRules,
}

/// Who moves first.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum First {
    /// Always the attackers.
    Attackers,
    /// Always the defenders.
    Defenders,
    /// Drawn before each game (rulebook IC1).
    Drawn,
}

impl First {
    /// The side that always moves first; `None` where it is drawn.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            First::Attackers => Some(Side::Attackers),
            First::Defenders => Some(Side::Defenders),
            First::Drawn => None,
        }
    }
}

/// The squares on which the king escapes.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Escape {
    /// Every edge square.
    Edge,
    /// The four corners.
    Corners,
    /// Every edge square that is not a camp.
    EdgeOutsideCamps,
}

/// Who may land on a special square.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Landing {
    /// No piece.
    Nobody,
    /// The king alone.
    King,
    /// Every piece.
    Anyone,
}

/// Who may pass over the empty throne.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Passing {
    /// No piece.
    Nobody,
    /// Every piece.
    Anyone,
}

/// When a square stands in for the second captor.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Hostility {
    /// Never.
    Never,
    /// While no piece stands on it.
    WhenEmpty,
    /// Whether or not a piece stands on it.
    Always,
}

/// The rules of the throne, e5.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThroneRules {
    /// Who may land on it once the king has left it.
    pub landing: Landing,
    /// Who may pass over it while it is empty.
    pub passing: Passing,
    /// Whether it helps to capture attackers.
    pub hostile_to_attackers: Hostility,
    /// Whether it helps to capture defenders (soldiers).
    pub hostile_to_defenders: Hostility,
    /// Whether it helps to capture a king beside it who is captured between two captors.
    pub hostile_to_king: Hostility,
}

/// The rules of the corners.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CornerRules {
    /// Who may land on them.
    pub landing: Landing,
    /// Whether they help to capture soldiers of both sides.
    pub hostile_to_soldiers: bool,
    /// Whether they help to capture a king who is captured between two captors.
    pub hostile_to_king: bool,
}

/// Who may land on the camps and pass over them.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CampEntry {
    /// Every piece: camps are ordinary squares.
    Anyone,
    /// Every piece but the king.
    Soldiers,
    /// Attackers alone.
    Attackers,
    /// Attackers that stand on a camp of the same group of four (rulebook AS4).
    AttackersWithin,
}

/// To whom camps are hostile, whether or not a piece stands on them.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HostileCamps {
    /// No camp.
    None,
    /// Every camp but the middle ones of the four edges (a5, e1, i5, e9).
    AllButEdgeMiddles,
    /// Every camp.
    All,
}

/// The rules of the camps.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CampRules {
    /// Who may enter.
    pub entry: CampEntry,
    /// Camps that help to capture attackers.
    pub hostile_to_attackers: HostileCamps,
    /// Camps that help to capture defenders (soldiers).
    pub hostile_to_defenders: HostileCamps,
    /// Camps that help to capture a king who is captured between two captors.
    pub hostile_to_king: HostileCamps,
}

/// How the king is captured on a kind of square.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KingCapture {
    /// Like a soldier: between two attackers on opposite sides, or an attacker and a square that
    /// is hostile to him.
    BetweenTwo,
    /// On all four sides, each an attacker or something that counts as a closed side.
    Surrounded,
}

/// The rules of the king.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the rule file, and any mixture makes sense")]
pub struct KingRules {
    /// Whether he captures (rulebook C6).
    pub armed: bool,
    /// The most squares he moves at a time, from 1 to [`crate::MAX_DISTANCE`].
    pub reach: u32,
    /// How he is captured on the throne.
    pub on_throne: KingCapture,
    /// How he is captured next to the throne.
    pub beside_throne: KingCapture,
    /// How he is captured elsewhere.
    pub elsewhere: KingCapture,
    /// Whether the empty throne closes a side of a surrounded king.
    pub throne_closes: bool,
    /// Whether the board's edge closes a side of a surrounded king.
    pub edge_closes: bool,
    /// Whether a corner closes a side of a surrounded king.
    pub corner_closes: bool,
}

/// How many of several surrounded pieces a move captures.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CaptureCount {
    /// All of them.
    All,
    /// One, which the mover chooses; each choice is a move of its own (rulebook IC5).
    OneChosen,
}

/// The rules of captures.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaptureRules {
    /// How many of the surrounded pieces go.
    pub count: CaptureCount,
    /// Whether the only defender beside a king on the throne, attackers on the other three sides, is
    /// captured by an attacker that moves to the square beyond (rulebook PP9).
    pub pinned_defender: bool,
}

/// What a recurring position does to the game.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepetitionResult {
    /// Nothing: repetition is not looked at.
    Ignored,
    /// The game is a draw.
    Draw,
    /// The side whose move brought it about loses (rulebook TA7).
    MoverLoses,
    /// The aggressor loses (rulebook KV9).
    AggressorLoses,
}

/// The rules of repetition. A position is the board and the side to move (rulebook C9).
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RepetitionRules {
    /// What happens.
    pub result: RepetitionResult,
    /// At which occurrence of a position, from 2.
    pub occurrences: u32,
    /// Whether the position at the start of the game is its own first occurrence (C9) or is not
    /// counted (AS10).
    pub start_counts: bool,
}
