//! A run's folder: its summary, its check, leftovers and damaged files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tablut_games::RunFolderError;
use tablut_learn::{Run, TrainError};

const CONFIG: &str = r#"
rules = ["own.toml"]
shape = "lines32x1"

[schedule]
generations = 3
games = 8
simulations = [[0, 4]]

[selfplay]
max_plies = 40

[learning]
batch_size = 16
draws_per_position = 0.5

[evaluation]
games = 0
"#;

fn tablut(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

/// The standard output and error of a command that must exit with `code`.
pub fn said(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = tablut(folder, arguments);
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// A folder with a finished run in `runs/tiny`.
fn finished() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.toml"), "base = \"kvasir\"\n[king]\nreach = 2\n").unwrap();
    fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
    said(folder.path(), &["train", "tiny.toml"], 0);
    let run = folder.path().join("runs/tiny");
    (folder, run)
}

/// Flips a bit in the last tensor of a file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() - 2;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn checkpoints(run: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(run.join("checkpoints")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_complete_run_is_summarized_checked_and_continued_from_its_folder() {
    let (folder, run) = finished();
    let info = said(folder.path(), &["data", "info", "runs/tiny"], 0);
    assert!(info.contains("generations  3 of 3") && info.contains("24 games") && info.contains("MB"), "{info}");
    let check = said(folder.path(), &["data", "check", "runs/tiny"], 0);
    assert!(check.contains("3 generations, 3 models and 2 states are complete, 24 games replay"), "{check}");

    fs::remove_file(folder.path().join("own.toml")).unwrap();
    let resumed = Run::resume(&run, &["schedule.generations=4".to_owned()]).unwrap();
    assert_eq!((resumed.next_generation, resumed.config.schedule.generations), (3, 4));
    assert_eq!(resumed.rules[0].set().king.reach, 2);
    assert!(matches!(Run::resume(folder.path(), &[]), Err(TrainError::Folder(RunFolderError::NoRun(_)))));
}

#[test]
fn a_run_continues_without_its_config_file_and_logs_its_events() {
    let (folder, _) = finished();
    fs::remove_file(folder.path().join("own.toml")).unwrap();
    fs::remove_file(folder.path().join("tiny.toml")).unwrap();
    said(folder.path(), &["train", "--resume", "runs/tiny", "--set", "schedule.generations=4"], 0);
    let log = fs::read_to_string(folder.path().join("runs/tiny/log.txt")).unwrap();
    let count = |text: &str| log.lines().filter(|line| line.contains(text)).count();
    assert_eq!((count("run opened"), count("games played"), count("checkpoint written")), (2, 4, 4), "{log}");
    assert_eq!(count("config: schedule.generations was 3, is 4"), 1, "{log}");
}

#[test]
fn a_state_left_by_a_killed_process_is_removed() {
    let (folder, run) = finished();
    let before = checkpoints(&run);
    let state = |generation: u64| run.join(format!("checkpoints/gen-{generation:05}.state.safetensors"));
    fs::copy(state(1), state(0)).unwrap();
    said(folder.path(), &["train", "tiny.toml"], 0);
    assert_eq!(checkpoints(&run), before);
}

#[test]
fn every_damaged_file_of_a_run_is_named() {
    let (folder, run) = finished();
    damage(&run.join("checkpoints/gen-00000.safetensors"));
    damage(&run.join("checkpoints/gen-00001.state.safetensors"));
    damage(&run.join("games/gen-00001.games"));
    fs::remove_file(run.join("games/gen-00002.games")).unwrap();
    let lines = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    fs::write(run.join("metrics.jsonl"), lines.replacen('{', "[", 1)).unwrap();
    let check = said(folder.path(), &["data", "check", "runs/tiny"], 2);
    for name in ["gen-00000.safetensors", "gen-00001.state.safetensors", "gen-00001.games", "gen-00002.games"] {
        assert!(check.contains(name), "{name} is not named:\n{check}");
    }
    assert!(check.contains("metrics.jsonl, line 1") && check.contains("5 of its files"), "{check}");
}

#[test]
fn a_damaged_newest_state_says_what_to_delete() {
    let (folder, run) = finished();
    let newest = run.join("checkpoints/gen-00002.state.safetensors");
    let whole = fs::read(&newest).unwrap();
    damage(&newest);
    let error = said(folder.path(), &["train", "tiny.toml"], 2);
    assert!(error.contains("gen-00002.state.safetensors: damaged"), "{error}");
    assert!(
        error.contains("The state of generation 1 is intact. Delete") && error.contains("the games stay"),
        "{error}"
    );
    fs::remove_file(&newest).unwrap();
    said(folder.path(), &["train", "tiny.toml"], 0);
    assert!(fs::read(&newest).unwrap() == whole, "the repeated generation differs");
}

/// The generations of a run's nets.
fn nets(run: &Path) -> Vec<u64> {
    let models = tablut_games::RunFolder(run).files(tablut_games::GenerationFile::Model).unwrap();
    models.into_keys().collect()
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_pruned_run_is_small_and_continues_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let config = CONFIG
        .replace("own.toml", "kvasir")
        .replace("generations = 3", "generations = 30")
        .replace("games = 8\n", "games = 40\n")
        .replace("max_plies = 40", "max_plies = 40\nbalance = 0.0")
        .replace("draws_per_position = 0.5", "draws_per_position = 0.1\nwindow_positions = 2000");
    fs::write(folder.path().join("long.toml"), config).unwrap();
    said(folder.path(), &["train", "long.toml"], 0);
    let (whole, pruned) = (folder.path().join("runs/long"), folder.path().join("runs/pruned"));
    copied(&whole, &pruned);
    let bytes = |run: &Path| tablut_learn::RunSummary::read(run).unwrap().bytes;
    let before = bytes(&pruned);
    let listed = said(folder.path(), &["data", "prune", "runs/pruned", "--dry-run"], 0);
    assert!(listed.contains("would be deleted") && bytes(&pruned) == before, "{listed}");
    let text = said(folder.path(), &["data", "prune", "runs/pruned"], 0);
    assert!(bytes(&pruned) * 5 <= before, "{text}: {} of {before} bytes are left", bytes(&pruned));
    assert!(text.contains("nets that stay: 10, 20, 29"), "{text}");
    assert_eq!(nets(&pruned), [10, 20, 29]);
    let check = said(folder.path(), &["data", "check", "runs/pruned"], 0);
    assert!(check.contains("30 generations, 3 models and 1 states are complete"), "{check}");
    for run in ["runs/long", "runs/pruned"] {
        said(folder.path(), &["train", "--resume", run, "--set", "schedule.generations=32"], 0);
    }
    for file in ["games/gen-00031.games", "checkpoints/gen-00030.safetensors", "checkpoints/gen-00031.safetensors"] {
        assert!(fs::read(whole.join(file)).unwrap() == fs::read(pruned.join(file)).unwrap(), "{file} differs");
    }
    let matches = |run: &Path| {
        let lines = tablut_games::RunFolder(run).read_metrics().unwrap();
        lines.into_iter().map(|line| line.rating.map(|rating| rating.matches)).collect::<Vec<_>>()
    };
    assert_eq!(matches(&whole), matches(&pruned), "the rating games differ");
}

#[test]
fn a_run_without_its_state_is_refused_with_the_choices() {
    let (folder, run) = finished();
    for state in ["gen-00001.state.safetensors", "gen-00002.state.safetensors"] {
        fs::remove_file(run.join("checkpoints").join(state)).unwrap();
    }
    let text = said(folder.path(), &["train", "--resume", "runs/tiny"], 2);
    assert!(text.contains("no training state") && text.contains("gen-00002.safetensors"), "{text}");
    assert!(text.contains("delete runs/tiny/checkpoints"), "{text}");
    let before = checkpoints(&run);
    said(folder.path(), &["train", "tiny.toml"], 2);
    assert_eq!(checkpoints(&run), before, "nothing was overwritten");
    fs::remove_dir_all(run.join("checkpoints")).unwrap();
    said(folder.path(), &["train", "--resume", "runs/tiny"], 0);
    assert!(checkpoints(&run).contains("gen-00002.state.safetensors"));
}

#[test]
fn a_finished_run_says_so_and_is_repeated_from_its_folder() {
    let (folder, run) = finished();
    let again = said(folder.path(), &["train", "tiny.toml"], 0);
    assert!(again.contains("The run is finished: 3 of 3 generations") && again.contains("Train on:"), "{again}");
    fs::remove_file(folder.path().join("own.toml")).unwrap();
    for source in ["runs/tiny", "runs/tiny/config.toml"] {
        let target = format!("runs/{}", source.len());
        said(folder.path(), &["train", source, "--run", &target], 0);
        let net = "checkpoints/gen-00002.safetensors";
        assert_eq!(fs::read(run.join(net)).unwrap(), fs::read(folder.path().join(&target).join(net)).unwrap());
    }
    let rules = said(folder.path(), &["rules", "runs/tiny/rules.toml"], 0);
    assert!(rules.contains("own"), "{rules}");
}

#[test]
fn a_start_is_a_word_a_folder_or_a_path_from_here() {
    let folder = tempfile::tempdir().unwrap();
    let config = CONFIG
        .replace("own.toml", "kvasir")
        .replace("lines32x1", "lines32x2")
        .replace("generations = 3", "generations = 1");
    fs::create_dir(folder.path().join("configs")).unwrap();
    fs::write(folder.path().join("configs/tiny.toml"), config).unwrap();
    said(folder.path(), &["model", "save", "shipped", "shipped-net.tablut"], 0);
    let mut hashes = Vec::new();
    for (name, start) in [("word", "shipped"), ("path", "shipped-net.tablut"), ("folder", "runs/word")] {
        let run = format!("runs/{name}");
        let text =
            said(folder.path(), &["train", "configs/tiny.toml", "--run", &run, "--set", &format!("start={start}")], 0);
        assert!(text.contains("starting with"), "{text}");
        hashes
            .push(tablut_net::Model::load(&folder.path().join(run).join("start.safetensors")).unwrap().weights.hash());
    }
    assert_eq!(hashes[0], hashes[1]);
    let newest = tablut_net::Model::load(&folder.path().join("runs/word/checkpoints/gen-00000.safetensors")).unwrap();
    assert_eq!(hashes[2], newest.weights.hash());
}
