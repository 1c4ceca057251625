//! The metrics of each generation: by rule set, on unseen and on held-out games, and the same after a resume.

use super::runs;
use std::fs;
use std::path::Path;

use tablut_games::{GenerationFile, GenerationMetrics, MachineMetrics};
use tablut_learn::{Run, TrainConfig, TrainError};
use tablut_rules::Results;

const CONFIG: &str = r#"
rules = ["kvasir", "ashton"]
shape = "lines32x1"
[schedule]
generations = 2
games = 16
simulations = [[0, 4]]
[selfplay]
max_plies = 30
[learning]
batch_size = 32
draws_per_position = 1.0
"#;

fn run(folder: &Path, overrides: &[&str]) -> Result<Run, TrainError> {
    runs::run(CONFIG, folder, overrides)
}

/// The metrics that do not depend on the machine.
fn timeless(metrics: &[GenerationMetrics]) -> Vec<GenerationMetrics> {
    let clear = |metrics: &GenerationMetrics| {
        let mut metrics = metrics.clone();
        metrics.machine = MachineMetrics::default();
        (metrics.selfplay.seconds, metrics.selfplay.mean_batch, metrics.selfplay.batch_fill) = (0.0, 0.0, 0.0);
        (metrics.selfplay.net_share, metrics.learning.seconds, metrics.learning.samples_per_second) = (0.0, 0.0, 0.0);
        metrics
    };
    metrics.iter().map(clear).collect()
}

#[test]
fn a_generation_is_measured_by_rule_set_and_on_unseen_games() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), &[]).unwrap();
    for metrics in &run.metrics {
        assert_eq!(metrics.rule_sets.iter().map(|set| set.rules.as_str()).collect::<Vec<_>>(), ["kvasir", "ashton"]);
        let games: usize = metrics.rule_sets.iter().map(|set| set.games).sum();
        assert_eq!((games, metrics.selfplay.games), (16, 16));
        let results: Results = metrics.rule_sets.iter().map(|set| set.results).sum();
        assert_eq!(results, metrics.selfplay.results);
        let asked: usize = metrics.rule_sets.iter().map(|set| set.net.as_ref().unwrap().positions).sum();
        assert_eq!((asked, metrics.learning.fresh.positions), (64, 64));
        let (fresh, learnt) = (metrics.learning.fresh, metrics.learning.learnt);
        assert_eq!((fresh.policy_floor, learnt.positions), (learnt.policy_floor, 64));
        assert!(fresh.policy > fresh.policy_floor && learnt.value < fresh.value, "{fresh:?} {learnt:?}");
        assert!(metrics.learning.weight_norm > 0.0 && metrics.machine.run_bytes > 0);
        assert_eq!(metrics.learning.held_out, None);
    }
}

#[test]
fn the_fill_of_batches_is_a_share_whatever_a_game_asks_for_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let many = ["schedule.generations=1", "schedule.simulations=[[0, 16]]", "machine.games_per_worker=8"];
    let run = run(folder.path(), &many).unwrap();
    let play = &run.metrics[0].selfplay;
    assert!(play.mean_batch > 8.0, "each game has several positions in a batch: {play:?}");
    assert!(play.batch_fill > 0.2 && play.batch_fill <= 1.0, "{play:?}");
}

#[test]
fn held_out_games_are_measured_and_not_learnt_from() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let whole = run(folders[0].path(), &["schedule.generations=1"]).unwrap();
    let kept = ["schedule.generations=1", "learning.held_out_share=0.25"];
    let held = run(folders[1].path(), &kept).unwrap();
    // In both runs the untrained net plays the first generation's games.
    assert_eq!(held.metrics[0].rule_sets, whole.metrics[0].rule_sets);
    assert_eq!(held.metrics[0].learning.fresh, whole.metrics[0].learning.fresh);
    assert!(held.metrics[0].learning.held_out.is_some_and(|losses| losses.positions > 0));
    assert!(held.window.len() < whole.window.len(), "held-out games are in the window");
    assert_eq!((held.training.games, held.training.positions), (16, held.window.len() as u64));
    // When the run is opened again, the window has the same content.
    let positions = held.window.len();
    drop(held);
    assert_eq!(run(folders[1].path(), &kept).unwrap().window.len(), positions);
}

#[test]
fn a_generation_done_again_is_measured_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(folder.path(), &[]).unwrap();
    let metrics = timeless(&first.metrics[1..]);
    let state = first.file(GenerationFile::State, 1);
    drop(first);
    fs::remove_file(state).unwrap();
    assert_eq!(timeless(&run(folder.path(), &[]).unwrap().metrics[1..]), metrics);
}

#[test]
fn learning_that_diverges_ends_the_run_and_names_the_rate() {
    let folder = tempfile::tempdir().unwrap();
    let rate = ["learning.learning_rate=1.0", "learning.draws_per_position=40", "learning.warmup_steps=1"];
    let error = run(folder.path(), &rate).map(drop).unwrap_err();
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
    assert!(error.to_string().contains("the learning rate was 1: choose a lower learning.learning_rate"), "{error}");
}

#[test]
fn the_losses_of_an_untrained_net_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let learning = run(folder.path(), &["schedule.generations=1"]).unwrap().metrics[0].learning.clone();
    // The net is untrained before the first generation learns.
    let fresh = learning.fresh.policy + learning.fresh.value;
    assert!((fresh - learning.learnt.untrained).abs() < 1e-9, "{fresh} {:?}", learning.learnt);
}

#[test]
fn a_run_whose_folder_is_replaced_does_not_write_into_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let config = TrainConfig::parse(CONFIG, &at("config.toml"), &[]).unwrap();
    let open = Run::open(&at("run"), config).unwrap();
    fs::rename(at("run"), at("moved")).unwrap();
    fs::create_dir(at("run")).unwrap();
    fs::write(at("run/.lock"), "").unwrap();
    let error = runs::train_to_the_end(open).map(drop).unwrap_err();
    assert!(matches!(&error, TrainError::Moved(path) if *path == at("run")), "{error}");
    assert_eq!(fs::read_dir(at("run")).unwrap().count(), 1);
    runs::resume(&at("moved")).unwrap();
}
