//! The differences between two configs, and whether a run may continue with them.

use std::collections::{BTreeMap, BTreeSet};

use tablut_games::dotted_keys;

use super::TrainConfig;

/// A key that differs between two configs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Difference {
    pub key: String,
    /// Its value in the first config, as TOML. Empty if absent.
    pub before: String,
    /// Its value in the second.
    pub after: String,
    /// Whether a run may continue with the second value.
    pub safe: bool,
}

/// Keys that may change during a run. Each one includes the keys below it.
const SAFE_KEYS: [&str; 5] = ["schedule.generations", "learning.decay_share", "evaluation", "play", "machine"];

/// The keys that differ, sorted by name.
pub fn differences(before: &TrainConfig, after: &TrainConfig) -> Vec<Difference> {
    let flat = |config| dotted_keys(toml::Table::try_from(config).expect("every field can be written as TOML"));
    let (before, after) = (flat(before), flat(after));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let safe = |key: &str| SAFE_KEYS.iter().any(|safe| key == *safe || key.starts_with(&format!("{safe}.")));
    let value = |leaves: &BTreeMap<String, String>, key: &str| leaves.get(key).cloned().unwrap_or_default();
    keys.into_iter()
        .map(|key| Difference {
            before: value(&before, key),
            after: value(&after, key),
            safe: safe(key),
            key: key.clone(),
        })
        .filter(|difference| difference.before != difference.after)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MINIMAL, load};
    use super::*;

    #[test]
    fn only_safe_keys_may_change_in_a_run() {
        let before = load(MINIMAL, &[]).unwrap();
        let after = load(MINIMAL, &["schedule.generations=7", "learning.learning_rate=0.1"]).unwrap();
        let found: Vec<_> = differences(&before, &after).into_iter().map(|d| (d.key, d.safe)).collect();
        assert_eq!(found, [("learning.learning_rate".to_owned(), false), ("schedule.generations".to_owned(), true)]);
        let rate = differences(&before, &after).remove(0);
        assert_eq!((rate.before.as_str(), rate.after.as_str()), ("0.003", "0.1"));
    }
}
