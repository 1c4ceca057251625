//! `tablut config CONFIG`: checks a config and everything that it names, and prints it with every key.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tablut_learn::TrainConfig;

use crate::console::Console;
use crate::nets::check_config;

#[derive(clap::Args)]
pub struct Args {
    /// The config file.
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

impl Overrides {
    /// Reads the config at `path` with these changes.
    pub fn load(&self, path: &Path) -> anyhow::Result<TrainConfig> {
        Ok(TrainConfig::load(path, &self.keys)?)
    }
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let config = args.overrides.load(&args.config)?;
    check_config(&config)?;
    write!(console, "# Memory: {}.\n\n{}", config.memory_bounds(), config.to_toml())?;
    Ok(())
}
