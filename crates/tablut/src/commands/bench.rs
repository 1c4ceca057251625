//! `tablut bench`: figures for this machine.

mod inference;
mod puzzles;
mod selfplay;

use clap::Subcommand;

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
