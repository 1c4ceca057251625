//! Rule sets in files: complete and with a hash, so that a net or a game contains the rules that it was played with.

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tablut_rules::{ClauseDifference, RuleSet, Rules, shown};

/// A rule set in a model file, in game records, in an opening book or in a file of puzzles.
///
/// As JSON it is an object: `set` is the rule set with the keys of a rule file, and `hash` its [`clauses_hash`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StatedRules(RuleSet);

impl StatedRules {
    /// Stores `rules`.
    pub fn of(rules: &Rules) -> Self {
        Self(rules.set().clone())
    }

    /// The rule set's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The rule set.
    pub fn set(&self) -> &RuleSet {
        &self.0
    }

    /// The rule set, compiled.
    pub fn rules(&self) -> Arc<Rules> {
        Arc::new(Rules::new(self.0.clone()).expect("rule sets are checked when they are read"))
    }

    /// The clauses in which this rule set differs from the built-in rule set of its name. Empty if there is no such
    /// rule set.
    pub fn changes(&self) -> Vec<ClauseDifference> {
        RuleSet::named(self.name()).map_or_else(|_| Vec::new(), |shipped| self.0.differences(&shipped))
    }

    /// Whether this rule set has the same clauses as `set`. The name does not matter.
    pub fn is(&self, set: &RuleSet) -> bool {
        self.0.differences(set).is_empty()
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
        let mut object = serializer.serialize_struct("StatedRules", 2)?;
        object.serialize_field("hash", &clauses_hash(&self.0))?;
        object.serialize_field("set", &self.0)?;
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
        let InFull { hash, set } = InFull::deserialize(deserializer)?;
        set.check().map_err(D::Error::custom)?;
        let found = clauses_hash(&set);
        if found != hash {
            let (name, found, stated) = (&set.name, &found[..16], shown(&hash.chars().take(16).collect::<String>()));
            return Err(D::Error::custom(format!(
                "the clauses of {name} have the hash {found}…, the file says {stated}…: one of them was changed"
            )));
        }
        Ok(Self(set))
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
    fn a_rule_set_comes_back_in_full_and_a_name_is_no_rule_set() {
        for set in [slow(), RuleSet::named("tartu").unwrap()] {
            let text = serde_json::to_string(&StatedRules::of(&rules(&set))).unwrap();
            assert_eq!(serde_json::from_str::<StatedRules>(&text).unwrap().set(), &set);
        }
        assert!(serde_json::from_str::<StatedRules>("\"tartu\"").is_err());
    }

    #[test]
    fn damage_is_named() {
        let fault = |text: &str| serde_json::from_str::<StatedRules>(text).unwrap_err().to_string();
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
