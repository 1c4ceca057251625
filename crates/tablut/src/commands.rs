//! What can be typed after `tablut`; one file per command.

mod analyze;
mod bench;
mod bridge;
mod config;
mod data;
mod evaluate;
mod matches;
mod model;
mod openings;
mod perft;
mod play;
mod puzzles;
mod replay;
mod rules;
mod selfplay;
mod tournament;
mod train;

use std::path::Path;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use tablut_net::{KnownRules, Model, RulesChoice, choose_rules};
use tablut_rules::Rules;

/// A command that Ctrl-C has ended, and that has said what there is; the exit code is 130.
#[derive(Debug)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped on request")
    }
}

impl std::error::Error for Interrupted {}

/// The rules to play by, after saying what is to be said of the choice.
fn told(choice: RulesChoice) -> Arc<Rules> {
    for note in &choice.notes {
        eprintln!("note: {note}");
    }
    choice.rules
}

/// The rules for the net of the model file `path` alone: `asked`, or what the net knows.
fn rules_for(asked: Option<&str>, path: &Path, model: &Model) -> anyhow::Result<Arc<Rules>> {
    let net = path.display().to_string();
    Ok(told(choose_rules(asked, &[KnownRules { net: &net, rules: &model.rules }])?))
}

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
    /// Make a book of balanced openings for matches
    Openings(openings::Args),
    /// Play any players against each other and rate them.
    Match(tournament::Args),
    /// Show what a net and its search say about a position.
    Analyze(analyze::Args),
    /// Play against a net in the terminal.
    Play(play::Args),
    /// Find positions with a proven win, or let a search solve them.
    #[command(subcommand)]
    Puzzles(puzzles::Puzzles),
    /// Play self-play games alone and keep their records.
    Selfplay(selfplay::Args),
    /// Inspect, check or print game records.
    #[command(subcommand)]
    Data(data::Data),
    /// See what is in a model file, or export its net.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Check or show a training config.
    #[command(subcommand)]
    Config(config::Config),
    /// List the rule sets, or explain one.
    Rules(rules::Args),
    /// Count move sequences, to verify the rules.
    Perft(perft::Args),
    /// Play a list of moves and report the state after each.
    Replay(replay::Args),
    /// Play on someone else's server, or in someone else's program.
    #[command(subcommand)]
    Bridge(bridge::Bridge),
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
            Command::Openings(args) => openings::run(&args),
            Command::Match(args) => tournament::run(&args),
            Command::Analyze(args) => analyze::run(&args),
            Command::Play(args) => play::run(&args),
            Command::Puzzles(command) => puzzles::run(&command),
            Command::Selfplay(args) => selfplay::run(&args),
            Command::Data(command) => data::run(&command),
            Command::Model(command) => model::run(&command),
            Command::Config(command) => config::run(&command),
            Command::Rules(args) => rules::run(&args),
            Command::Perft(args) => perft::run(&args),
            Command::Replay(args) => replay::run(&args),
            Command::Bridge(bridge) => bridge::run(&bridge),
            Command::Bench(bench) => bench::run(&bench),
        }
    }
}
