//! Runs with self-play in bf16 give the same bits with any number of threads and after a stop. A machine without bf16
//! reports a clear error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tablut_net::{Model, Precision};

const CONFIG: &str = r#"
rules = ["kvasir", "imperial"]
shape = "b2c32"
seed = 12

[schedule]
generations = 2
games = 8
simulations = [[0, 4]]

[selfplay]
max_plies = 30

[learning]
batch_size = 32

[evaluation]
games = 0
rating_share = 0
"#;

/// A folder with the config and the runs.
struct Runs(tempfile::TempDir);

impl Runs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tiny.toml"), CONFIG).unwrap();
        Self(folder)
    }

    fn path(&self, run: &str) -> PathBuf {
        self.0.path().join(run)
    }

    fn train(&self, run: &str, overrides: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        command.arg("train").arg(self.path("tiny.toml")).arg("--run").arg(self.path(run)).env_remove("TABLUT_SIMD");
        for set in overrides {
            command.args(["--set", set]);
        }
        command
    }

    fn finish(&self, run: &str, overrides: &[&str]) {
        let output = self.train(run, overrides).output().unwrap();
        assert!(output.status.success(), "{}", words(&output));
    }

    /// All models, states and files of games of a run, by name.
    fn results(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        let files = ["games", "checkpoints"].map(|part| fs::read_dir(self.path(run).join(part)).unwrap().flatten());
        let read = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
        files.into_iter().flatten().map(read).collect()
    }

    /// The precision of self-play that the run's last model states.
    fn stated(&self, run: &str) -> Precision {
        let path = self.path(run).join("checkpoints/gen-00001.safetensors");
        Model::load(&path).unwrap().training.selfplay_precision
    }
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The kinds of bf16 that this machine supports.
fn kinds() -> Vec<Precision> {
    let (here, missing): (Vec<_>, Vec<_>) =
        [Precision::Bf16Avx512, Precision::Bf16Amx].into_iter().partition(|kind| kind.chosen().is_ok());
    for kind in missing {
        eprintln!("skipped for {kind}: this machine does not support it");
    }
    here
}

#[test]
fn runs_in_bf16_give_the_same_bits_with_any_threads_and_after_a_stop() {
    let runs = Runs::new();
    runs.finish("f32", &[]);
    assert_eq!(runs.stated("f32"), Precision::F32);
    let exact = runs.results("f32");
    for kind in kinds() {
        let (set, whole) = (format!("precision={kind}"), kind.to_string());
        runs.finish(&whole, &[&set, "machine.workers=1"]);
        assert_eq!(runs.stated(&whole), kind);
        let expected = runs.results(&whole);
        assert!(exact.keys().eq(expected.keys()));
        assert!(exact["gen-00000.games"] != expected["gen-00000.games"], "{kind} played the games of f32");

        let other = format!("{kind} on three threads");
        runs.finish(&other, &[&set, "machine.workers=3", "machine.games_per_worker=3"]);
        assert!(runs.results(&other) == expected, "{kind}: results depend on threads or batches");
        // This is the state after a crash during the self-play of the last generation.
        let checkpoints = runs.path(&other).join("checkpoints");
        fs::remove_file(checkpoints.join("gen-00001.state.safetensors")).unwrap();
        fs::remove_file(runs.path(&other).join("games/gen-00001.games")).unwrap();
        runs.finish(&other, &[&set]);
        assert!(runs.results(&other) == expected, "{kind}: the last generation differs");
    }
}

#[test]
fn a_run_keeps_the_precision_that_this_machine_chose() {
    let runs = Runs::new();
    let chosen = Precision::Fastest.chosen().unwrap();
    let set = ["schedule.generations=1", "precision=fastest"];
    runs.finish("run", &set);
    let config = fs::read_to_string(runs.path("run").join("config.toml")).unwrap();
    assert!(config.contains(&format!("precision = \"{chosen}\"")), "{config}");
    // The same command continues the run, and so does the resolved config.
    runs.finish("run", &set);
    let resumed = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(["train", "--set", "schedule.generations=2", "--resume"])
        .arg(runs.path("run"))
        .output()
        .unwrap();
    assert!(resumed.status.success(), "{}", words(&resumed));
    assert_eq!(runs.stated("run"), chosen);

    let info = |json: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        command.args(["model", "info"]).arg(runs.path("run").join("checkpoints/gen-00001.safetensors"));
        let output = if json { command.arg("--json") } else { &mut command }.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    if chosen == Precision::F32 {
        eprintln!("skipped for the rest: this machine is not faster in bf16");
        return;
    }
    assert!(info(false).contains(&format!("evaluations in {chosen}")), "{}", info(false));
    assert!(info(true).contains(&format!("\"selfplay_precision\": \"{chosen}\"")), "{}", info(true));

    let changed = runs.train("run", &["schedule.generations=2"]).output().unwrap();
    assert_eq!(changed.status.code(), Some(2), "{}", words(&changed));
    assert!(words(&changed).contains("precision: was"), "{}", words(&changed));
}

/// `TABLUT_SIMD` limits the instruction sets to those of a machine without AVX-512.
#[test]
fn a_machine_without_bf16_neither_starts_nor_continues_the_run() {
    let runs = Runs::new();
    let lacking = if tablut_net::Simd::Avx2.is_available() { "avx2" } else { "plain" };
    let refused = |run: &Path, output: Output, precision: &str| {
        let said = words(&output);
        assert!(!output.status.success(), "{said}");
        assert!(said.contains(&format!("precision = \"{precision}\" is not available on this machine")), "{said}");
        assert!(said.contains("use f32") && said.contains(&*run.to_string_lossy()), "{said}");
    };
    for precision in ["bf16-avx512", "bf16-amx"] {
        let set = format!("precision={precision}");
        let output = runs.train("new", &[&set]).env("TABLUT_SIMD", lacking).output().unwrap();
        refused(&runs.path("new"), output, precision);
        assert!(!runs.path("new").exists(), "a run that cannot start leaves a folder");
    }
    for kind in kinds() {
        let (set, run) = (format!("precision={kind}"), kind.to_string());
        runs.finish(&run, &[&set, "schedule.generations=1"]);
        let before = runs.results(&run);
        let go_on = [&*set, "schedule.generations=2"];
        let output = runs.train(&run, &go_on).env("TABLUT_SIMD", lacking).output().unwrap();
        refused(&runs.path(&run), output, &run);
        assert!(runs.results(&run) == before, "a rejected run has changed");
        runs.finish(&run, &go_on);
    }
}

/// With AMX, learning rounds to bf16 only if the shape's channels fill the matrix registers.
#[test]
fn learning_rounds_with_amx_if_the_channels_fill_the_registers() {
    if Precision::Bf16Amx.chosen().is_err() {
        eprintln!("skipped: this machine has no AMX");
        return;
    }
    let runs = Runs::new();
    for shape in ["b2c32", "b2c16"] {
        // Both runs learn from the same games of the untrained net, so their weights differ only if learning rounds.
        let (exact, rounded) = (format!("{shape} f32"), format!("{shape} amx"));
        let shape_set = format!("shape={shape}");
        runs.finish(&rounded, &[&shape_set, "schedule.generations=1", "precision=bf16-amx"]);
        runs.finish(&exact, &[&shape_set, "schedule.generations=1"]);
        let games = "games/gen-00000.games";
        fs::copy(runs.path(&rounded).join(games), runs.path(&exact).join(games)).unwrap();
        fs::remove_file(runs.path(&exact).join("checkpoints/gen-00000.state.safetensors")).unwrap();
        runs.finish(&exact, &[&shape_set, "schedule.generations=1"]);
        let weights = |run: &str| {
            let path = runs.path(run).join("checkpoints/gen-00000.safetensors");
            Model::load(&path).unwrap().weights.hash()
        };
        assert_eq!(weights(&exact) != weights(&rounded), shape == "b2c32", "{shape}");
    }
}

#[test]
fn an_invalid_precision_gives_the_valid_ones() {
    let runs = Runs::new();
    let output = runs.train("run", &["precision=f16"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
    for name in Precision::ALL {
        assert!(words(&output).contains(&name.to_string()), "{}", words(&output));
    }
    assert!(!runs.path("run").exists());
}
