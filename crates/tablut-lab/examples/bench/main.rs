//! Benchmarks of single parts on this machine: move generation, positions, the search without a net, and whole training steps.
//!
//! `cargo run --release -p tablut-lab --example bench -- training --shape lines32x2`

mod positions;
mod rules;
mod search;
mod training;

use std::fmt::Display;
use std::sync::Arc;

use anyhow::Context;
use clap::Parser;
use rand::{Rng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_rules::{BoardSize, Game, MoveList, Rules, Side};

/// What to measure.
#[derive(Parser)]
enum Bench {
    /// Move generation: perft leaves and playouts per second, by rule set
    Rules(rules::Args),
    /// Evaluations per second of positions whose moves are not yet known
    Positions(positions::Args),
    /// Simulations per second of the search alone, and memory of the tree
    Search(search::Args),
    /// Samples per second in whole training steps, and memory, by shape, batch and threads
    Training(training::Args),
}

fn main() -> anyhow::Result<()> {
    match Bench::parse() {
        Bench::Rules(args) => rules::run(&args),
        Bench::Positions(args) => positions::run(&args),
        Bench::Search(args) => search::run(&args),
        Bench::Training(args) => training::run(&args),
    }
}

/// Prints one line, in words or as JSON.
fn print(figures: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
    if json {
        println!("{}", serde_json::to_string(figures)?);
    } else {
        println!("{figures}");
    }
    Ok(())
}

/// All built-in rule sets on Tablut's board.
fn all_rules() -> anyhow::Result<Vec<Arc<Rules>>> {
    Rules::names_on(BoardSize::Nine)
        .map(|name| Rules::named(name).map(Arc::new).with_context(|| format!("rule set {name}")))
        .collect()
}

/// A game after `plies` random moves, or after fewer if it has ended.
fn random_game(rules: &Arc<Rules>, plies: u32, rng: &mut ChaCha8Rng) -> Game {
    let mut game = Game::new(Arc::clone(rules), rules.set().first.side().unwrap_or(Side::Attackers));
    let mut moves = MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        game.play_trusted(moves[rng.next_u32() as usize % moves.len()]);
    }
    game
}
