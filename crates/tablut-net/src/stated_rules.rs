//! Rule sets in files: complete and with a hash, so that a net or a game contains the rules that it was played with.
//!
//! Files of the oldest versions contain only names. Such a name means the rule set of that name that comes with the
//! program. It never means a file.

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tablut_rules::{ClauseDifference, RuleSet, Rules, is_rule_set_name, shown};

/// A rule set in a model file, in game records or in an opening book.
///
/// As JSON it is either an object or a name. The object has `set`, the rule set with the keys of a rule file, and
/// `hash`, its [`clauses_hash`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StatedRules {
    name: String,
    set: Option<RuleSet>,
}

/// A name in a file is not a valid name of a rule set.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("\"{}\" is not the name of a rule set: expected letters, digits, - and _", shown(.0))]
pub struct BadRulesName(String);

/// A file contains only the name of a rule set, and no rule set of that name comes with the program.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("only the name of the rules {0} is stated, and no rule set of that name comes with the program")]
pub struct NameAlone(pub String);

impl StatedRules {
    /// Stores `rules` in full.
    pub fn of(rules: &Rules) -> Self {
        Self::checked(rules.set().clone())
    }

    fn checked(set: RuleSet) -> Self {
        Self { name: set.name.clone(), set: Some(set) }
    }

    /// The rule set of a file that contains only its name. It is the one of that name that comes with the program. If
    /// there is none, only the name is known.
    pub fn named(name: &str) -> Result<Self, BadRulesName> {
        if !is_rule_set_name(name) {
            return Err(BadRulesName(name.to_owned()));
        }
        Ok(Self { name: name.to_owned(), set: RuleSet::named(name).ok() })
    }

    /// The rule set's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rule set, or `None` if only its name is known.
    pub fn set(&self) -> Option<&RuleSet> {
        self.set.as_ref()
    }

    /// The rule set, compiled.
    pub fn rules(&self) -> Result<Arc<Rules>, NameAlone> {
        let set = self.set.clone().ok_or_else(|| NameAlone(self.name.clone()))?;
        Ok(Arc::new(Rules::new(set).expect("rule sets are checked when they are read")))
    }

    /// The clauses in which this rule set differs from the one of its name that comes with the program. Empty if there
    /// is no such rule set.
    pub fn changes(&self) -> Vec<ClauseDifference> {
        let shipped = RuleSet::named(&self.name).ok();
        self.set.iter().zip(&shipped).flat_map(|(set, shipped)| set.differences(shipped)).collect()
    }

    /// Whether this rule set has the same clauses as `set`. The name does not matter, unless only the name is known;
    /// then it must be equal.
    pub fn is(&self, set: &RuleSet) -> bool {
        self.set.as_ref().map_or(self.name == set.name, |own| own.differences(set).is_empty())
    }
}

/// BLAKE3 of a rule set's clauses, one `key = value` per line, sorted by key. Name and source are left out, so equal
/// hashes mean equal games.
pub fn clauses_hash(set: &RuleSet) -> String {
    let mut hasher = blake3::Hasher::new();
    for (key, value) in set.clauses() {
        hasher.update(format!("{key} = {value}\n").as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

impl Serialize for StatedRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(set) = &self.set else { return self.name.serialize(serializer) };
        let mut object = serializer.serialize_struct("StatedRules", 2)?;
        object.serialize_field("hash", &clauses_hash(set))?;
        object.serialize_field("set", set)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for StatedRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct InFull {
            hash: String,
            set: RuleSet,
        }
        let value = serde_json::Value::deserialize(deserializer)?;
        if let Some(name) = value.as_str() {
            return Self::named(name).map_err(D::Error::custom);
        }
        let InFull { hash, set } = serde_json::from_value(value).map_err(D::Error::custom)?;
        set.check().map_err(D::Error::custom)?;
        let found = clauses_hash(&set);
        if found != hash {
            let (name, found, stated) = (&set.name, &found[..16], shown(&hash.chars().take(16).collect::<String>()));
            return Err(D::Error::custom(format!(
                "the clauses of {name} have the hash {found}…, the file says {stated}…: one of them was changed"
            )));
        }
        Ok(Self::checked(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow() -> RuleSet {
        RuleSet::from_toml("base = \"kvasir\"\nname = \"slow\"\n[king]\nreach = 2").unwrap()
    }

    fn rules(set: &RuleSet) -> Rules {
        Rules::new(set.clone()).unwrap()
    }

    #[test]
    fn a_rule_set_comes_back_in_full_and_a_name_alone_is_a_shipped_one() {
        for set in [slow(), RuleSet::named("tartu").unwrap()] {
            let text = serde_json::to_string(&StatedRules::of(&rules(&set))).unwrap();
            assert_eq!(serde_json::from_str::<StatedRules>(&text).unwrap().set(), Some(&set));
        }
        let named: StatedRules = serde_json::from_str("\"tartu\"").unwrap();
        assert_eq!(named, StatedRules::of(&Rules::named("tartu").unwrap()));
        let unknown: StatedRules = serde_json::from_str("\"slow\"").unwrap();
        assert_eq!((unknown.name(), unknown.set()), ("slow", None));
        assert_eq!(serde_json::to_string(&unknown).unwrap(), "\"slow\"");
    }

    #[test]
    fn names_open_no_file_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, slow().to_toml()).unwrap();
        let fault = |text: &str| serde_json::from_str::<StatedRules>(text).unwrap_err().to_string();
        assert!(fault(&serde_json::to_string(&path).unwrap()).contains("is not the name of a rule set"));
        assert!(fault("\"\\u001b[31m\"").contains("\\u{1b}[31m"));
        let text = serde_json::to_string(&StatedRules::of(&rules(&slow()))).unwrap();
        let error = fault(&text.replace("\"reach\":2", "\"reach\":3"));
        assert!(error.contains("the clauses of slow have the hash"), "{error}");
        let error = fault(&text.replace("\"reach\":2", "\"reach\":90"));
        assert!(error.contains("king.reach = 90"), "{error}");
    }

    #[test]
    fn clauses_tell_games_apart_and_names_do_not() {
        let kvasir = RuleSet::named("kvasir").unwrap();
        let mine = RuleSet { name: "mine".to_owned(), ..kvasir.clone() };
        assert_eq!(clauses_hash(&kvasir), clauses_hash(&mine));
        assert_ne!(clauses_hash(&kvasir), clauses_hash(&slow()));
        assert!(StatedRules::of(&rules(&mine)).is(&kvasir) && !StatedRules::of(&rules(&slow())).is(&kvasir));
        assert_eq!(StatedRules::of(&rules(&slow())).changes(), []);
        let changed = RuleSet { name: "kvasir".to_owned(), ..slow() };
        let changes: Vec<String> =
            StatedRules::of(&rules(&changed)).changes().iter().map(ToString::to_string).collect();
        assert_eq!(changes, ["king.reach is 2 instead of 8"]);
    }
}
