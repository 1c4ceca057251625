//! `tablut config check` and `tablut config show`: check a config, and print it in full.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context;
use clap::Subcommand;
use tablut_learn::{ComputeDevice, TrainConfig};
use tablut_rules::Rules;

use crate::console::Console;
use crate::forecast_text::forecast_text;
use crate::interrupt::cancelled_by_interrupt;
use crate::nets::{make_engine, parse_players};

/// What to do with a config.
#[derive(Subcommand)]
pub enum Config {
    /// Check a config file and report only whether it is valid.
    Check(Args),
    /// Print the config with every key.
    Show(ShowArgs),
}

/// Arguments of `config show`.
#[derive(clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    args: Args,
    /// Also run a short benchmark and estimate a run's evaluations, time, disk space and memory on this machine.
    #[arg(long)]
    estimate: bool,
}

/// Arguments of both.
#[derive(clap::Args)]
pub struct Args {
    /// The config file.
    config: PathBuf,
    /// Override a key, such as `learning.batch_size=128`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

/// Checks or prints.
pub fn run(command: &Config, console: &mut Console) -> anyhow::Result<()> {
    let (Config::Check(args) | Config::Show(ShowArgs { args, .. })) = command;
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
        Config::Show(show) => {
            if show.estimate {
                let (device, cancel) = (ComputeDevice::open(config.machine.device)?, cancelled_by_interrupt()?);
                let text = forecast_text(&config, &device, &make_engine, &PathBuf::from("."), &cancel, console.voice)?;
                for line in text.lines() {
                    writeln!(console, "{}", format!("# {line}").trim_end())?;
                }
                writeln!(console)?;
            }
            write!(console, "# Memory: {}.\n\n{}", config.memory_bounds(), config.to_toml())?;
        }
    }
    Ok(())
}
