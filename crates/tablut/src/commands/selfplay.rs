//! `tablut selfplay MODEL`: self-play games alone, written as records.

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use tablut_games::{
    Concurrency, Counters, NetEvaluator, RecordFile, SelfPlayConfig, SelfPlayGame, game_rng, run_tasks, write_records,
};
use tablut_net::{Engine, Inference, Model};
use tablut_search::SearchConfig;

use super::matches::cancelled_by_interrupt;
use super::rules_for;

/// Arguments of `tablut selfplay`.
#[derive(clap::Args)]
pub struct Args {
    /// The model file.
    model: PathBuf,
    /// Games to play.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Folder for the records.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Rule set, by name or TOML file [default: kvasir, or what else the net was trained on].
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Simulations a move.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Seed; the same seed gives the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Plays and writes.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let model = Model::load(&args.model)?;
    let rules = rules_for(args.rules.as_deref(), &args.model, &model)?;
    let search = SearchConfig { simulations: args.simulations, ..SearchConfig::default() };
    let engine = Engine::new(&model.weights)?;
    let cancel = cancelled_by_interrupt()?;
    let bar = ProgressBar::new(u64::from(args.games));
    let style = ProgressStyle::with_template("self-play [{bar:30}] {pos}/{len} games, {per_sec}, {eta} left");
    bar.set_style(style.expect("the template is well formed").progress_chars("=> "));
    let evaluator = || {
        let engine: Box<dyn Inference> = Box::new(engine.share(1).expect("one thread needs no other started"));
        vec![Box::new(NetEvaluator::new(engine)) as Box<_>]
    };
    let game = |index: usize| {
        let rng = game_rng(args.seed, 0, index as u64);
        SelfPlayGame::new(index as u64, &rules, &SelfPlayConfig::default(), &search, rng)
    };
    let (n_games, counters) = (args.games as usize, Counters::default());
    let games = run_tasks(n_games, Concurrency::default(), game, evaluator, &counters, &cancel, |_, _| bar.inc(1))?;
    bar.finish_and_clear();
    let evaluations = counters.evaluations.load(std::sync::atomic::Ordering::Relaxed);
    let path = args.out.join("selfplay.games");
    write_records(&path, &RecordFile::new(evaluations, [&*rules], games))?;
    println!("{} ({} games, {evaluations} evaluations)", path.display(), args.games);
    Ok(())
}
