//! Compares the draw rate that a run's newest net predicts with the real one, on training games and on held-out games.
//!
//! `held_out_draws RUN N SHARE` reads the last N generations of a run with one rule set. SHARE is the run's
//! `learning.held_out_share`, and N is the number of generations in the replay window.

use std::path::Path;
use std::sync::Arc;

use tablut_games::{GameRecord, NetLosses, ReplayedGame, examine, read_records};
use tablut_net::{Engine, Inference, Model};
use tablut_rules::Rules;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [run, n, share] = args.as_slice() else { anyhow::bail!("expected RUN N SHARE") };
    let (run, n, share): (&Path, usize, f64) = (run.as_ref(), n.parse()?, share.parse()?);
    let mut nets = files(&run.join("checkpoints"), ".safetensors")?;
    nets.retain(|path| !path.to_string_lossy().ends_with(".state.safetensors"));
    let model = Model::load(nets.last().ok_or_else(|| anyhow::anyhow!("no net in {}", run.display()))?)?;
    let games = files(&run.join("games"), ".games")?;
    let mut sets = [Vec::<GameRecord>::new(), Vec::new()];
    for path in &games[games.len().saturating_sub(n)..] {
        for game in read_records(path)?.games {
            // The rule of `learning.held_out_share`.
            let held_out = ((game.index + 1) as f64 * share).floor() > (game.index as f64 * share).floor();
            sets[usize::from(held_out)].push(game);
        }
    }
    let rules = vec![Arc::new(Rules::load(&sets[0][0].rules)?)];
    let engine = Engine::new(&model.weights)?;
    let make = || Box::new(engine.share(1).expect("one thread is the caller's own")) as Box<dyn Inference>;
    for (name, games) in ["learnt", "held out"].into_iter().zip(&sets) {
        let replayed = ReplayedGame::replay_all(&rules, games)?;
        let samples: Vec<_> = replayed.iter().flat_map(|game| &game.samples).collect();
        let draws = NetLosses::of(&examine(&rules, &samples, usize::MAX, &make)?, 0.0).draws;
        let (predicted, drawn) = (100.0 * draws.predicted, 100.0 * draws.drawn);
        println!(
            "{}: {name}: {} games, {} positions: predicted {predicted:.1} %, drawn {drawn:.1} %, difference {:+.1}",
            run.display(),
            games.len(),
            draws.positions,
            predicted - drawn
        );
    }
    Ok(())
}

/// The files of a folder that end with `ending`, sorted.
fn files(folder: &Path, ending: &str) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
