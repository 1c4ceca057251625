//! Reads rule sets: built-in ones by name, a user's from TOML text or a file.

use std::fmt;
use std::path::Path;

use toml::{Table, Value};

use super::{RuleSet, nearest_name};
use crate::board::BoardSize;
use crate::text::{decode, plain_words, read_at_most, shown, shown_lines};

/// The built-in rule sets: name and TOML text, in the order of the guide's rules page.
const BUILT_IN: [(&str, &str); 20] = [
    ("piecepack", include_str!("../../rulesets/piecepack.toml")),
    ("piecepack-defenders-first", include_str!("../../rulesets/piecepack-defenders-first.toml")),
    ("piecepack-open-castle", include_str!("../../rulesets/piecepack-open-castle.toml")),
    ("imperial", include_str!("../../rulesets/imperial.toml")),
    ("ludoteka", include_str!("../../rulesets/ludoteka.toml")),
    ("linnaeus", include_str!("../../rulesets/linnaeus.toml")),
    ("linnaeus-open-camps", include_str!("../../rulesets/linnaeus-open-camps.toml")),
    ("masters", include_str!("../../rulesets/masters.toml")),
    ("masters-edge", include_str!("../../rulesets/masters-edge.toml")),
    ("masters-weak-king", include_str!("../../rulesets/masters-weak-king.toml")),
    ("masters-armed-king", include_str!("../../rulesets/masters-armed-king.toml")),
    ("kvasir", include_str!("../../rulesets/kvasir.toml")),
    ("tartu", include_str!("../../rulesets/tartu.toml")),
    ("ashton", include_str!("../../rulesets/ashton.toml")),
    ("brandubh", include_str!("../../rulesets/brandubh.toml")),
    ("brandubh-weak-king", include_str!("../../rulesets/brandubh-weak-king.toml")),
    ("copenhagen", include_str!("../../rulesets/copenhagen.toml")),
    ("fetlar", include_str!("../../rulesets/fetlar.toml")),
    ("tawlbwrdd", include_str!("../../rulesets/tawlbwrdd.toml")),
    ("tawlbwrdd-lewis", include_str!("../../rulesets/tawlbwrdd-lewis.toml")),
];

/// Names of the built-in rule sets, in the order of the guide's rules page.
pub const RULE_SET_NAMES: [&str; BUILT_IN.len()] = {
    let mut names = [""; BUILT_IN.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = BUILT_IN[i].0;
        i += 1;
    }
    names
};

/// The maximum number of bytes of a rule set in TOML. A built-in one has about two thousand.
const MAX_BYTES: usize = 64 << 10;

/// The rule set that is used when none is given.
pub const USUAL_RULE_SET: &str = "kvasir";

/// Why a rule set cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum RuleSetError {
    #[error("no rule set \"{}\": expected a path ending in .toml or one of {}", shown(name), RULE_SET_NAMES.join(", "))]
    Unknown { name: String },
    #[error("cannot read the rule set \"{}\": {}", shown(path), shown(reason))]
    Unreadable { path: String, reason: String },
    #[error("{} is no rule set: {}", shown(origin), shown_lines(reason))]
    Malformed { origin: String, reason: String },
    #[error("{} contradicts itself: {}", shown(origin), faults.join("; "))]
    Contradiction { origin: String, faults: Vec<String> },
}

impl RuleSetError {
    /// Adds the keys in the faults that the file of the table `own` does not set, because their values come from its base.
    fn with_inherited(mut self, own: &Table, merged: &Table) -> RuleSetError {
        if let RuleSetError::Contradiction { faults, .. } = &mut self {
            let set_here = keys_within(own);
            let is_inherited =
                |key: &String| faults.iter().any(|fault| fault.contains(key.as_str())) && !set_here.contains(key);
            let inherited: Vec<String> = keys_within(merged).into_iter().filter(is_inherited).collect();
            if !inherited.is_empty() {
                let base = own.get("base").and_then(Value::as_str).unwrap_or_default();
                let keys = inherited.join(", ");
                faults.push(format!("this file does not set {keys}, so base = \"{base}\" does"));
            }
        }
        self
    }

    fn in_file(mut self, path: &str) -> RuleSetError {
        match &mut self {
            RuleSetError::Malformed { origin, .. } | RuleSetError::Contradiction { origin, .. } => {
                path.clone_into(origin);
            }
            RuleSetError::Unknown { .. } | RuleSetError::Unreadable { .. } => {}
        }
        self
    }
}

impl RuleSet {
    /// A built-in rule set by name.
    ///
    /// # Errors
    /// If no built-in rule set has this name.
    pub fn named(name: &str) -> Result<RuleSet, RuleSetError> {
        let (_, text) = BUILT_IN
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| RuleSetError::Unknown { name: shown(name) })?;
        RuleSet::from_toml(text)
    }

    /// A built-in rule set by name, or a user's rule set by the path of its TOML file. If the file has a base and no
    /// name, the rule set gets the file's name, with `-` for characters that a name may not contain.
    ///
    /// # Errors
    /// If there is no such rule set, or the file cannot be read or is not a rule set.
    pub fn load(name_or_path: &str) -> Result<RuleSet, RuleSetError> {
        let path = Path::new(name_or_path);
        let is_file = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
        if !is_file {
            return RuleSet::named(name_or_path);
        }
        let text = std::fs::File::open(path)
            .and_then(|file| read_at_most(file, MAX_BYTES as u64))
            .and_then(decode)
            .map_err(|error| RuleSetError::Unreadable { path: name_or_path.to_owned(), reason: error.to_string() })?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        RuleSet::read(&text, &nearest_name(&stem, "custom")).map_err(|error| error.in_file(name_or_path))
    }

    /// Reads a rule set from TOML. The text has either all keys, or `base = "kvasir"` and the keys that differ.
    ///
    /// # Errors
    /// If the text is longer than 64 KiB, is not TOML, has unknown or missing keys, or contradicts itself.
    pub fn from_toml(text: &str) -> Result<RuleSet, RuleSetError> {
        RuleSet::read(text, "custom")
    }

    /// The rule set as TOML. [`RuleSet::from_toml`] reads it back.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a rule set is a table of plain values")
    }

    fn read(text: &str, default_name: &str) -> Result<RuleSet, RuleSetError> {
        let malformed = |reason: &dyn fmt::Display| RuleSetError::Malformed {
            origin: "the text".to_owned(),
            reason: plain_words(&reason.to_string()),
        };
        if text.len() > MAX_BYTES {
            return Err(malformed(&format!("{} bytes, expected at most {MAX_BYTES}", text.len())));
        }
        let table: Table = toml::from_str(text).map_err(|error| malformed(&error))?;
        if table.contains_key("base") {
            let merged = with_base(table.clone(), default_name)?;
            let set: RuleSet = merged.clone().try_into().map_err(|error| malformed(&error))?;
            return set.check().map(|()| set).map_err(|error| error.with_inherited(&table, &merged));
        }
        let set: RuleSet = match run_rules(table) {
            Some(Ok(only)) => only.try_into().map_err(|error| malformed(&error))?,
            Some(Err(names)) => return Err(malformed(&format!("expected one rule set, found {}", names.join(", ")))),
            None => toml::from_str(text).map_err(|error| malformed(&error))?,
        };
        set.check()?;
        Ok(set)
    }
}

/// The keys of the tables in a rule set, such as `king.reach`.
fn keys_within(set: &Table) -> Vec<String> {
    let tables = set.iter().filter_map(|(name, value)| Some((name, value.as_table()?)));
    tables.flat_map(|(name, table)| table.keys().map(move |key| format!("{name}.{key}"))).collect()
}

/// The rule set of a run's `rules.toml`, which has a table for each, or the names if there are several. `None` for
/// another file.
fn run_rules(table: Table) -> Option<Result<Table, Vec<String>>> {
    let is_set = |(name, set): (&String, &Value)| set.get("name").and_then(Value::as_str) == Some(name);
    let is_run = !table.is_empty() && table.iter().all(is_set);
    let names: Vec<String> = table.keys().cloned().collect();
    match table.into_iter().next().filter(|_| is_run)?.1 {
        Value::Table(only) if names.len() == 1 => Some(Ok(only)),
        _ => Some(Err(names)),
    }
}

/// Merges a table into the built-in rule set that it names as its base.
fn with_base(mut table: Table, default_name: &str) -> Result<Table, RuleSetError> {
    let base = match table.remove("base") {
        Some(Value::String(name)) => name,
        other => {
            return Err(RuleSetError::Malformed {
                origin: "the text".to_owned(),
                reason: format!(
                    "base = {}: expected the name of a built-in rule set",
                    other.map(|v| v.to_string()).unwrap_or_default()
                ),
            });
        }
    };
    let base = RuleSet::named(&base)?;
    let free = base.king.reach as usize == base.size().max_distance();
    let mut merged = Table::try_from(&base).expect("a rule set is a table of plain values");
    merged.insert("name".to_owned(), Value::String(default_name.to_owned()));
    merged.insert("source".to_owned(), Value::String(format!("a variant of {}", base.name)));
    let set_reach = table.get("king").and_then(|king| king.get("reach")).is_some();
    overlay(&mut merged, table);
    // A king who moves any distance does so on the variant's board as well.
    let size = merged.get("start").and_then(Value::as_str).map(|rows| rows.trim_matches('/').split('/').count());
    if let (true, false, Some(Ok(size))) = (free, set_reach, size.map(BoardSize::of_width))
        && let Some(Value::Table(king)) = merged.get_mut("king")
    {
        king.insert("reach".to_owned(), Value::Integer(size.max_distance() as i64));
    }
    Ok(merged)
}

/// Copies the values of `over` into `under`, table by table.
fn overlay(under: &mut Table, over: Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => overlay(inner, value),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}
