//! The clauses of a rule set as a form. A page can show and check them without code for any rule.

use crate::view::RulesView;
use serde::Serialize;
use serde_json::Value;
use tablut_rules::{RuleSet, RuleSetError, Rules, json_fault};

/// The form: a list of groups, each with a `title` and `fields`. A field has the `key` of its clause in a rule file, a
/// `label`, a `help` text, and a `kind`: `choice` with `options`, `flag`, `number` from `least` to `most`, `text`, or
/// `rows` for the start position.
pub fn rule_form() -> Value {
    serde_json::from_str(include_str!("rule_form.json")).expect("the form is valid JSON")
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleFault {
    pub words: String,
    pub keys: Vec<String>,
}

impl RuleFault {
    fn new(words: String) -> Self {
        let form = rule_form();
        let groups = form.as_array().into_iter().flatten();
        let fields = groups.flat_map(|group| group["fields"].as_array().into_iter().flatten());
        let keys = fields.filter_map(|field| field["key"].as_str()).filter(|key| names(&words, key));
        Self { keys: keys.map(str::to_owned).collect(), words }
    }
}

fn names(text: &str, key: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
    text.match_indices(key).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + key.len()..].chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(|letter| letter != '.' && is_part(letter))
    })
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleCheck {
    /// Contradictions. Empty if the rules are valid.
    pub faults: Vec<RuleFault>,
    /// The rules in words, their special squares and their file, if they are valid.
    pub rules: Option<RulesView>,
}

impl RuleCheck {
    pub fn read(set: &Value) -> Result<RuleSet, String> {
        serde_json::from_value(set.clone()).map_err(|error| json_fault(&error))
    }

    pub fn compiled(set: &Value) -> Result<Rules, String> {
        Rules::new(Self::read(set)?).map_err(|error| error.to_string())
    }

    pub fn new(set: &Value) -> Self {
        let refused =
            |faults: Vec<String>| Self { faults: faults.into_iter().map(RuleFault::new).collect(), rules: None };
        let set = match Self::read(set) {
            Ok(set) => set,
            Err(error) => return refused(vec![error]),
        };
        match Rules::new(set) {
            Ok(rules) => Self { faults: Vec::new(), rules: Some(RulesView::new(&rules)) },
            Err(RuleSetError::Contradiction { faults, .. }) => refused(faults),
            Err(error) => refused(vec![error.to_string()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_rules::RULE_SET_NAMES;

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

    fn fields(form: &Value) -> impl Iterator<Item = &Value> {
        form.as_array().unwrap().iter().flat_map(|group| group["fields"].as_array().unwrap())
    }

    #[test]
    fn the_form_has_every_key_and_nothing_else() {
        let mut keys = Vec::new();
        let mut set = RuleSet::named("copenhagen").unwrap();
        set.max_plies = Some(5);
        set.no_capture_plies = Some(5);
        leaves(&serde_json::to_value(&set).unwrap(), "", &mut keys);
        let form = rule_form();
        let mut fields: Vec<&str> = fields(&form).map(|field| field["key"].as_str().unwrap()).collect();
        keys.sort();
        fields.sort_unstable();
        assert_eq!(fields, keys);
    }

    #[test]
    fn every_choice_can_be_read() {
        let set = serde_json::to_value(RuleSet::named("copenhagen").unwrap()).unwrap();
        let mut options = 0;
        for field in fields(&rule_form()).filter(|field| field["kind"]["kind"] == "choice") {
            let key = field["key"].as_str().unwrap();
            for option in field["kind"]["options"].as_array().unwrap() {
                let mut changed = set.clone();
                let pointer = format!("/{}", key.replace('.', "/"));
                *changed.pointer_mut(&pointer).expect(key) = option["value"].clone();
                RuleCheck::read(&changed).unwrap_or_else(|error| panic!("{key} = {}: {error}", option["value"]));
                options += 1;
            }
        }
        assert!(options > 40, "only {options} options");
    }

    #[test]
    fn contradictions_are_named_and_whole_rules_are_explained() {
        for name in RULE_SET_NAMES {
            let check = RuleCheck::new(&serde_json::to_value(RuleSet::named(name).unwrap()).unwrap());
            let topics = check.rules.as_ref().map_or(0, |rules| rules.topics.len());
            assert!(check.faults.is_empty() && topics > 3, "{name}: {check:?}");
        }
        let mut set = serde_json::to_value(RuleSet::named("kvasir").unwrap()).unwrap();
        set["king"]["reach"] = Value::from(9);
        set["king"]["edge-closes"] = Value::from(true);
        let faults = RuleCheck::new(&set).faults;
        assert_eq!(faults.len(), 2, "{faults:?}");
        let reach = faults.iter().find(|fault| fault.words.contains("king.reach = 9")).unwrap();
        assert_eq!(reach.keys, ["king.reach"]);
        let edge = faults.iter().find(|fault| fault.keys.iter().any(|key| key == "king.edge-closes"));
        assert!(edge.is_some_and(|fault| fault.keys.iter().any(|key| key == "king.elsewhere")), "{faults:?}");
        let reach = rule_form();
        let reach = fields(&reach).find(|field| field["key"] == "king.reach").unwrap();
        assert_eq!(reach["kind"]["most"], tablut_rules::MAX_DISTANCE);
        set["king"] = Value::Null;
        assert_eq!(RuleCheck::new(&set).faults.len(), 1);
    }
}
