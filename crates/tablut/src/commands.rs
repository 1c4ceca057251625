//! The commands of `tablut`, one file per command.

mod analyze;
mod bench;
mod bridge;
mod config;
mod data;
mod evaluate;
mod generate;
mod matches;
mod model;
mod nats;
mod perft;
mod play;
mod replay;
mod report;
mod rules;
mod selfplay;
mod serve;
mod tournament;
mod train;
mod worker;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args as _, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tablut_games::CancelToken;

use crate::console::{Console, Voice};
use crate::interrupt::Interrupted;
use crate::run_events::{GenerationWatcher, OnGeneration};

pub use serve::serve_on;

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
    /// Play against a net in the terminal.
    Play(play::Args),
    /// Serve a page for playing, analysing and experimenting with rules.
    Serve(serve::Args),
    /// Analyse a position with a net, or review a game.
    Analyze(analyze::Args),
    /// Train a net from a config file, or continue a run.
    Train(train::Args),
    /// Play games for a trainer on another machine, over a NATS broker.
    Worker(worker::Args),
    /// Play self-play games without training and save their records.
    Selfplay(selfplay::Args),
    /// Summarize training runs, and write a page about them.
    Report(report::Args),
    /// Measure a net against baseline players.
    Evaluate(evaluate::Args),
    /// Play any players against each other and rate them.
    Match(tournament::Args),
    /// Measure this machine's speed, or a search on puzzles.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Check a training config and print it with every key.
    Config(config::Args),
    /// Inspect, check or export game records and runs.
    #[command(subcommand)]
    Data(data::Data),
    /// Show what a model file contains, or export its net.
    #[command(subcommand)]
    Model(model::ModelCommand),
    /// Write openings, puzzles, shell completions or manual pages.
    #[command(subcommand)]
    Generate(generate::Generate),
    /// List the rule sets, or explain one.
    Rules(rules::Args),
    /// Replay moves or a saved game, and print each state.
    Replay(replay::Args),
    /// Count move sequences, to verify the rules.
    Perft(perft::Args),
    /// Play on another server, or as an engine in another program.
    #[command(subcommand)]
    Bridge(bridge::Bridge),
}

/// The commands by group, for the list in `tablut --help`.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Play", &["play", "serve", "analyze"]),
    ("Train", &["train", "worker", "selfplay", "report"]),
    ("Measure", &["evaluate", "match", "bench"]),
    ("Files", &["config", "data", "model", "generate"]),
    ("Rules", &["rules", "replay", "perft"]),
    ("More", &["bridge", "help"]),
];

/// Parses the arguments and runs the command.
pub fn run(typed: impl IntoIterator<Item = OsString>, console: &mut Console) -> anyhow::Result<()> {
    let arguments = match program().try_get_matches_from(typed) {
        Ok(matches) => Arguments::from_arg_matches(&matches)?,
        // Help and version are results, so they go to standard output.
        Err(asked) if !asked.use_stderr() => {
            console.write_styled(&asked.render())?;
            return Ok(console.flush()?);
        }
        Err(error) => return Err(error.into()),
    };
    console.voice = Voice::new(arguments.quiet);
    if !arguments.command.stops_by_itself() {
        tablut_play::exit_on_signals()?;
    }
    // A command would report it as a fault of the net that it opens.
    tablut_net::Simd::from_env()?;
    arguments.command.run(console)?;
    Ok(console.flush()?)
}

/// Why a command that another program has called has failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// It was cancelled, and can continue.
    #[error("stopped on request")]
    Stopped,
    /// The arguments are wrong.
    #[error("{0}")]
    Usage(String),
    /// Another error.
    #[error("{0}")]
    Other(String),
}

/// Does what `tablut train` does with these arguments, without output, until `cancel` stops it. `on_generation` is called
/// after each generation. Returns the run's folder.
pub fn train(words: &[OsString], cancel: &CancelToken, on_generation: OnGeneration) -> Result<PathBuf, CommandError> {
    let usage = |error: clap::Error| CommandError::Usage(error.to_string());
    let command = train::Args::augment_args(clap::Command::new("tablut train").no_binary_name(true));
    let matches = command.try_get_matches_from(words).map_err(usage)?;
    let args = train::Args::from_arg_matches(&matches).map_err(usage)?;
    let watcher = Arc::new(GenerationWatcher(on_generation));
    let trained = train::run_until(&args, cancel, Some(watcher), &mut Console::silent());
    trained.and_then(|()| Ok(args.folder()?.0)).map_err(|error| match error.downcast_ref::<Interrupted>() {
        Some(_) => CommandError::Stopped,
        None => CommandError::Other(format!("{error:#}")),
    })
}

/// The program's arguments, with a help text that lists the commands by group.
fn program() -> clap::Command {
    let program = Arguments::command();
    let mut list = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(list, "{title}:");
        for name in names {
            let about = program.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map_or_else(|| "Explain a command.".to_owned(), ToString::to_string);
            let _ = writeln!(list, "  {name:<12} {}", about.trim_end_matches('.'));
        }
        list.push('\n');
    }
    program.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}"))
}

impl Command {
    /// Whether the command handles signals, to save finished work. A signal ends any other command at once.
    fn stops_by_itself(&self) -> bool {
        use Command::{Evaluate, Generate, Match, Play, Selfplay, Train, Worker};
        matches!(self, Play(_) | Train(_) | Worker(_) | Selfplay(_) | Evaluate(_) | Match(_) | Generate(_))
    }

    fn run(self, console: &mut Console) -> anyhow::Result<()> {
        match self {
            Self::Play(args) => play::run(&args),
            Self::Serve(args) => serve::run(&args, console),
            Self::Analyze(args) => analyze::run(&args, console),
            Self::Train(args) => train::run(&args, console),
            Self::Worker(args) => worker::run(&args, console),
            Self::Selfplay(args) => selfplay::run(&args, console),
            Self::Report(args) => report::run(&args, console),
            Self::Evaluate(args) => evaluate::run(&args, console),
            Self::Match(args) => tournament::run(&args, console),
            Self::Bench(bench) => bench::run(&bench, console),
            Self::Config(args) => config::run(&args, console),
            Self::Data(command) => data::run(&command, console),
            Self::Model(command) => model::run(&command, console),
            Self::Generate(command) => generate::run(&command, program(), console),
            Self::Rules(args) => rules::run(&args, console),
            Self::Replay(args) => replay::run(&args, console),
            Self::Perft(args) => perft::run(&args, console),
            Self::Bridge(bridge) => bridge::run(&bridge, console),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, program};

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut program = program();
        program.build();
        let mut commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
        assert!(commands.len() <= 18 + 1, "more than 18 commands and `help`: {commands:?}");
    }

    #[test]
    fn the_overview_fits_a_terminal() {
        let help = program().render_help().to_string();
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert!(help.contains("Measure:\n  evaluate "), "{help}");
    }

    #[test]
    fn arguments_are_consistent() {
        program().debug_assert();
    }

    #[test]
    fn every_argument_of_every_command_is_explained() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            assert!(command.get_about().is_some(), "{path} has no help text");
            for argument in command.get_arguments() {
                let said = argument.get_help().or(argument.get_long_help());
                assert!(said.is_some(), "{path}: {} has no help text", argument.get_id());
            }
            command.get_subcommands().for_each(|inner| check(inner, &path));
        }
        check(&program(), "");
    }
}
