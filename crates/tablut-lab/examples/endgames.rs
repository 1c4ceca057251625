//! Solves all positions with few pieces under chosen rule sets.
//!
//! `cargo run --release -p tablut-lab --example endgames -- kvasir,masters 0v2,1v1` solves a king against two
//! attackers, and a king and one defender against one attacker. `all` stands for all built-in rule sets. The program
//! prints Markdown tables, and its progress on stderr. It uses all cores.
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
use tablut_lab::{EndgameCounts, EndgameSummary, EndgameValue, Endgames, Material};
use tablut_rules::{Game, Rules, Side};
use tablut_search::exhaustive::WinSolver;

/// The longest win that the check finds.
const CHECKED_PLIES: u32 = 5;

/// The statistics of each class under one rule set, in the order of the classes.
struct Answers {
    rules: Arc<Rules>,
    summaries: Vec<EndgameSummary>,
}

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
    let answers = names.into_iter().map(|name| solve(name, &classes, n_checked)).collect::<Result<Vec<_>, _>>()?;
    for (place, material) in classes.iter().enumerate() {
        print_class(place, *material, &answers);
    }
    Ok(())
}

fn solve(name: &str, classes: &[Material], n_checked: u64) -> Result<Answers, Box<dyn Error>> {
    let rules = Arc::new(Rules::load(name)?);
    let mut endgames = Endgames::new(rules.clone());
    let mut summaries = Vec::new();
    for &material in classes {
        let start = Instant::now();
        endgames.solve(material)?;
        let summary = endgames.summary(material).ok_or("the class was solved")?;
        eprintln!("{name} {material}: {} positions in {:.1} s", summary.positions(), start.elapsed().as_secs_f64());
        summaries.push(summary);
        if n_checked > 0 {
            let start = Instant::now();
            let checks = (0..n_checked).into_par_iter().map(|seed| check(&rules, &endgames, material, seed));
            let wins: u64 = checks.map(u64::from).sum();
            let seconds = start.elapsed().as_secs_f64();
            eprintln!(
                "{name} {material}: {n_checked} positions checked in {seconds:.1} s, {wins} of them wins of two to {CHECKED_PLIES} plies"
            );
        }
    }
    Ok(Answers { rules, summaries })
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

fn print_class(place: usize, material: Material, answers: &[Answers]) {
    println!("## {}\n", in_words(material));
    println!(
        "| rules | positions | attackers to move: attackers win / defenders win / neither | defenders to move: attackers win \
         / defenders win / neither | attackers' longest win | defenders' longest win |\n|---|--:|--:|--:|--:|--:|"
    );
    for Answers { rules, summaries } in answers {
        let summary = &summaries[place];
        let [attackers, defenders] = summary.to_move.map(|counts| shares(&counts));
        let [longest_attack, longest_defence] =
            summary.longest.map(|longest| longest.map_or("–".to_owned(), |(plies, _)| plies.to_string()));
        println!(
            "| {} | {} | {attackers} | {defenders} | {longest_attack} | {longest_defence} |",
            rules.name(),
            with_commas(summary.positions())
        );
    }
    println!("\n| rules | winner | plies | a position with the longest win |\n|---|---|--:|---|");
    for Answers { rules, summaries } in answers {
        let set = rules.set();
        let limit = set.no_capture_plies.into_iter().chain(set.max_plies).min().unwrap_or(u32::MAX);
        for side in Side::ALL {
            if let Some((plies, position)) = summaries[place].longest[side.index()] {
                let remark = if plies >= limit { " (the limit on length is reached before)" } else { "" };
                println!("| {} | {side} | {plies} | `{position}`{remark} |", rules.name());
            }
        }
    }
    println!();
}

/// The material in words.
fn in_words(material: Material) -> String {
    let count = |n: usize, piece: &str| format!("{n} {piece}{}", if n == 1 { "" } else { "s" });
    let king = match material.defenders {
        0 => "King".to_owned(),
        n => format!("King and {}", count(n, "defender")),
    };
    format!("{king} against {}", count(material.attackers, "attacker"))
}

/// Per cent won by the attackers, by the defenders, and by neither.
fn shares(counts: &EndgameCounts) -> String {
    let [attackers, defenders] = counts.won;
    [attackers, defenders, counts.neither()].map(|part| per_cent(part, counts.positions)).join(" / ")
}

/// A share in per cent with one decimal. 0 and 100 are exact, other shares never round to them.
fn per_cent(part: u64, all: u64) -> String {
    match 100.0 * part as f64 / all as f64 {
        _ if part == 0 => "0".to_owned(),
        _ if part == all => "100".to_owned(),
        share if share < 0.05 => "< 0.1".to_owned(),
        share if share >= 99.95 => "> 99.9".to_owned(),
        share => format!("{share:.1}"),
    }
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    let groups: Vec<String> = groups.into_iter().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join(",")
}
