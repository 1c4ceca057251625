//! What can be typed after `tablut`; one file per command.

mod bench;
mod evaluate;
mod match_;
mod matches;
mod train;

use clap::{Parser, Subcommand};

/// Trains, measures and plays neural nets for Tablut.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Train a net from a config file, or go on with a run.
    Train(train::Args),
    /// Measure a net against baseline players.
    Evaluate(evaluate::Args),
    /// Play any players against each other and rate them.
    Match(match_::Args),
    /// Measure speed on this machine.
    #[command(subcommand)]
    Bench(bench::Bench),
}

impl Arguments {
    /// Does what was asked for.
    pub fn run(self) -> anyhow::Result<()> {
        match self.command {
            Command::Train(args) => train::run(&args),
            Command::Evaluate(args) => evaluate::run(&args),
            Command::Match(args) => match_::run(&args),
            Command::Bench(bench) => bench::run(&bench),
        }
    }
}
