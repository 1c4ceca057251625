//! `tablut bench`: figures for this machine.

mod figures;
mod inference;
mod positions;
mod puzzles;
mod rules;
mod search;
mod selfplay;
mod training;

use clap::Subcommand;

use crate::console::Console;

/// What can be measured.
#[derive(Subcommand)]
pub enum Bench {
    /// Evaluations per second of the CPU engine, by shape, batch and threads.
    Inference(inference::Args),
    Puzzles(puzzles::Args),
    /// Move generation: perft leaves and playouts per second, by rule set.
    Rules(rules::Args),
    /// Simulations per second of the search alone, and memory of the tree.
    Search(search::Args),
    /// Self-play: games, positions and evaluations per second, share inside the net.
    Selfplay(selfplay::Args),
    /// Samples per second in whole training steps, by shape, batch and threads; memory of a step.
    Training(training::Args),
}

/// Measures.
pub fn run(bench: &Bench, console: &mut Console) -> anyhow::Result<()> {
    match bench {
        Bench::Inference(args) => inference::run(args, console),
        Bench::Puzzles(args) => puzzles::run(args, console),
        Bench::Rules(args) => rules::run(args, console),
        Bench::Search(args) => search::run(args, console),
        Bench::Selfplay(args) => selfplay::run(args, console),
        Bench::Training(args) => training::run(args, console),
    }
}
