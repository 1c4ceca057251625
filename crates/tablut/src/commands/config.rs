//! `tablut config CONFIG`: checks a config and everything that it names, and prints it with every key.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tablut_games::RunFolder;
use tablut_learn::TrainConfig;

use crate::console::Console;
use crate::nets::check_config;

#[derive(clap::Args)]
pub struct Args {
    /// The config file, or the folder of a run.
    config: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

/// Options of the commands that check or train a config.
#[derive(clap::Args)]
pub struct Overrides {
    /// Override a key of the config, such as `learning.batch_size=128`; repeatable.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub keys: Vec<String>,
}

/// The config that `path` names, with `changes`, and the folder of its run if `path` is that folder or its `config.toml`.
pub fn load_config<'a>(path: &'a Path, changes: &[String]) -> anyhow::Result<(TrainConfig, Option<&'a Path>)> {
    let run = run_of(path);
    let file = run.map_or_else(|| path.to_owned(), |run| RunFolder(run).config());
    Ok((TrainConfig::load(&file, changes)?, run))
}

/// The folder of the run whose config `path` names, if it is a run's.
pub fn run_of(path: &Path) -> Option<&Path> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let is_config = path.is_dir() || RunFolder(folder).config() == path;
    (is_config && RunFolder(folder).rules().exists()).then_some(folder)
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let (config, run) = load_config(&args.config, &args.overrides.keys)?;
    check_config(&config, run)?;
    write!(console, "# Memory: {}.\n\n{}", config.memory_bounds(), config.to_toml())?;
    Ok(())
}
