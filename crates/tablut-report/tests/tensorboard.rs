//! TensorBoard's own package reads the event files back. Where it is not installed this says that it skips; `PYTHON` names
//! another interpreter than `python3`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tablut_report::{RunFiles, write_tensorboard};

/// Prints what TensorBoard's loader finds: all tags, and the values of one scalar. Python's warnings are errors.
const READ: &str = r#"
import json, sys, warnings
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util
warnings.simplefilter("error")
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "images": 0, "histograms": 0, "tensors": 0})
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

#[test]
fn tensorboard_reads_the_events_back() {
    let Some(python) = python() else {
        eprintln!("skipped: python3 has no package `tensorboard` (python3 -m pip install tensorboard)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let quickstart = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/quickstart/metrics.jsonl");
    fs::copy(quickstart, folder.path().join("metrics.jsonl")).unwrap();
    fs::write(folder.path().join("config.toml"), "shape = \"b4c32\"\n").unwrap();
    let run = RunFiles::read(folder.path()).unwrap();
    let events = folder.path().join("events");
    assert_eq!(write_tensorboard(&run, &events, true).unwrap(), run.lines.len());
    assert_eq!(write_tensorboard(&run, &events, false).unwrap(), 0, "what is there is left alone");

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
    for tag in ["config", "selfplay/attackers_won", "learning/gradient_norm"] {
        assert!(tags.iter().any(|found| found.starts_with(tag)), "no {tag} among {tags:?}");
    }
}
