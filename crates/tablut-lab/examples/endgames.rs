//! Solves all positions with few pieces under chosen rule sets.
//!
//! `cargo run --release -p tablut-lab --example endgames -- kvasir,masters 0v2,1v1` solves a king against two
//! attackers, and a king and one defender against one attacker. `all` stands for all built-in rule sets. The program
//! prints a line of JSON for each class when it is solved. It uses all cores, and keeps a class in memory as long as a
//! later one needs it.
//!
//! A third argument is the number of random positions of each class that are checked with a search of the game, which
//! knows nothing of the tables: it finds the shortest win, if that takes up to five plies.

#[path = "../tests/common/random_position.rs"]
mod random_position;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use random_position::random_position;
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use tablut_lab::{EndgameSummary, EndgameValue, Endgames, Material};
use tablut_rules::{Game, Rules, Side};
use tablut_search::exhaustive::WinSolver;

/// The longest win that the check finds.
const CHECKED_PLIES: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (names, classes, n_checked) = match arguments.as_slice() {
        [names, classes] => (names, classes, 0),
        [names, classes, n_checked] => (names, classes, n_checked.parse()?),
        _ => {
            return Err("expected RULES,... (or all), CLASS,... such as 0v3,1v2, and perhaps a number of checks".into());
        }
    };
    let names: Vec<&str> = if names == "all" { Rules::names().collect() } else { names.split(',').collect() };
    let classes: Vec<Material> = classes.split(',').map(str::parse).collect::<Result<_, _>>()?;
    names.into_iter().try_for_each(|name| solve(name, &classes, n_checked))
}

/// Solves the classes in turn and prints a line for each.
fn solve(name: &str, classes: &[Material], n_checked: u64) -> Result<(), Box<dyn Error>> {
    let rules = Arc::new(Rules::load(name)?);
    let mut endgames = Endgames::new(rules.clone());
    for (place, &material) in classes.iter().enumerate() {
        let start = Instant::now();
        endgames.solve(material)?;
        let solved_secs = start.elapsed().as_secs_f64();
        let summary = endgames.summary(material).ok_or("the class was solved")?;
        let checks = (0..n_checked).into_par_iter().map(|seed| check(&rules, &endgames, material, seed));
        let n_short: u64 = checks.map(u64::from).sum();
        let mut line = in_json(&summary);
        line.insert("rules".to_owned(), json!(name));
        line.insert("class".to_owned(), json!(material.to_string()));
        line.insert("checked".to_owned(), json!({ "positions": n_checked, "wins_of_2_to_5_plies": n_short }));
        line.insert("solved_secs".to_owned(), json!(solved_secs.round()));
        println!("{}", Value::Object(line));
        let is_needed =
            |later: &Material| later.defenders >= material.defenders && later.attackers >= material.attackers;
        if !classes[place + 1..].iter().any(is_needed) {
            endgames.forget(material);
        }
    }
    Ok(())
}

/// The counts are of positions, and symmetric images count as different positions.
fn in_json(summary: &EndgameSummary) -> Map<String, Value> {
    let to_move = Side::ALL.map(|side| {
        let counts = summary.to_move[side.index()];
        let [attackers, defenders] = counts.won;
        let all = counts.positions;
        json!({ "positions": all, "attackers_win": attackers, "defenders_win": defenders, "neither": counts.neither() })
    });
    let longest = summary
        .longest
        .map(|longest| longest.map(|(plies, position)| json!({ "plies": plies, "position": position.to_string() })));
    let [attackers_to_move, defenders_to_move] = to_move;
    let [attackers_longest, defenders_longest] = longest;
    Map::from_iter([
        ("positions".to_owned(), json!(summary.positions())),
        ("attackers_to_move".to_owned(), attackers_to_move),
        ("defenders_to_move".to_owned(), defenders_to_move),
        ("attackers_longest".to_owned(), json!(attackers_longest)),
        ("defenders_longest".to_owned(), json!(defenders_longest)),
    ])
}

/// Compares a random position of the class with a search. Whether it is a win of two to [`CHECKED_PLIES`] plies.
fn check(rules: &Arc<Rules>, endgames: &Endgames, material: Material, seed: u64) -> bool {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (position, value) = loop {
        let position = random_position(rules.size(), material, &mut rng);
        if let Some(value) = endgames.value(&position) {
            break (position, value);
        }
    };
    let game = Game::from_position(Arc::clone(rules), position).expect("a position of the rules' board");
    let mut short = false;
    for side in Side::ALL {
        let expected = match value {
            EndgameValue::Win { winner, plies } if winner == side && plies <= CHECKED_PLIES => Some(plies),
            _ => None,
        };
        let found = WinSolver::new(&game, side, u64::MAX).shortest_win(CHECKED_PLIES);
        assert_eq!(found, Ok(expected), "{}, seed {seed}: {position} is {value:?}", rules.name());
        short |= expected.is_some_and(|plies| plies > 1);
    }
    short
}
