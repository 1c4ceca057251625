//! Files for notebooks load with NumPy and pandas. Without these packages the tests print that they are skipped.
//! `PYTHON` names the interpreter, by default `python3`.

use std::process::Command;

use super::tiny::{Tiny, stdout, text};

/// The example of the guide.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/notebook.py");

/// Checks an archive against the table in `docs/formats.md`.
const SHAPES: &str = r#"
import sys
import numpy as np
data = np.load(sys.argv[1])
n, m = len(data["values"]), len(data["moves"])
expected = {
    "planes": ("uint8", (n, 16, 9, 9)), "features": ("float32", (n, 42)), "moves": ("uint16", (m, 2)),
    "move_ends": ("uint32", (n,)), "policy": ("float32", (m,)), "values": ("float32", (n, 3)), "moves_left": ("float32", (n,)),
}
assert sorted(data.files) == sorted(expected), data.files
for name, (kind, shape) in expected.items():
    assert (str(data[name].dtype), data[name].shape) == (kind, shape), (name, data[name].dtype, data[name].shape)
assert n > 0 and data["move_ends"][-1] == m and set(np.unique(data["planes"])) <= {0, 1}
sums = np.add.reduceat(data["policy"], np.concatenate([[0], data["move_ends"][:-1]]))
assert np.allclose(sums, 1, atol=1e-3) and np.allclose(data["values"].sum(axis=1), 1, atol=1e-3)
"#;

/// A Python interpreter with these packages, if there is one.
fn python(packages: &str) -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&python).args(["-c", &format!("import {packages}")]).output();
    if found.is_ok_and(|found| found.status.success()) {
        return Some(python);
    }
    eprintln!("skipped: {python} cannot import {packages} (python3 -m pip install numpy pandas)");
    None
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn positions_load_in_numpy_with_the_documented_shapes() {
    let Some(python) = python("numpy") else { return };
    let tiny = Tiny::new();
    let archive = tiny.path("positions.npz");
    stdout(&["data", "export", "positions", text(&tiny.games()), "--out", text(&archive)]);
    succeeds(Command::new(python).args(["-c", SHAPES]).arg(archive));
}

#[test]
fn the_example_reads_a_run_with_pandas_and_numpy() {
    let Some(python) = python("numpy, pandas") else { return };
    let tiny = Tiny::new();
    let (run, metrics, plies) = (tiny.path("run"), tiny.path("metrics.csv"), tiny.path("plies.csv"));
    stdout(&["train", text(&tiny.config()), "--run", text(&run)]);
    let archive = tiny.path("positions.npz");
    for (what, file) in [("metrics", &metrics), ("plies", &plies), ("positions", &archive)] {
        stdout(&["data", "export", what, text(&run), "--out", text(file)]);
    }
    let said = succeeds(Command::new(python).arg(EXAMPLE).args([metrics, plies, archive]));
    for part in ["by rule set", "kvasir", "mean result by value", "positions, ", "legal moves"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}
