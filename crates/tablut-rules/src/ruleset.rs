//! Rule sets as data: one struct, readable from TOML.

mod check;
mod clauses;
mod load;
mod start;

use serde::{Deserialize, Serialize};

use crate::board::BoardSize;
use crate::position::Position;
use crate::side::Side;

pub(crate) use check::start_faults;
pub use clauses::ClauseDifference;
pub use load::{RULE_SET_NAMES, RuleSetError, USUAL_RULE_SET};

/// Everything that distinguishes one game of Tablut from another (the guide's rules page).
///
/// Rules that have no field are the same in all rule sets (section 1 of that page). [`crate::Rules`] checks the data
/// for contradictions and compiles it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RuleSet {
    /// The name that commands and files use: letters, digits, `-` and `_` ([`is_rule_set_name`]).
    pub name: String,
    /// The source of the rules, one line of text.
    pub source: String,
    /// The pieces at the start, as the rows of a position's text. Their number is the board's size. The side to move
    /// has no meaning. Tablut's start position is left out in rule files.
    #[serde(default = "start::tablut", skip_serializing_if = "start::is_tablut", with = "start")]
    pub start: Position,
    /// Who moves first.
    pub first: First,
    /// Where the king escapes to.
    pub escape: Escape,
    /// Whether the defenders win with an exit fort: the king stands on the edge and can move, and the attackers cannot
    /// reach him, however many moves they make.
    #[serde(default, skip_serializing_if = "is_off")]
    pub exit_fort: bool,
    /// Whether the attackers win when neither a defender nor the king can reach the edge over squares without attackers.
    #[serde(default, skip_serializing_if = "is_off")]
    pub encirclement: bool,
    /// The game is a draw after this many plies in a row without a capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_capture_plies: Option<u32>,
    /// The game is a draw after this many plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    /// The middle square.
    pub throne: ThroneRules,
    /// The four corner squares.
    pub corners: CornerRules,
    /// The squares on which attackers start.
    pub camps: CampRules,
    /// The king's strength and how he is captured.
    pub king: KingRules,
    /// How many of the surrounded pieces are captured.
    pub captures: CaptureRules,
    /// What happens when a position occurs again.
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
    /// Drawn before each game (clause IC1).
    Drawn,
}

impl First {
    /// The side that always moves first, or `None` if it is drawn.
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
    /// Only the king.
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

/// When a square counts as the second captor.
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

/// The rules of the throne, the middle square.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThroneRules {
    /// Who may land on it after the king has left it.
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
    /// Every piece except the king.
    Soldiers,
    /// Only attackers.
    Attackers,
    /// Only attackers that stand on a camp of the same group of touching camps (clause AS4).
    AttackersWithin,
}

/// Which camps are hostile. A hostile camp is hostile whether or not a piece stands on it.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HostileCamps {
    /// No camp.
    None,
    /// Every camp except the middle one of each edge (a5, e1, i5, e9 on Tablut's board).
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
    /// Like a soldier: between two attackers on opposite sides, or between an attacker and a square that is hostile to
    /// him.
    BetweenTwo,
    /// On all four sides, each by an attacker or by something that counts like one.
    Surrounded,
}

/// The rules of the king.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the rule file, and any mixture makes sense")]
pub struct KingRules {
    /// Whether he can capture (clause C6).
    pub armed: bool,
    /// The largest number of squares in one move, from 1 to the board's [`BoardSize::max_distance`].
    pub reach: u32,
    /// How he is captured on the throne.
    pub on_throne: KingCapture,
    /// How he is captured next to the throne.
    pub beside_throne: KingCapture,
    /// How he is captured elsewhere.
    pub elsewhere: KingCapture,
    /// Whether the empty throne counts like an attacker beside a surrounded king.
    pub throne_closes: bool,
    /// Whether the board's edge counts like an attacker beside a surrounded king.
    pub edge_closes: bool,
    /// Whether a corner counts like an attacker beside a surrounded king.
    pub corner_closes: bool,
}

/// How many of the surrounded pieces a move captures, if it surrounds several.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CaptureCount {
    /// All of them.
    All,
    /// One, chosen by the mover. Each choice is a separate move (clause IC5).
    OneChosen,
}

/// Which pieces close a row of soldiers on the edge for a shield wall. Two or more neighbouring soldiers on the edge are
/// captured together if each has an enemy in front of it and the row is closed at both ends, at one of them by the piece
/// that has just moved. A king in the row counts as one of it, but he is not captured.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ShieldWall {
    /// No row is captured.
    #[default]
    Never,
    /// Pieces that can capture close a row.
    Pieces,
    /// A corner also closes one end of a row.
    PiecesAndCorners,
}

/// The rules of captures.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaptureRules {
    /// How many of the surrounded pieces are captured.
    pub count: CaptureCount,
    /// Whether pinned defenders are captured (clause PP9): the king stands on the throne with one defender beside him
    /// and attackers on the other three sides. An attacker that moves to the square beyond the defender captures it.
    pub pinned_defender: bool,
    /// Which pieces close a row for a shield wall.
    #[serde(default, skip_serializing_if = "is_off")]
    pub shield_wall: ShieldWall,
}

/// What happens to the game when a position occurs again.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RepetitionResult {
    /// Nothing: repetition is ignored.
    Ignored,
    /// The game is a draw.
    Draw,
    /// The side that repeats the position loses (clause TA7).
    MoverLoses,
    /// The aggressor loses (clause KV9).
    AggressorLoses,
    /// The defenders lose (clause CO9).
    DefendersLose,
}

/// The rules of repetition. A position is the board and the side to move (clause C9).
#[derive(Copy, Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RepetitionRules {
    /// What happens.
    pub result: RepetitionResult,
    /// The occurrence of a position that triggers it, at least 2.
    pub occurrences: u32,
    /// Whether the position at the start of the game counts as its own first occurrence (C9) or not (AS10).
    pub start_counts: bool,
}

impl RuleSet {
    /// The size of the board.
    pub const fn size(&self) -> BoardSize {
        self.start.size()
    }
}

/// Whether a value is the one of rule files that leave it out.
fn is_off<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const LONGEST: usize = 64;

const EXPECTED_NAME: &str = "1 to 64 letters a to z or A to Z, digits, - and _, the first a letter or a digit";

/// Whether `name` can be the name of a rule set.
pub fn is_rule_set_name(name: &str) -> bool {
    let first_fits = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    first_fits && name.len() <= LONGEST && name.chars().all(is_of_alphabet)
}

/// The valid name nearest to `text`, or `otherwise` if no character of it can be used.
pub(crate) fn nearest_name(text: &str, otherwise: &str) -> String {
    let mapped = text.chars().map(|c| if is_of_alphabet(c) { c } else { '-' }).collect::<String>();
    let name: String = mapped.trim_start_matches(['-', '_']).chars().take(LONGEST).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { otherwise.to_owned() } else { name.to_owned() }
}

const fn is_of_alphabet(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nearest_name_is_a_name() {
        for (text, name) in [
            ("kvasir", "kvasir"),
            ("my rules (2)", "my-rules--2"),
            ("../../escaped", "escaped"),
            ("/etc/passwd", "etc-passwd"),
            ("\u{1b}[31m", "31m"),
            ("...", "custom"),
            ("", "custom"),
        ] {
            assert_eq!(nearest_name(text, "custom"), name);
            assert!(is_rule_set_name(&nearest_name(text, "custom")), "{text:?}");
        }
        assert!(is_rule_set_name(&nearest_name(&"long ".repeat(40), "custom")));
        for text in ["", "-a", "a b", "a/b", "a.toml", "ä", "a\n", &"a".repeat(65)] {
            assert!(!is_rule_set_name(text), "{text:?}");
        }
    }
}
