//! `tablut config check` and `tablut config show`: is a config sound, and what does it come to.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use tablut_learn::TrainConfig;
use tablut_rules::Rules;

use super::matches::parse_players;
use crate::console::Console;

/// What to do with a config.
#[derive(Subcommand)]
pub enum Config {
    /// Check a config file, and say nothing more than that it is sound.
    Check(Args),
    /// Print the config with every key written out.
    Show(Args),
}

/// Arguments of both.
#[derive(clap::Args)]
pub struct Args {
    /// The config file.
    config: PathBuf,
    /// Override a key, such as `learning.batch_size=128`; may be given often.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

/// Checks or prints.
pub fn run(command: &Config, console: &mut Console) -> anyhow::Result<()> {
    let (Config::Check(args) | Config::Show(args)) = command;
    let config = TrainConfig::load(&args.config, &args.overrides)?;
    parse_players(&config.evaluation.against).context("evaluation.against")?;
    for name in &config.rules {
        Rules::load(name)?;
    }
    match command {
        Config::Check(_) => writeln!(
            console,
            "{} is sound: {} ({} parameters) on {}, {} generations of {} games",
            args.config.display(),
            config.shape,
            config.shape.parameters(),
            config.rules.join(", "),
            config.schedule.generations,
            config.schedule.games
        )?,
        Config::Show(_) => write!(console, "# Memory: {}.\n\n{}", config.memory_bounds(), config.to_toml())?,
    }
    Ok(())
}
