//! The commands of `tablut`, one file per command.

mod analyze;
mod bench;
mod bridge;
mod config;
mod data;
mod evaluate;
mod game_file;
mod matches;
mod model;
mod nats;
mod openings;
mod overview;
mod perft;
mod play;
mod puzzles;
mod replay;
mod report;
mod review;
mod rules;
mod selfplay;
mod serve;
mod shell;
mod tournament;
mod train;
mod worker;

use std::ffi::OsString;
use std::io::Write as _;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::console::{Console, Voice};

/// Trains, measures and plays neural nets for Tablut.
#[derive(Parser)]
#[command(name = "tablut", version = env!("TABLUT_VERSION"), arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print only results and errors, no progress and no notes.
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Train a net from a config file, or continue a run.
    Train(train::Args),
    /// Play self-play games for a trainer elsewhere, over a NATS broker.
    Worker(worker::Args),
    /// Measure a net against baseline players.
    Evaluate(evaluate::Args),
    /// Report on training runs, in words and as a page.
    Report(report::Args),
    /// Make a book of balanced openings for matches.
    Openings(openings::Args),
    /// Play any players against each other and rate them.
    Match(tournament::Args),
    /// Show what a net and its search say about a position.
    Analyze(analyze::Args),
    /// Review a game: its mistakes, and what was better.
    Review(review::Args),
    /// Play against a net in the terminal.
    Play(play::Args),
    /// Serve a page for playing, analysing and experimenting with rules.
    Serve(serve::Args),
    /// Find positions with a proven win, or measure a search on them.
    #[command(subcommand)]
    Puzzles(puzzles::Puzzles),
    /// Play self-play games without training and save their records.
    Selfplay(selfplay::Args),
    /// Inspect, check or print game records.
    #[command(subcommand)]
    Data(data::Data),
    /// Show what a model file contains, or export its net.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Check or show a training config.
    #[command(subcommand)]
    Config(config::Config),
    /// List the rule sets, or explain one.
    Rules(rules::Args),
    /// Count move sequences, to verify the rules.
    Perft(perft::Args),
    /// Play a list of moves or a saved game and report each state.
    Replay(replay::Args),
    /// Play on another server, or as an engine in another program.
    #[command(subcommand)]
    Bridge(bridge::Bridge),
    /// Measure speed on this machine.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Print a shell's completions for these commands.
    Completions(shell::CompletionsArgs),
    /// Write manual pages of these commands.
    Man(shell::ManArgs),
}

/// Parses the arguments and runs the command.
pub fn run(typed: impl IntoIterator<Item = OsString>, console: &mut Console) -> anyhow::Result<()> {
    let arguments = match program().try_get_matches_from(typed) {
        Ok(matches) => Arguments::from_arg_matches(&matches)?,
        // Help and version are results like any other.
        Err(asked) if !asked.use_stderr() => {
            console.write_styled(&asked.render())?;
            return Ok(console.flush()?);
        }
        Err(error) => return Err(error.into()),
    };
    console.voice = Voice::new(arguments.quiet);
    arguments.command.run(console)?;
    Ok(console.flush()?)
}

/// The program's arguments, with its commands in groups.
fn program() -> clap::Command {
    overview::grouped(Arguments::command())
}

impl Command {
    fn run(self, console: &mut Console) -> anyhow::Result<()> {
        match self {
            Self::Train(args) => train::run(&args, console),
            Self::Worker(args) => worker::run(&args, console),
            Self::Evaluate(args) => evaluate::run(&args, console),
            Self::Report(args) => report::run(&args, console),
            Self::Openings(args) => openings::run(&args, console),
            Self::Match(args) => tournament::run(&args, console),
            Self::Analyze(args) => analyze::run(&args, console),
            Self::Review(args) => review::run(&args, console),
            Self::Play(args) => play::run(&args),
            Self::Serve(args) => serve::run(&args, console),
            Self::Puzzles(command) => puzzles::run(&command, console),
            Self::Selfplay(args) => selfplay::run(&args, console),
            Self::Data(command) => data::run(&command, console),
            Self::Model(command) => model::run(&command, console),
            Self::Config(command) => config::run(&command, console),
            Self::Rules(args) => rules::run(&args, console),
            Self::Perft(args) => perft::run(&args, console),
            Self::Replay(args) => replay::run(&args, console),
            Self::Bridge(bridge) => bridge::run(&bridge, console),
            Self::Bench(bench) => bench::run(&bench, console),
            Self::Completions(args) => shell::completions(&args, program(), console),
            Self::Man(args) => shell::man(&args, program(), console),
        }
    }
}
