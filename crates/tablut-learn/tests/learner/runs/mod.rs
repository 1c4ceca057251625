//! Runs a config in this process.

use std::fs;
use std::path::Path;

use tablut_games::{CancelToken, Concurrency, Counters, LocalGames};
use tablut_learn::{Run, TrainConfig, TrainError, train};
use tablut_net::{Engine, Inference, Weights};

/// Trains with `config` and some overrides, in the folder `run` of `folder`. Continues a run that exists.
pub fn run(config: &str, folder: &Path, overrides: &[&str]) -> Result<Run, TrainError> {
    let path = folder.join("config-given.toml");
    fs::write(&path, config).unwrap();
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    train_to_the_end(Run::open(&folder.join("run"), TrainConfig::load(&path, &overrides)?)?)
}

/// Continues the run in `folder` to its end.
pub fn resume(folder: &Path) -> Result<Run, TrainError> {
    train_to_the_end(Run::resume(folder, &[])?)
}

/// Trains an open run to its end.
pub fn train_to_the_end(mut run: Run) -> Result<Run, TrainError> {
    let engine = |weights: &Weights| -> Box<dyn Inference> { Box::new(Engine::new(weights).unwrap()) };
    let mut games = LocalGames::new(&engine, Concurrency { workers: 2, tasks_per_worker: 8 });
    train(&mut run, &mut games, &Counters::default(), &CancelToken::new(), None, &|_| {})?;
    Ok(run)
}
