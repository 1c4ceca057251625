//! `tablut selfplay MODEL`: self-play games without training, saved as records.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use indicatif::HumanCount;
use tablut_games::{Counters, RecordFile, RunError, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks, write_records};
use tablut_learn::MachineConfig;
use tablut_net::NetEvaluator;
use tablut_search::SearchConfig;

use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};
use crate::nets::{DeviceArgs, load_model, rules_for};
use crate::outputs::Overwrite;
use crate::progress::Progress;

/// Arguments of `tablut selfplay`.
#[derive(clap::Args)]
pub struct Args {
    /// The model file [default: the net that comes with the program].
    model: Option<PathBuf>,
    /// Games to play.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Folder for the records.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Rule set, by name or TOML file [default: kvasir, or the net's own if it was not trained on kvasir].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Simulations per move.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Seed; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Plays and writes.
pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    let path = args.out.join("selfplay.games");
    args.overwrite.check(&path)?;
    let model = load_model(args.model.as_deref())?;
    let rules = rules_for(args.rules.as_deref(), args.model.as_deref(), &model, console.voice)?;
    let search = SearchConfig { simulations: args.simulations, ..SearchConfig::default() };
    let device = args.device.open()?;
    let net = device.processor().load(Arc::new(model.weights))?;
    let cancel = cancelled_by_interrupt()?;
    let what = format!("Self-play under the {} rules", rules.name());
    let progress = Progress::new(console.voice, what, "games", 0, u64::from(args.games));
    let evaluator = || vec![Box::new(NetEvaluator::new(net.share())) as Box<_>];
    let concurrency = device.concurrency(&MachineConfig::default());
    let game = |index: usize| {
        let rng = game_rng(args.seed, 0, index as u64);
        SelfPlayGame::new(index as u64, &rules, &SelfPlayConfig::default(), &search, rng)
    };
    let (n_games, counters) = (args.games as usize, Counters::default());
    let advance = |_, _: &_| progress.advance();
    let played = run_tasks(n_games, concurrency, game, evaluator, &counters, &cancel, advance);
    drop(progress);
    let games = match played {
        Err(RunError::Stopped) => {
            console.voice.say("Stopped: self-play keeps games only when all have ended.");
            return Err(Interrupted::now().into());
        }
        played => played?,
    };
    let evaluations = counters.evaluations.load(std::sync::atomic::Ordering::Relaxed);
    write_records(&path, &RecordFile::new(evaluations, [&*rules], games))?;
    let (games, evaluations) = (HumanCount(args.games.into()), HumanCount(evaluations));
    writeln!(console, "{} ({games} games, {evaluations} evaluations)", path.display())?;
    Ok(())
}
