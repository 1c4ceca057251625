//! `tablut bench`: figures for this machine.

mod inference;
mod positions;
mod puzzles;
mod selfplay;

use std::fmt::Display;
use std::io::Write as _;

use clap::Subcommand;
use serde::Serialize;

use crate::console::Console;

/// What can be measured.
#[derive(Subcommand)]
pub enum Bench {
    /// Evaluations per second of the CPU engine, by shape, batch and threads.
    Inference(inference::Args),
    Puzzles(puzzles::Args),
    /// Self-play: games, positions and evaluations per second, share inside the net.
    Selfplay(selfplay::Args),
}

/// Measures.
pub fn run(bench: &Bench, console: &mut Console) -> anyhow::Result<()> {
    match bench {
        Bench::Inference(args) => inference::run(args, console),
        Bench::Puzzles(args) => puzzles::run(args, console),
        Bench::Selfplay(args) => selfplay::run(args, console),
    }
}

/// Prints one line, in words or as JSON.
pub fn print(console: &mut Console, figures: &(impl Serialize + Display), json: bool) -> anyhow::Result<()> {
    if json {
        writeln!(console, "{}", serde_json::to_string(figures)?)?;
    } else {
        writeln!(console, "{figures}")?;
    }
    Ok(())
}

/// An argument that is a number of at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of at least 1".to_owned()),
        Ok(n) => Ok(n),
    }
}

/// An argument that is a time.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(secs) if (0.0..=3600.0).contains(&secs) => Ok(secs),
        _ => Err("expected seconds from 0 to 3600".to_owned()),
    }
}
