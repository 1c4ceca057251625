//! `tablut bench`: measures this machine, and searches on puzzles.

mod inference;
mod puzzles;
mod selfplay;

use clap::Subcommand;

use crate::console::Console;

/// What can be measured.
#[derive(Subcommand)]
pub enum Bench {
    /// Measure the evaluations per second of the CPU engine or a device.
    Inference(inference::Args),
    Puzzles(puzzles::Args),
    /// Measure the games, positions and evaluations per second of self-play.
    Selfplay(selfplay::Args),
}

pub fn run(bench: &Bench, console: &mut Console) -> anyhow::Result<()> {
    match bench {
        Bench::Inference(args) => inference::run(args, console),
        Bench::Puzzles(args) => puzzles::run(args, console),
        Bench::Selfplay(args) => selfplay::run(args, console),
    }
}
