//! Chooses the rules of a command: the rules that the user named, otherwise kvasir if the nets were trained on it,
//! otherwise a net's first rule set.

use std::sync::Arc;

use tablut_rules::{ClauseDifference, RuleSet, RuleSetError, Rules, USUAL_RULE_SET, shown};

use crate::stated_rules::StatedRules;

/// A net that will play, for the choice of rules.
#[derive(Copy, Clone, Debug)]
pub struct KnownRules<'a> {
    /// The net's name in messages, such as its file.
    pub net: &'a str,
    /// The rule sets that it was trained on.
    pub rules: &'a [StatedRules],
}

/// The chosen rules.
#[derive(Clone, Debug)]
pub struct RulesChoice {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Notes for the user about the choice, one sentence each. Empty if the choice needs no note.
    pub notes: Vec<String>,
}

/// Chooses the rules. `asked` is the user's choice, a name or the path of a rule file. If it is `None`, the rules are
/// the first of these that exists:
///
/// 1. kvasir, if every net was trained on it,
/// 2. the first rule set of the first net that every net was trained on,
/// 3. the first rule set of the first net.
///
/// A name means the rule set of the first net that contains one of that name. If there is none, it means the built-in
/// rule set. Without nets, every rule set counts as known.
///
/// # Errors
/// If there is no such rule set, or its file cannot be read or is not a rule set.
pub fn choose_rules(asked: Option<&str>, nets: &[KnownRules<'_>]) -> Result<RulesChoice, RuleSetError> {
    let name = asked.unwrap_or_else(|| usual_name(nets));
    let stated = nets.iter().find_map(|net| Some((net, net.rules.iter().find(|rules| rules.name() == name)?)));
    let (rules, owner) = match stated {
        Some((net, rules)) => (rules.rules(), Some(net.net)),
        None => (Arc::new(Rules::load(name)?), None),
    };
    let mut notes = Vec::new();
    if let (None, Some(net)) = (asked, owner)
        && name != USUAL_RULE_SET
    {
        notes.push(format!(
            "playing by the rules {name}, which {} was trained on; use --rules to choose others",
            shown(net)
        ));
    }
    Ok(RulesChoice::new(rules, owner.unwrap_or(name), notes, nets))
}

/// The rules of a file that is not a net, such as an opening book. `file` is its name in messages.
pub fn rules_of_file(file: &str, stated: &StatedRules, nets: &[KnownRules<'_>]) -> RulesChoice {
    let mut notes = Vec::new();
    if stated.name() != USUAL_RULE_SET {
        notes.push(format!("playing by the rules {} of {}", stated.name(), shown(file)));
    }
    RulesChoice::new(stated.rules(), file, notes, nets)
}

impl RulesChoice {
    /// The choice, with notes on clauses that differ from the built-in rule set of that name, and on nets that were
    /// trained on other rules.
    fn new(rules: Arc<Rules>, owner: &str, mut notes: Vec<String>, nets: &[KnownRules<'_>]) -> Self {
        let changes = StatedRules::of(&rules).changes();
        if !changes.is_empty() {
            notes.push(format!(
                "{} has its own rules {}, which differ from the built-in ones: {}",
                shown(owner),
                rules.name(),
                list(&changes)
            ));
        }
        notes.extend(nets.iter().filter_map(|net| note_on_training(net, rules.set())));
        Self { rules, notes }
    }
}

/// The name of the rules if the user did not name any.
fn usual_name<'a>(nets: &[KnownRules<'a>]) -> &'a str {
    let known_to_all = |name: &str| nets.iter().all(|net| net.rules.iter().any(|rules| rules.name() == name));
    let first = nets.first().map_or(&[][..], |net| net.rules);
    match first.iter().map(StatedRules::name).find(|name| known_to_all(name)) {
        _ if known_to_all(USUAL_RULE_SET) => USUAL_RULE_SET,
        Some(name) => name,
        None => first.first().map_or(USUAL_RULE_SET, StatedRules::name),
    }
}

/// The note for a net that plays under rules that it was not trained on.
fn note_on_training(net: &KnownRules<'_>, set: &RuleSet) -> Option<String> {
    if net.rules.iter().any(|rules| rules.is(set)) {
        return None;
    }
    let label = shown(net.net);
    let namesake = net.rules.iter().find(|rules| rules.name() == set.name);
    Some(match namesake {
        Some(own) => {
            let changes = list(&set.differences(own.set()));
            format!("{label} was trained on other rules of the name {}: here {changes}", set.name)
        }
        None if net.rules.is_empty() => format!("{label} does not state the rules that it was trained on"),
        None => {
            let names: Vec<&str> = net.rules.iter().map(StatedRules::name).collect();
            format!("{label} was trained on {}, not on {}", names.join(", "), set.name)
        }
    })
}

fn list(changes: &[ClauseDifference]) -> String {
    changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(name: &str, reach: u32) -> StatedRules {
        let mut set = RuleSet::named("kvasir").unwrap();
        set.king.reach = reach;
        StatedRules::of(&Rules::new(RuleSet { name: name.to_owned(), ..set }).unwrap())
    }

    fn shipped(names: &[&str]) -> Vec<StatedRules> {
        names.iter().map(|name| StatedRules::of(&Rules::named(name).unwrap())).collect()
    }

    /// The chosen name and king's reach, and the notes as one text.
    fn chosen(asked: Option<&str>, nets: &[&[StatedRules]]) -> (String, u32, String) {
        let labels: Vec<String> = (1..=nets.len()).map(|number| format!("net {number}")).collect();
        let known: Vec<_> = labels.iter().zip(nets).map(|(net, rules)| KnownRules { net, rules }).collect();
        let choice = choose_rules(asked, &known).unwrap();
        (choice.rules.name().to_owned(), choice.rules.set().king.reach, choice.notes.join("; "))
    }

    #[test]
    fn without_a_wish_it_is_kvasir_where_all_know_it_and_else_what_the_net_learnt_and_that_is_said() {
        let (tartu, both) = (shipped(&["tartu", "masters"]), shipped(&["ashton", "masters", "kvasir"]));
        let plain = |name: &str, reach| (name.to_owned(), reach, String::new());
        assert_eq!(chosen(None, &[]), plain("kvasir", 8));
        assert_eq!(chosen(None, &[&both]), plain("kvasir", 8));
        let (name, _, notes) = chosen(None, &[&tartu]);
        assert_eq!(name, "tartu");
        assert!(notes.contains("playing by the rules tartu, which net 1 was trained on"), "{notes}");
        let (name, _, notes) = chosen(None, &[&both, &tartu]);
        assert_eq!(name, "masters", "{notes}");
    }

    #[test]
    fn a_name_means_the_nets_own_rules_and_a_change_is_said() {
        let slow = [changed("slow", 2)];
        assert_eq!(chosen(Some("slow"), &[&slow]), ("slow".to_owned(), 2, String::new()));
        assert_eq!(chosen(None, &[&slow]).1, 2);
        let own = [changed("kvasir", 3)];
        let (_, reach, notes) = chosen(None, &[&own]);
        assert_eq!(reach, 3);
        assert!(notes.contains("net 1 has its own rules kvasir") && notes.contains("king.reach is 3 instead of 8"));
        let (_, reach, notes) = chosen(Some("kvasir"), &[&own, &shipped(&["kvasir"])]);
        assert_eq!(reach, 3);
        assert!(
            notes.contains("net 2 was trained on other rules of the name kvasir: here king.reach is 3 instead of 8"),
            "{notes}"
        );
    }

    #[test]
    fn a_net_that_never_saw_the_rules_is_named() {
        let (_, _, notes) = chosen(Some("kvasir"), &[&shipped(&["tartu"])]);
        assert_eq!(notes, "net 1 was trained on tartu, not on kvasir");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow.toml");
        std::fs::write(&path, "base = \"kvasir\"\n[king]\nreach = 2").unwrap();
        let path = path.to_str().unwrap();
        assert_eq!(chosen(Some(path), &[&[changed("slow", 2)]]).2, "");
        let (_, _, notes) = chosen(Some(path), &[&[changed("slow", 4)]]);
        assert_eq!(notes, "net 1 was trained on other rules of the name slow: here king.reach is 2 instead of 4");
    }

    #[test]
    fn an_unknown_name_is_an_error_that_says_what_is_near() {
        assert!(choose_rules(Some("kvasr"), &[]).unwrap_err().to_string().contains("kvasir"));
    }
}
