//! The clauses of a rule set as a form: every key with its choices and an explanation, so that a page can show it without
//! knowing a rule.

use crate::view::{RulesView, TopicView};
use serde::Serialize;
use serde_json::Value;
use tablut_rules::{MAX_DISTANCE, RuleSet, RuleSetError, Rules};

/// A clause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Field {
    /// The key's path in the rule file: `king.reach`.
    pub key: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it means.
    pub help: &'static str,
    /// What it can be.
    pub kind: Kind,
}

/// What a clause can be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// One of several values.
    Choice {
        /// The values and what they mean.
        options: Vec<Choice>,
    },
    /// Yes or no.
    Flag,
    /// A number.
    Number {
        /// The least.
        least: u32,
        /// The greatest.
        most: u32,
        /// It may be left out.
        optional: bool,
    },
    /// A line of text.
    Text,
}

/// A value of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// The value in the rule file.
    pub value: &'static str,
    /// What it means.
    pub label: &'static str,
}

/// A group of clauses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Its title.
    pub title: &'static str,
    /// Its clauses.
    pub fields: Vec<Field>,
}

/// What is to be said of a rule set that somebody is changing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleCheck {
    /// The contradictions, each naming its keys; none when the rules can be played.
    pub faults: Vec<String>,
    /// The rules in words, where they hold together.
    pub topics: Vec<TopicView>,
    /// The rule file, where they hold together.
    pub toml: Option<String>,
    /// The rules with their marks, where they hold together.
    pub rules: Option<RulesView>,
}

impl RuleCheck {
    /// Reads a rule set from the values of a form.
    pub fn read(set: &Value) -> Result<RuleSet, String> {
        serde_json::from_value(set.clone()).map_err(|error| error.to_string())
    }

    /// Checks the values of a form.
    pub fn new(set: &Value) -> Self {
        let refused = |faults| Self { faults, topics: Vec::new(), toml: None, rules: None };
        let set = match Self::read(set) {
            Ok(set) => set,
            Err(error) => return refused(vec![error]),
        };
        match Rules::new(set) {
            Ok(rules) => {
                let view = RulesView::new(&rules);
                let (topics, toml) = (view.topics.clone(), Some(view.toml.clone()));
                Self { faults: Vec::new(), topics, toml, rules: Some(view) }
            }
            Err(RuleSetError::Contradiction { faults, .. }) => refused(faults),
            Err(error) => refused(vec![error.to_string()]),
        }
    }
}

const LANDING: [(&str, &str); 3] = [("nobody", "nobody"), ("king", "the king alone"), ("anyone", "every piece")];
const PASSING: [(&str, &str); 2] = [("nobody", "nobody"), ("anyone", "every piece")];
const HOSTILITY: [(&str, &str); 3] = [("never", "never"), ("when-empty", "while it is empty"), ("always", "always")];
const CAMPS: [(&str, &str); 3] =
    [("none", "no camp"), ("all-but-edge-middles", "all but the middle of each edge"), ("all", "every camp")];
const KING_FALLS: [(&str, &str); 2] =
    [("between-two", "between two captors, like a soldier"), ("surrounded", "when every side of his is closed")];

fn choice(
    key: &'static str,
    label: &'static str,
    help: &'static str,
    options: &[(&'static str, &'static str)],
) -> Field {
    let options = options.iter().map(|(value, label)| Choice { value, label }).collect();
    Field { key, label, help, kind: Kind::Choice { options } }
}

fn flag(key: &'static str, label: &'static str, help: &'static str) -> Field {
    Field { key, label, help, kind: Kind::Flag }
}

fn number(key: &'static str, label: &'static str, help: &'static str, range: (u32, u32), optional: bool) -> Field {
    Field { key, label, help, kind: Kind::Number { least: range.0, most: range.1, optional } }
}

/// The whole form.
pub fn rule_form() -> Vec<Group> {
    vec![name(), beginning(), throne(), corners(), camps(), king(), captures(), ends()]
}

fn name() -> Group {
    let text = |key, label, help| Field { key, label, help, kind: Kind::Text };
    Group {
        title: "Name",
        fields: vec![
            text("name", "Name", "What commands and files call the rules."),
            text("source", "Source", "Where the rules come from, for people."),
        ],
    }
}

fn beginning() -> Group {
    Group {
        title: "Beginning and aim",
        fields: vec![
            choice(
                "first",
                "First move",
                "Who begins.",
                &[("attackers", "the attackers"), ("defenders", "the defenders"), ("drawn", "drawn by lot")],
            ),
            choice(
                "escape",
                "The king escapes to",
                "The defenders win the moment the king lands there.",
                &[
                    ("edge", "any square of the edge"),
                    ("corners", "the four corners"),
                    ("edge-outside-camps", "the edge outside the camps"),
                ],
            ),
        ],
    }
}

fn throne() -> Group {
    Group {
        title: "The throne",
        fields: vec![
            choice("throne.landing", "Who may land on it", "Once the king has left it.", &LANDING),
            choice("throne.passing", "Who may pass over it", "While it is empty.", &PASSING),
            choice(
                "throne.hostile-to-attackers",
                "Captures attackers",
                "It counts as the second captor of an attacker.",
                &HOSTILITY,
            ),
            choice(
                "throne.hostile-to-defenders",
                "Captures defenders",
                "It counts as the second captor of a defender.",
                &HOSTILITY,
            ),
            choice(
                "throne.hostile-to-king",
                "Captures the king",
                "It counts as the second captor of a king who falls between two.",
                &HOSTILITY,
            ),
        ],
    }
}

fn corners() -> Group {
    Group {
        title: "The corners",
        fields: vec![
            choice("corners.landing", "Who may land on them", "", &LANDING),
            flag(
                "corners.hostile-to-soldiers",
                "Capture soldiers",
                "They stand in for the second captor of soldiers of both sides.",
            ),
            flag(
                "corners.hostile-to-king",
                "Capture the king",
                "They stand in for the second captor of a king who falls between two.",
            ),
        ],
    }
}

fn camps() -> Group {
    Group {
        title: "The camps",
        fields: vec![
            choice(
                "camps.entry",
                "Who may enter",
                "Land on the sixteen squares where the attackers start, or pass over them.",
                &[
                    ("anyone", "every piece"),
                    ("soldiers", "every piece but the king"),
                    ("attackers", "attackers alone"),
                    ("attackers-within", "attackers within the group that they stand in"),
                ],
            ),
            choice("camps.hostile-to-attackers", "Capture attackers", "Camps that help to capture attackers.", &CAMPS),
            choice("camps.hostile-to-defenders", "Capture defenders", "Camps that help to capture defenders.", &CAMPS),
            choice(
                "camps.hostile-to-king",
                "Capture the king",
                "Camps that help to capture a king who falls between two.",
                &CAMPS,
            ),
        ],
    }
}

fn king() -> Group {
    Group {
        title: "The king",
        fields: vec![
            flag("king.armed", "Armed", "He captures, and helps to capture."),
            number("king.reach", "Reach", "The most squares that he moves at a time.", (1, MAX_DISTANCE as u32), false),
            choice("king.on-throne", "Falls on the throne", "How he is captured there.", &KING_FALLS),
            choice("king.beside-throne", "Falls next to the throne", "How he is captured there.", &KING_FALLS),
            choice("king.elsewhere", "Falls elsewhere", "How he is captured there.", &KING_FALLS),
            flag(
                "king.throne-closes",
                "The throne closes a side",
                "The empty throne counts as a closed side of a surrounded king.",
            ),
            flag(
                "king.edge-closes",
                "The edge closes a side",
                "The board's edge counts as a closed side of a surrounded king.",
            ),
            flag(
                "king.corner-closes",
                "A corner closes a side",
                "A corner counts as a closed side of a surrounded king.",
            ),
        ],
    }
}

fn captures() -> Group {
    Group {
        title: "Captures",
        fields: vec![
            choice(
                "captures.count",
                "Of several surrounded",
                "How many of the pieces that one move surrounds are captured.",
                &[("all", "all are captured"), ("one-chosen", "one, which the mover chooses")],
            ),
            flag(
                "captures.pinned-defender",
                "Pinned defender",
                "The last defender beside a king on the throne is captured by an attacker that moves to the square beyond.",
            ),
        ],
    }
}

fn ends() -> Group {
    Group {
        title: "Other ends",
        fields: vec![
            choice(
                "repetition.result",
                "A recurring position",
                "What happens when a position has occurred too often.",
                &[
                    ("ignored", "means nothing"),
                    ("draw", "is a draw"),
                    ("mover-loses", "loses for the side that brought it about"),
                    ("aggressor-loses", "loses for the aggressor"),
                ],
            ),
            number("repetition.occurrences", "At occurrence", "The occurrence at which it counts.", (2, 10), false),
            flag("repetition.start-counts", "The start counts", "The start position is an occurrence of itself."),
            number(
                "no-capture-plies",
                "Without a capture",
                "Plies in a row without a capture that make a draw.",
                (1, 10_000),
                true,
            ),
            number("max-plies", "Longest game", "Plies after which the game is a draw.", (1, 10_000), true),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::RULE_SET_NAMES;

    /// The paths of all values that are no objects.
    fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
        match value.as_object() {
            Some(object) => {
                for (key, value) in object {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    leaves(value, &path, found);
                }
            }
            None => found.push(path.to_owned()),
        }
    }

    #[test]
    fn the_form_has_every_key_and_nothing_else() {
        let mut keys = Vec::new();
        let mut set = RuleSet::named("tartu").unwrap();
        set.max_plies = Some(5);
        set.no_capture_plies = Some(5);
        leaves(&serde_json::to_value(&set).unwrap(), "", &mut keys);
        let mut fields: Vec<String> =
            rule_form().iter().flat_map(|group| &group.fields).map(|field| field.key.to_owned()).collect();
        keys.sort();
        fields.sort();
        assert_eq!(fields, keys);
    }

    #[test]
    fn every_choice_can_be_read() {
        let set = serde_json::to_value(RuleSet::named("kvasir").unwrap()).unwrap();
        for field in rule_form().iter().flat_map(|group| &group.fields) {
            let Kind::Choice { options } = &field.kind else { continue };
            for option in options {
                let mut changed = set.clone();
                let pointer = format!("/{}", field.key.replace('.', "/"));
                *changed.pointer_mut(&pointer).expect(field.key) = Value::from(option.value);
                RuleCheck::read(&changed).unwrap_or_else(|error| panic!("{} = {}: {error}", field.key, option.value));
            }
        }
    }

    #[test]
    fn contradictions_are_named_and_whole_rules_are_explained() {
        for name in RULE_SET_NAMES {
            let check = RuleCheck::new(&serde_json::to_value(RuleSet::named(name).unwrap()).unwrap());
            assert!(check.faults.is_empty() && check.toml.is_some() && check.topics.len() > 3, "{name}: {check:?}");
        }
        let mut set = serde_json::to_value(RuleSet::named("kvasir").unwrap()).unwrap();
        set["king"]["reach"] = Value::from(9);
        set["king"]["edge-closes"] = Value::from(true);
        let faults = RuleCheck::new(&set).faults;
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults.iter().any(|fault| fault.contains("king.reach = 9")), "{faults:?}");
        set["king"] = Value::Null;
        assert_eq!(RuleCheck::new(&set).faults.len(), 1);
    }
}
