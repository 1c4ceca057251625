//! `tablut train CONFIG`: the whole loop, with progress, and in the end the net's measured score.

use std::path::{Path, PathBuf};

use anyhow::Context;
use tablut_games::{Counters, LocalGames};
use tablut_learn::{Doors, Run, TrainConfig, TrainError, model_path, train};
use tablut_net::{Engine, Inference, Weights, durable};
use tablut_players::Nets;

use super::evaluate::measure;
use super::matches::{MatchArgs, cancelled_by_interrupt, parse_players};
use crate::progress::TrainProgress;

/// Arguments of `tablut train`.
#[derive(clap::Args)]
pub struct Args {
    /// The config file.
    config: PathBuf,
    /// The run's folder [default: runs/ and the config's name]; a run that is there goes on.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Override a key of the config, such as `learning.batch_size=128`; may be given often.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

/// Trains, measures the new net, and says how to go on.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let config = TrainConfig::load(&args.config, &args.overrides)?;
    let evaluation = config.evaluation.clone();
    Nets::load(&parse_players(&evaluation.against).context("evaluation.against")?).context("evaluation.against")?;
    let folder = args.run.clone().unwrap_or_else(|| default_folder(&args.config));
    let mut run = Run::open(&folder, config)?;
    // The instruction set is checked here, so that no worker meets a fault in it.
    Engine::new(&run.model().weights)?;
    let cancel = cancelled_by_interrupt()?;
    let progress = TrainProgress::new(&run);
    let mut games = LocalGames::new(&make_engine, run.config.machine.concurrency());
    let trained = train(&mut run, Doors { games: &mut games, nets: None }, &Counters::default(), &cancel, &progress);
    progress.finish();
    match trained {
        Ok(()) => {}
        Err(TrainError::Stopped) => {
            eprintln!("Stopped. What is done is in {}; the same command goes on from there.", folder.display());
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    }
    let model = model_path(&run.checkpoints(), run.next_generation - 1);
    let matches = MatchArgs { games: evaluation.games, ..MatchArgs::default() };
    if evaluation.games > 0 && !evaluation.against.is_empty() {
        let measured = measure(&model, &evaluation.against, None, None, &matches, &cancel)?;
        if !measured.played.is_complete() {
            eprintln!("Stopped. The net is {}; the same command measures it again.", model.display());
            return Ok(());
        }
        let path = folder.join("evaluation.json");
        durable::write(&path, measured.json()?.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", measured.text(&matches));
    }
    println!("The net is {}", model.display());
    println!("Play it:     cargo run --release -- play {}", model.display());
    println!("Measure it:  cargo run --release -- evaluate {}", model.display());
    Ok(())
}

/// `runs/` and the config's file name without its ending.
fn default_folder(config: &Path) -> PathBuf {
    Path::new("runs").join(config.file_stem().unwrap_or(config.as_os_str()))
}

/// The CPU engine on one thread, one for each worker.
fn make_engine(weights: &Weights) -> Box<dyn Inference> {
    Box::new(Engine::new(weights).expect("the instruction set was checked at the start"))
}
