//! A run that is killed at any moment can be continued. It loses at most the current generation, and gives the same
//! bits.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A run of one or two seconds. Its net is wide, so that writing a checkpoint takes long enough to be observed.
const CONFIG: &str = r#"
rules = ["kvasir"]
shape = "lines128x4"
seed = 5

[schedule]
generations = 4
games = 24
simulations = [[0, 4]]

[selfplay]
max_plies = 30

[learning]
batch_size = 32
draws_per_position = 1.0
window_positions = 1500

[evaluation]
games = 0
"#;
const GENERATIONS: u64 = 4;

fn train(config: &Path, run: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.arg("train").arg(config).arg("--run").arg(run).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn state(run: &Path, generation: u64) -> PathBuf {
    run.join(format!("checkpoints/gen-{generation:05}.state.safetensors"))
}

fn games(run: &Path, generation: u64) -> PathBuf {
    run.join(format!("games/gen-{generation:05}.games"))
}

/// Whether a file is being written in `folder`: it has a temporary file.
fn is_written_to(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with(".part-"))
}

/// Waits until `now` returns true, and kills the process. Returns false if the process ended before.
fn kill_when(mut child: Child, now: impl Fn() -> bool) -> bool {
    while !now() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

/// All checkpoints and files of games of a run, by name.
fn results(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = ["games", "checkpoints"].map(|folder| fs::read_dir(run.join(folder)).unwrap().flatten());
    let read = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    files.into_iter().flatten().map(read).collect()
}

/// The generations that have a line in the run's metrics.
fn generations_measured(run: &Path) -> Vec<String> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let number = |line: &str| line.split_once("\"generation\":").unwrap().1.split(',').next().unwrap().to_owned();
    text.lines().map(number).collect()
}

fn finish(config: &Path, run: &Path) {
    let output = train(config, run).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_killed_run_gives_the_bits_of_an_uninterrupted_run() {
    killed_and_whole_agree(CONFIG);
}

/// Settings with which searches depend on the results of earlier generations.
const SPECIAL: &str = "balance = 0.01\nbalanced_openings = 3\n";

#[test]
fn a_killed_run_with_special_games_and_a_lag_gives_the_same_bits() {
    let lagging = CONFIG.replace("games = 24", "games = 24\nlag = 1");
    killed_and_whole_agree(&lagging.replace("max_plies = 30\n", &format!("max_plies = 30\n{SPECIAL}")));
}

fn killed_and_whole_agree(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, text).unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    finish(&config, &whole);

    let start = || train(&config, &killed).spawn().unwrap();
    let in_selfplay = kill_when(start(), || state(&killed, 0).exists() && !games(&killed, 1).exists());
    assert!(in_selfplay, "the run ended before it could be killed in self-play");
    assert!(state(&killed, 0).exists(), "a finished generation is lost");
    let in_learning = kill_when(start(), || games(&killed, 2).exists() && !state(&killed, 2).exists());
    assert!(in_learning, "the run ended before it could be killed while learning");
    assert!(state(&killed, 1).exists(), "a finished generation is lost");
    let checkpoints = killed.join("checkpoints");
    let in_writing = kill_when(start(), || state(&killed, 2).exists() && is_written_to(&checkpoints));
    assert!(in_writing, "the run ended before it could be killed while writing a checkpoint");
    finish(&config, &killed);

    assert_eq!(generations_measured(&killed), generations_measured(&whole));
    let (whole, killed) = (results(&whole), results(&killed));
    assert_eq!(whole.keys().collect::<Vec<_>>(), killed.keys().collect::<Vec<_>>());
    for (name, bytes) in &whole {
        assert!(bytes == &killed[name], "{name} differs");
    }
    assert!(whole.contains_key(&format!("gen-{:05}.safetensors", GENERATIONS - 1)));
}

#[test]
fn with_a_lag_the_second_generation_is_played_by_the_first_net() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, CONFIG.replace("generations = 4", "generations = 3")).unwrap();
    let (now, late) = (folder.path().join("now"), folder.path().join("late"));
    finish(&config, &now);
    fs::write(&config, CONFIG.replace("generations = 4", "generations = 3\nlag = 1")).unwrap();
    finish(&config, &late);
    let same = |generation| fs::read(games(&now, generation)).unwrap() == fs::read(games(&late, generation)).unwrap();
    // Generation 0 has no earlier net in either run. The later generations differ.
    assert_eq!([0, 1, 2].map(same), [true, false, false]);
}

#[test]
fn a_model_without_its_state_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, CONFIG.replace("generations = 4", "generations = 2")).unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    finish(&config, &whole);
    finish(&config, &killed);
    // This is the state after a crash between the two files of the last checkpoint, with an incomplete third file.
    fs::remove_file(state(&killed, 1)).unwrap();
    fs::write(killed.join("checkpoints/.part-abc"), b"half a fi").unwrap();
    fs::write(killed.join("checkpoints/gen-00001.safetensors"), b"stale").unwrap();
    finish(&config, &killed);
    assert!(results(&whole) == results(&killed), "the last generation differs");
}

#[test]
fn a_damaged_file_of_games_is_rejected_and_following_the_message_gives_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, CONFIG).unwrap();
    let run = folder.path().join("run");
    finish(&config, &run);
    let whole = results(&run);
    let path = games(&run, 1);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let refused = train(&config, &run).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    for part in ["gen-00001.games", "delete the files of generation 1", "run/checkpoints"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    for folder in ["games", "checkpoints"] {
        for entry in fs::read_dir(run.join(folder)).unwrap().flatten() {
            if !entry.file_name().to_string_lossy().starts_with("gen-00000.") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
    finish(&config, &run);
    assert!(results(&run) == whole, "the run gives other bits");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    threads_change_no_bit(CONFIG);
}

fn threads_change_no_bit(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, text.replace("generations = 4", "generations = 2")).unwrap();
    let (one, three) = (folder.path().join("one"), folder.path().join("three"));
    let run = |run: &Path, workers: &str, games: &str, threads: &str| {
        let mut command = train(&config, run);
        command.env("RAYON_NUM_THREADS", threads);
        command.args(["--set", &format!("machine.workers={workers}")]);
        command.args(["--set", &format!("machine.games_per_worker={games}")]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&one, "1", "64", "1");
    run(&three, "3", "5", "2");
    assert!(results(&one) == results(&three), "results depend on threads or batches");
}

#[test]
fn a_changed_config_is_rejected_with_the_changes() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, CONFIG.replace("generations = 4", "generations = 1")).unwrap();
    let run = folder.path().join("run");
    finish(&config, &run);
    let output = train(&config, &run).args(["--set", "learning.learning_rate=0.5"]).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("learning.learning_rate: was 0.003") && message.contains("is 0.5"), "{message}");
    let more = train(&config, &run).args(["--set", "schedule.generations=2"]).output().unwrap();
    assert!(more.status.success(), "{}", String::from_utf8_lossy(&more.stderr));
    assert!(state(&run, 1).exists());
}
