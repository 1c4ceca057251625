//! Tests the comparison: it must detect every rule set with one changed value.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tablut_rules::{RuleSet, Rules};

use crate::compare;
use crate::random::{Random, crowd, scatter};
use crate::slow::{Name, king_is_armed};

/// The comparison must detect a change within this many positions.
const MOST_POSITIONS: u32 = 20_000;

/// Values that single positions can reveal, without a history, by table and key.
const CHANGES: [(&str, &str, &[&str]); 24] = [
    ("", "escape", &["\"edge\"", "\"corners\"", "\"edge-outside-camps\""]),
    ("", "exit-fort", &["true", "false"]),
    ("", "encirclement", &["true", "false"]),
    ("throne", "landing", &["\"nobody\"", "\"king\"", "\"anyone\""]),
    ("throne", "passing", &["\"nobody\"", "\"anyone\""]),
    ("throne", "hostile-to-attackers", &["\"never\"", "\"when-empty\"", "\"always\""]),
    ("throne", "hostile-to-defenders", &["\"never\"", "\"when-empty\"", "\"always\""]),
    ("throne", "hostile-to-king", &["\"never\"", "\"when-empty\""]),
    ("corners", "landing", &["\"king\"", "\"anyone\""]),
    ("corners", "hostile-to-soldiers", &["true", "false"]),
    ("corners", "hostile-to-king", &["true", "false"]),
    ("camps", "entry", &["\"anyone\"", "\"soldiers\"", "\"attackers\"", "\"attackers-within\""]),
    ("camps", "hostile-to-attackers", &["\"none\"", "\"all-but-edge-middles\"", "\"all\""]),
    ("camps", "hostile-to-defenders", &["\"none\"", "\"all-but-edge-middles\"", "\"all\""]),
    ("camps", "hostile-to-king", &["\"none\"", "\"all-but-edge-middles\"", "\"all\""]),
    ("king", "armed", &["true", "false"]),
    ("king", "reach", &["4", "5", "7", "8", "9"]),
    ("king", "on-throne", &["\"between-two\"", "\"surrounded\""]),
    ("king", "beside-throne", &["\"between-two\"", "\"surrounded\""]),
    ("king", "elsewhere", &["\"between-two\"", "\"surrounded\""]),
    ("king", "throne-closes", &["true", "false"]),
    ("captures", "count", &["\"all\"", "\"one-chosen\""]),
    ("captures", "pinned-defender", &["true", "false"]),
    ("captures", "shield-wall", &["\"never\"", "\"pieces\"", "\"pieces-and-corners\""]),
];

/// Changes that make no difference to play, and why.
fn is_idle(name: Name, key: &str, value: &str) -> bool {
    let king_escapes_at_the_edge = !name.has_corners();
    // One square less than any distance.
    let almost_any = (name.n() - 2).to_string();
    match key {
        // An armed king on the throne is a captor himself.
        "hostile-to-attackers" => matches!(value, "\"when-empty\"" | "\"always\"") && king_is_armed(name),
        // A king beside a corner, or one who can move eight squares, has already escaped.
        "hostile-to-king" if value == "true" => king_escapes_at_the_edge,
        "reach" => value == almost_any && king_escapes_at_the_edge,
        // Only pieces on other camps stand next to the middle of an edge, and they are attackers.
        "hostile-to-defenders" | "hostile-to-king" => value == "\"all-but-edge-middles\"" && name == Name::Ashton,
        // Two free squares at an edge between a corner and a camp: made-up positions hardly ever have such a row.
        "shield-wall" => value == "\"pieces\"" && name == Name::Ashton,
        _ => false,
    }
}

/// Whether the engine under `rules` differs from the second generator anywhere.
fn shows(rules: &Rules, name: Name) -> bool {
    let mut random = Random::new(7);
    (0..MOST_POSITIONS).any(|i| {
        let board = if i % 2 == 0 { crowd(name, &mut random) } else { scatter(name, &mut random) };
        catch_unwind(AssertUnwindSafe(|| compare::compare_position(rules, name, &board, ""))).is_err()
    })
}

#[test]
fn a_changed_value_shows() {
    let mut unseen = Vec::new();
    let mut n_mutants = 0;
    for (text, name) in Name::ALL {
        let own = RuleSet::named(text).unwrap_or_else(|e| panic!("{e}"));
        for (table, key, values) in CHANGES {
            for value in values {
                let header = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
                let toml = format!("base = \"{text}\"\n{header}{key} = {value}\n");
                // The loader rejects a contradiction, so there is nothing to detect.
                let Ok(set) = RuleSet::from_toml(&toml) else { continue };
                if (RuleSet { name: own.name.clone(), source: own.source.clone(), ..set.clone() }) == own {
                    continue;
                }
                if is_idle(name, key, value) {
                    continue;
                }
                n_mutants += 1;
                let rules = Rules::new(set).unwrap_or_else(|e| panic!("{e}"));
                if !shows(&rules, name) {
                    unseen.push(format!("{text}: {table}.{key} = {value}"));
                }
            }
        }
    }
    println!("{n_mutants} mutants");
    assert!(n_mutants > 250 && unseen.is_empty(), "{n_mutants} mutants, unseen: {unseen:#?}");
}
