//! Defines a rule set, explains it, and counts its first moves: `cargo run -p tablut-rules --example custom_rules`.

use std::sync::Arc;

use tablut_rules::{Game, MoveList, RuleSet, Rules, Side};

/// A variant of kvasir. The text names the base and the keys that differ.
const TEXT: &str = r#"
name = "slow-king"
base = "kvasir"
escape = "corners"

[corners]
landing = "king"
hostile-to-soldiers = true

[king]
reach = 4
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let set = RuleSet::from_toml(TEXT)?;
    println!("{}", set.explanation());

    // A rule set is data. It is compiled once, and all games share the result.
    let rules = Arc::new(Rules::new(set)?);
    let game = Game::new(rules, Side::Attackers);
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    println!("The attackers have {} moves at the start.", moves.len());

    // An error names the keys that contradict each other.
    let error = RuleSet::from_toml("base = \"kvasir\"\nescape = \"corners\"\n[corners]\nlanding = \"nobody\"\n");
    println!("{}", error.expect_err("the king may not enter the corners"));
    Ok(())
}
