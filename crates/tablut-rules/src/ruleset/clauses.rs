//! The clauses of a rule set, and the clauses in which two rule sets differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use toml::{Table, Value};

use super::RuleSet;

/// A clause in which two rule sets differ.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClauseDifference {
    /// The clause's key in a rule file, such as `king.reach`.
    pub key: String,
    /// Its value in the one rule set, as a rule file writes it, or `None` if it is left out.
    pub here: Option<String>,
    /// Its value in the other.
    pub there: Option<String>,
}

impl fmt::Display for ClauseDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "left out".to_owned());
        write!(f, "{} is {} instead of {}", self.key, value(&self.here), value(&self.there))
    }
}

impl RuleSet {
    /// Every key with its value, except name and source. Keys of tables are dotted, and values are written as in a rule
    /// file. Two rule sets with the same clauses are the same game.
    pub fn clauses(&self) -> BTreeMap<String, String> {
        let table = Table::try_from(self).expect("a rule set is a table of plain values");
        let mut clauses = BTreeMap::new();
        flatten("", &table, &mut clauses);
        clauses.remove("name");
        clauses.remove("source");
        clauses
    }

    /// The clauses in which this rule set (`here`) differs from `other` (`there`), sorted by key.
    pub fn differences(&self, other: &RuleSet) -> Vec<ClauseDifference> {
        let (here, there) = (self.clauses(), other.clauses());
        let keys: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
        keys.into_iter()
            .filter(|key| here.get(*key) != there.get(*key))
            .map(|key| ClauseDifference {
                key: key.clone(),
                here: here.get(key).cloned(),
                there: there.get(key).cloned(),
            })
            .collect()
    }
}

fn flatten(prefix: &str, table: &Table, clauses: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Table(inner) => flatten(&key, inner, clauses),
            value => {
                clauses.insert(key, value.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_its_clause() {
        let kvasir = RuleSet::named("kvasir").unwrap();
        let renamed = RuleSet { name: "mine".to_owned(), source: "me".to_owned(), ..kvasir.clone() };
        assert_eq!(kvasir.differences(&renamed), []);
        let changed = RuleSet::from_toml("base = \"kvasir\"\nmax-plies = 90\n[king]\nreach = 3").unwrap();
        let found: Vec<String> = changed.differences(&kvasir).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["king.reach is 3 instead of 8", "max-plies is 90 instead of left out"]);
    }
}
