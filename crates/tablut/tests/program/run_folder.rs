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
