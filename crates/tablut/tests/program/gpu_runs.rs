//! Runs that learn on the first GPU of this machine, are killed and continue. Any Vulkan driver works, also one that runs on
//! the cores. Without one the tests print that they are skipped.
#![cfg(feature = "gpu")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use super::tiny::{Tiny, stdout, text};
use tablut_learn::{ComputeDevice, DeviceError};
use tablut_net::DeviceChoice;

const CONFIG: &str = r#"
rules = ["kvasir"]
shape = "lines32x1"

[schedule]
generations = 3
games = 4
simulations = [[0, 4]]

[selfplay]
max_plies = 30

[learning]
batch_size = 16
draws_per_position = 1.0

[evaluation]
games = 0
rating_share = 0.25

[machine]
workers = 2
games_per_worker = 4
"#;

/// Whether this machine has a device. Prints a note if it has none.
fn has_device() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| match ComputeDevice::open(DeviceChoice::Gpu(0)) {
        Ok(_) => true,
        Err(error @ DeviceError::Missing { .. }) => {
            eprintln!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    });
    *FOUND
}

fn config(tiny: &Tiny) -> PathBuf {
    let path = tiny.path("gpu.toml");
    fs::write(&path, CONFIG).unwrap();
    path
}

fn command(config: &Path, run: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
    command.arg("train").arg(config).arg("--run").arg(run).args(["--device", "gpu:0"]).stdin(Stdio::null());
    command
}

/// The device of each generation in the run's metrics.
fn devices(run: &Path) -> Vec<Option<String>> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let device = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line.get("device").and_then(|device| device.as_str()).map(str::to_owned)
    };
    text.lines().map(device).collect()
}

fn state(run: &Path, generation: u64) -> PathBuf {
    run.join(format!("checkpoints/gen-{generation:05}.state.safetensors"))
}

#[test]
fn a_killed_run_continues_on_the_device_and_then_on_the_cores() {
    if !has_device() {
        return;
    }
    let tiny = Tiny::new();
    let (config, run) = (config(&tiny), tiny.path("run"));
    let mut child = command(&config, &run).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !state(&run, 0).exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it could be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = command(&config, &run).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(message.contains("Continuing after generation") && message.contains("gpu:0 ("), "{message}");
    let on_device = |device: &Option<String>| device.as_ref().is_some_and(|name| name.starts_with("gpu:0 ("));
    assert!(devices(&run).len() == 3 && devices(&run).iter().all(on_device), "{:?}", devices(&run));
    stdout(&["train", "--resume", text(&run), "--device", "cpu", "--set", "schedule.generations=4"]);
    assert!(devices(&run).len() == 4 && devices(&run)[3].is_none(), "{:?}", devices(&run));
    stdout(&["data", "check", text(&run)]);
}

#[test]
fn commands_run_nets_on_the_device() {
    if !has_device() {
        return;
    }
    let tiny = Tiny::new();
    let model = tiny.model();
    let model = text(&model);
    let analysis = |device: &str| {
        let text = stdout(&["analyze", model, "--simulations", "16", "--json", "--device", device]);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let [gpu, cpu] = ["gpu:0", "cpu"].map(analysis);
    assert!(
        gpu.is_object() && gpu["value"].as_f64().zip(cpu["value"].as_f64()).is_none_or(|(a, b)| (a - b).abs() < 0.05)
    );
    let player = format!("net:{model}@8");
    stdout(&["match", &player, "random", "--games", "2", "--device", "gpu:0"]);
    let bench = ["bench", "inference", "--model", model, "--batch", "8", "--secs", "0", "--device", "gpu:0"];
    assert!(stdout(&bench).contains("gpu:0 ("));
}
