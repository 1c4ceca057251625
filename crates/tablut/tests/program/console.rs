//! Commands whose output cannot be written, whose reader has closed the pipe, or that are quiet.
#![cfg(unix)]

use std::fs::File;
use std::process::{Command, Stdio};

use super::tiny::{Tiny, tablut, text};

/// Every command that prints a result, with arguments for a short run.
fn commands(tiny: &Tiny) -> Vec<Vec<String>> {
    let (model, games, book, run) = (tiny.model(), tiny.games(), tiny.path("book"), tiny.path("run"));
    let (puzzles, config, onnx) = (tiny.puzzles(), tiny.config(), tiny.path("net.onnx"));
    let (model, games, config) = (text(&model), text(&games), text(&config));
    let lines = [
        "--help".to_owned(),
        "help match".to_owned(),
        "--version".to_owned(),
        "rules".to_owned(),
        "rules --json".to_owned(),
        "rules kvasir".to_owned(),
        "rules kvasir --toml".to_owned(),
        "perft --depth 1 --divide".to_owned(),
        "replay d1-d3".to_owned(),
        format!("analyze {model} --simulations 4"),
        format!("play {model} --seed 1"),
        format!("evaluate {model} --against random --games 2 --max-plies 10"),
        "match random greedy --games 2 --max-plies 10".to_owned(),
        format!("generate openings --count 2 --judge alphabeta:1 --band 10000 --force --out {}", text(&book)),
        format!("selfplay {config} --model {model} --games 1 --force --out {}", text(&tiny.path("selfplay"))),
        format!("bench puzzles {} --simulations 4", text(&puzzles)),
        format!("data info {games}"),
        format!("data check {games}"),
        format!("data export games {games}"),
        format!("data export plies {games}"),
        format!("model info {model}"),
        format!("model export {model} --force --onnx {}", text(&onnx)),
        format!("config {config}"),
        format!("train {config} --run {}", text(&run)),
        format!("bridge engine --model {model}"),
        format!("bench selfplay {config} --model {model} --rounds 1"),
        "bench inference --shape lines32x1 --batch 1 --secs 0".to_owned(),
        "generate completions bash".to_owned(),
        format!("generate man --force --out {}", text(&tiny.path("man"))),
    ];
    lines.iter().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// Runs a command with the input `uci`, which most commands ignore.
fn run(arguments: &[String], stdout: Stdio) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.args(arguments).stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input closes the pipe.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"uci\n");
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn an_output_on_a_full_disk_is_an_error_of_every_command() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full here");
        return;
    };
    let tiny = Tiny::new();
    for arguments in commands(&tiny) {
        let (code, message) = run(&arguments, full.try_clone().unwrap().into());
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains("No space left on device"), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    }
}

#[test]
fn a_closed_pipe_ends_every_command_without_an_error() {
    let tiny = Tiny::new();
    for arguments in commands(&tiny) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, message) = run(&arguments, writer.into());
        assert_eq!(code, Some(0), "{arguments:?}: {message}");
        assert!(!message.contains("error") && !message.contains("panicked"), "{arguments:?}: {message}");
    }
}

#[test]
fn messages_that_cannot_be_written_are_ignored() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full here");
        return;
    };
    let tiny = Tiny::new();
    for arguments in commands(&tiny) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(full.try_clone().unwrap());
        assert_eq!(command.status().unwrap().code(), Some(0), "{arguments:?}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    let status = command.args(["rules", "nothing"]).stdout(Stdio::null()).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(2), "an error whose message cannot be written is an error");
}

#[test]
fn quiet_commands_print_only_results() {
    let tiny = Tiny::new();
    for arguments in commands(&tiny) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["--quiet"]).collect();
        if arguments[0].starts_with('-') || arguments[0] == "help" || arguments[0] == "play" {
            continue;
        }
        let output = tablut(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && message.is_empty(), "{arguments:?}: {message}");
        assert!(!output.stdout.is_empty() || arguments[0] == "bridge", "{arguments:?} prints nothing");
    }
}

#[test]
fn long_work_is_announced_at_once_without_a_terminal() {
    let tiny = Tiny::new();
    let said = |arguments: &[&str]| String::from_utf8(tablut(arguments).stderr).unwrap();
    let book = tiny.path("book");
    let openings = said(&[
        "generate",
        "openings",
        "--count",
        "2",
        "--judge",
        "alphabeta:1",
        "--band",
        "10000",
        "--out",
        text(&book),
    ]);
    assert!(openings.starts_with("Openings of 6 plies under the kvasir rules, judged by alphabeta:1"), "{openings}");
    let training = said(&["train", text(&tiny.config()), "--run", text(&tiny.path("run"))]);
    assert!(training.starts_with("Training lines32x1 ("), "{training}");
}
