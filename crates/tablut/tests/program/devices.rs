//! Messages about devices, in programs with and without GPU support.

use super::tiny::{Tiny, refused, stdout, text};

/// A device that no machine has.
const ABSENT: &str = "gpu:60000";

#[test]
fn a_device_that_cannot_be_used_is_named_by_every_command() {
    let tiny = Tiny::new();
    let (model, config, out) = (tiny.model(), tiny.config(), tiny.path("out"));
    let (model, config, out) = (text(&model), text(&config), text(&out));
    let player = format!("policy:{model}");
    let commands: [&[&str]; 6] = [
        &["train", config, "--run", out],
        &["evaluate", model, "--games", "2"],
        &["match", &player, "random", "--games", "2"],
        &["analyze", model],
        &["play", model],
        &["bench", "inference", "--shape", "lines32x1"],
    ];
    for command in commands {
        let message = refused(&[command, &["--device", ABSENT]].concat());
        assert!(message.contains(ABSENT), "{command:?}: {message}");
        if !cfg!(feature = "gpu") {
            assert!(message.contains("`gpu`") && message.contains("--features gpu"), "{command:?}: {message}");
        }
    }
    assert!(!tiny.path("out").join("config.toml").exists(), "a run was started on a device that does not exist");
}

#[test]
fn an_invalid_device_gives_the_valid_forms() {
    let tiny = Tiny::new();
    let message = refused(&["evaluate", text(&tiny.model()), "--device", "cuda"]);
    assert!(message.contains("cuda") && message.contains("gpu:0") && message.contains("auto"), "{message}");
    let message = refused(&["train", text(&tiny.config()), "--set", "machine.device=tpu"]);
    assert!(message.contains("machine.device") && message.contains("`tpu`") && message.contains("gpu:0"), "{message}");
}

#[test]
fn the_cores_are_the_default() {
    let tiny = Tiny::new();
    let (config, first, second) = (tiny.config(), tiny.path("first"), tiny.path("second"));
    stdout(&["train", text(&config), "--run", text(&first)]);
    stdout(&["train", text(&config), "--run", text(&second), "--device", "cpu"]);
    let read = |run: &std::path::Path, file: &str| std::fs::read(run.join(file)).unwrap();
    for file in ["checkpoints/gen-00000.safetensors", "games/gen-00000.games", "config.toml"] {
        assert!(read(&first, file) == read(&second, file), "{file} differs");
    }
    let metrics = String::from_utf8(read(&first, "metrics.jsonl")).unwrap();
    assert!(!metrics.contains("\"device\""), "{metrics}");
    assert!(stdout(&["config", text(&config)]).contains("device = \"cpu\""));
}
