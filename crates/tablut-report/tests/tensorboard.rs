//! TensorBoard's package reads the event files. Without it the test prints that it is skipped. `PYTHON` names the
//! interpreter, by default `python3`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tablut_games::{GenerationMetrics, RunFolder};
use tablut_report::{RunFiles, write_tensorboard};

/// Prints what TensorBoard's loader reads: all tags, and the values of one scalar. Python's warnings are errors.
const READ: &str = r#"
import json, sys, warnings
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util
warnings.simplefilter("error")
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "histograms": 0, "tensors": 0})
events.Reload()
tags = events.Tags()
def scalars(tag):
    if tag in tags["scalars"]:
        return [[event.step, event.value] for event in events.Scalars(tag)]
    return [[event.step, float(tensor_util.make_ndarray(event.tensor_proto))] for event in events.Tensors(tag)]
print(json.dumps({
    "all": sorted(sum([value for value in tags.values() if isinstance(value, list)], [])),
    "policy": scalars("loss/policy"),
}))
"#;

fn python() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", "import tensorboard"]).output().ok()?;
    found.status.success().then_some(python)
}

/// A run's folder with the metrics of `n` generations.
fn run_of(folder: &Path, n: u64) -> RunFiles {
    fs::create_dir_all(folder.join("checkpoints")).unwrap();
    let _ = fs::remove_file(folder.join("metrics.jsonl"));
    for generation in 0..n {
        let mut line = GenerationMetrics { generation, ..GenerationMetrics::default() };
        line.learning.loss.policy = 4.0 - 0.1 * generation as f32;
        RunFolder(folder).append_metrics(&line).unwrap();
    }
    RunFiles::read(folder).unwrap()
}

#[test]
fn a_shorter_run_leaves_no_generation_of_a_longer_one() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events");
    assert_eq!(write_tensorboard(&run_of(folder.path(), 5), &events, false).unwrap(), 5);
    fs::write(events.join(".part-x"), "a killed process left this").unwrap();
    fs::write(events.join("events.out.tfevents.1.other"), "of another program").unwrap();
    assert_eq!(write_tensorboard(&run_of(folder.path(), 3), &events, false).unwrap(), 0);
    let mut names: Vec<_> =
        fs::read_dir(&events).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let of = |generation| format!("events.out.tfevents.{generation:010}.tablut");
    assert_eq!(names, [of(0), of(1), of(2), "events.out.tfevents.1.other".to_owned()]);
}

#[test]
fn a_generation_that_is_learnt_again_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run, events) = (run_of(folder.path(), 3), folder.path().join("events"));
    assert_eq!(write_tensorboard(&run, &events, false).unwrap(), 3);
    let state = fs::File::create(folder.path().join("checkpoints/gen-00002.state.safetensors")).unwrap();
    state.set_modified(std::time::SystemTime::now() + std::time::Duration::from_mins(1)).unwrap();
    assert_eq!(write_tensorboard(&run, &events, false).unwrap(), 1);
}

#[test]
fn tensorboard_reads_the_events_back() {
    let Some(python) = python() else {
        eprintln!("skipped: python3 has no package `tensorboard` (python3 -m pip install tensorboard)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("config.toml"), "shape = \"lines32x2\"\n").unwrap();
    let run = run_of(folder.path(), 5);
    let events = folder.path().join("events");
    assert_eq!(write_tensorboard(&run, &events, true).unwrap(), run.lines.len());
    assert_eq!(write_tensorboard(&run, &events, false).unwrap(), 0, "existing files are written again");

    let output = Command::new(python).args(["-c", READ]).arg(&events).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !complaints.to_lowercase().contains("warning"), "{complaints}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let policy = found["policy"].as_array().unwrap();
    assert_eq!(policy.len(), run.lines.len());
    for (line, read) in run.lines.iter().zip(policy) {
        assert_eq!(read[0].as_u64(), Some(line.generation));
        assert!((read[1].as_f64().unwrap() - line.learning.loss_part(|loss| loss.policy).unwrap()).abs() < 1e-5);
    }
    let tags: Vec<&str> = found["all"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for tag in ["config", "selfplay/unfinished", "learning/gradient_norm"] {
        assert!(tags.iter().any(|found| found.starts_with(tag)), "no {tag} among {tags:?}");
    }
}
