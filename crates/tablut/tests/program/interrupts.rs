//! Training that is stopped by a signal has an exit code other than 0, so that `train && evaluate` does not continue.
#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::Duration;

use super::tiny::{Tiny, text};

/// Starts a long run, and sends `signal` when its first generation is on disk. Returns the exit code and standard
/// error.
fn stopped_by(signal: &str) -> (Option<i32>, String) {
    let tiny = Tiny::new();
    let (config, run) = (tiny.config(), tiny.path("a run"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.args(["train", text(&config), "--run", text(&run), "--set", "schedule.generations=100000"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("CARGO").spawn().unwrap();
    let first = run.join("checkpoints/gen-00000.state.safetensors");
    while !first.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be stopped");
        std::thread::sleep(Duration::from_millis(2));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert!(output.stdout.is_empty(), "no net is announced");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn ctrl_c_ends_training_with_130_and_prints_how_to_continue() {
    let (code, message) = stopped_by("-INT");
    assert_eq!(code, Some(130), "{message}");
    // The path contains a space.
    assert!(message.contains("train --resume '") && message.trim_end().ends_with("/a run'"), "{message}");
}

#[test]
fn sigterm_ends_training_with_143() {
    let (code, message) = stopped_by("-TERM");
    assert_eq!(code, Some(143), "{message}");
    assert!(message.contains("Stopped. Finished work is in"), "{message}");
}

#[test]
fn a_closed_terminal_ends_training_after_it_has_saved() {
    let (code, message) = stopped_by("-HUP");
    assert_eq!(code, Some(129), "{message}");
    assert!(message.contains("Stopped. Finished work is in"), "{message}");
}
