//! A user's rule file, from training to export. All files of a run contain its rules.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const TINY: &str = r#"
shape = "lines32x1"

[schedule]
generations = 1
games = 8
simulations = [[0, 4]]

[selfplay]
max_plies = 40

[learning]
batch_size = 16
draws_per_position = 0.5

[evaluation]
games = 2
against = ["random"]

[play]
simulations = 4
"#;

fn tablut(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

/// The standard output and error of a command that must succeed.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = tablut(folder, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

/// Trains on a rule file, removes it, and returns the model's path.
fn trained_on(folder: &Path, rules: &str) -> String {
    fs::write(folder.join("own.toml"), rules).unwrap();
    fs::write(folder.join("tiny.toml"), format!("rules = [\"own.toml\"]\n{TINY}")).unwrap();
    done(folder, &["train", "tiny.toml"]);
    fs::remove_file(folder.join("own.toml")).unwrap();
    "runs/tiny/checkpoints/gen-00000.safetensors".to_owned()
}

#[test]
fn every_command_takes_the_rules_from_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = trained_on(folder, "base = \"kvasir\"\nname = \"slow\"\nmax-plies = 60\n[king]\nreach = 2\n");
    let player = format!("net:{model}@4");
    for (arguments, says) in [
        (&["evaluate", &model, "--games", "2", "--against", "random"][..], "playing by the rules slow"),
        (&["play", &model], "playing by the rules slow"),
        (&["analyze", &model, "d1-d3", "--simulations", "8"], "playing by the rules slow"),
        (&["match", "random", &player, "--games", "2"], "playing by the rules slow"),
        (&["match", "random", &player, "--games", "2", "--rules", "slow"], "slow"),
        (&["evaluate", "runs/tiny", "--games", "2", "--against", "random"], "playing by the rules slow"),
        (&["match", "random", "net:runs/tiny@4", "--games", "2"], "net:runs/tiny@4"),
        (&["play", "runs/tiny"], "playing by the rules slow"),
        (&["analyze", "runs/tiny", "d1-d3", "--simulations", "8"], "playing by the rules slow"),
        (&["model", "info", "runs/tiny"], "slow"),
        (&["data", "export", "positions", "runs/tiny", "--out", "run.npz"], "from 8 games"),
        (&["data", "export", "metrics", "runs/tiny"], "slow"),
        (&["selfplay", "runs/tiny", "--games", "2", "--out", "more"], "2 games"),
        (
            &["generate", "openings", "--out", "book.jsonl", "--judge", &player, "--count", "2", "--band", "1"],
            "the slow rules",
        ),
        (&["model", "info", &model], "slow"),
        (&["model", "export", &model, "--onnx", "net.onnx"], "net.onnx"),
        (&["data", "check", "runs/tiny/games/gen-00000.games"], "8 games replay as recorded"),
    ] {
        let text = done(folder, arguments);
        assert!(text.contains(says), "{arguments:?} should say `{says}`:\n{text}");
    }
    // The few games of this weak net may have too few puzzles, but they are played by its rules.
    let made = tablut(folder, &["generate", "puzzles", &model, "--count", "8", "--games", "16", "--out", "puzzles"]);
    let text = [made.stdout, made.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(text.contains("puzzles/slow.jsonl") || text.contains("rules slow: "), "{text}");
}

#[test]
fn a_clause_that_differs_from_the_shipped_rules_of_that_name_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = trained_on(folder, "base = \"kvasir\"\nname = \"kvasir\"\n[king]\nreach = 2\n");
    for arguments in [
        &["play", &model][..],
        &["analyze", &model, "--simulations", "8"],
        &["evaluate", &model, "--games", "2", "--against", "random"],
        &["model", "info", &model],
    ] {
        let text = done(folder, arguments);
        assert!(text.contains("king.reach is 2 instead of 8"), "{arguments:?}: {text}");
    }
    done(folder, &["data", "check", "runs/tiny/games/gen-00000.games"]);
}

#[test]
fn rules_that_a_net_was_not_trained_on_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let model = trained_on(folder, "base = \"tartu\"\nname = \"mine\"\n");
    let text = done(folder, &["play", &model, "--rules", "ludoteka"]);
    assert!(text.contains("was trained on mine, not on ludoteka"), "{text}");
    let text = done(folder, &["play", &model, "--rules", "tartu"]);
    assert!(!text.contains("was trained on"), "the clauses are tartu's:\n{text}");
}
