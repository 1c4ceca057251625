//! `tablut config CONFIG`: checks a config and everything that it names, and prints it with every key.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tablut_learn::TrainConfig;
use tablut_net::DeviceChoice;

use crate::console::Console;
use crate::nets::check_config;

/// Arguments of `tablut config`.
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
    keys: Vec<String>,
    /// Device for learning, instead of the config's `machine.device`: cpu, gpu:N, or auto (the first GPU if there is one).
    /// GPUs need a program built with the feature `gpu`. A resumed run may change its device.
    #[arg(long, value_name = "DEVICE")]
    device: Option<DeviceChoice>,
}

impl Overrides {
    /// All changes in the form of `--set`.
    pub fn keys(&self) -> Vec<String> {
        let device = self.device.map(|device| format!("machine.device={device}"));
        self.keys.iter().cloned().chain(device).collect()
    }

    /// Reads the config at `path` with these changes.
    pub fn load(&self, path: &Path) -> anyhow::Result<TrainConfig> {
        Ok(TrainConfig::load(path, &self.keys())?)
    }
}

/// Checks and prints.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let config = args.overrides.load(&args.config)?;
    check_config(&config)?;
    write!(console, "# Memory: {}.\n\n{}", config.memory_bounds(), config.to_toml())?;
    Ok(())
}
