//! Common mistakes of users. Each gives a clear message and exit code 2, and never a panic.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tablut_net::{Model, StatedRules, TrainingSummary, Weights};

const CONFIG: &str = "rules = [\"kvasir\"]\nshape = \"lines32x1\"\n";

/// Checks that the binary fails with exit code 2 and a message that contains all texts in `expected`.
fn refused(arguments: &[&str], expected: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{arguments:?}: {message}");
    for text in expected {
        assert!(message.contains(text), "{arguments:?} should name `{text}`:\n{message}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

fn model() -> Model {
    model_of("lines32x1")
}

fn model_of(shape: &str) -> Model {
    Model {
        weights: Weights::initial(&shape.parse().unwrap(), 1),
        rules: vec![StatedRules::of(&tablut_rules::Rules::named("kvasir").unwrap())],
        training: TrainingSummary { play_simulations: 4, ..TrainingSummary::default() },
        card: None,
    }
}

#[test]
fn configs() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, contents: &str| {
        let path = folder.path().join(name);
        fs::write(&path, contents).unwrap();
        path
    };
    let misspelt = write("misspelt.toml", &format!("{CONFIG}[learning]\nlearning_rat = 0.1\n"));
    refused(&["train", text(&misspelt)], &["misspelt.toml", "line 4", "learning_rat", "learning_rate"]);
    let range = write("range.toml", &format!("{CONFIG}[learning]\nbatch_size = 0\n"));
    refused(&["train", text(&range)], &["learning.batch_size = 0", "expected 1 to 65536"]);
    let kind = write("type.toml", &format!("{CONFIG}[schedule]\ngames = \"many\"\n"));
    refused(&["train", text(&kind)], &["type.toml", "line 4", "games"]);
    let shape = write("shape.toml", "rules = [\"kvasir\"]\nshape = \"lines33x1\"\n");
    refused(&["train", text(&shape)], &["lines33x1", "32, 64, 96 or 128 channels"]);
    let rules = write("rules.toml", "rules = [\"kvasr\"]\nshape = \"lines32x1\"\n");
    refused(&["train", text(&rules), "--run", text(&folder.path().join("run"))], &["kvasr"]);
    let sound = write("sound.toml", CONFIG);
    refused(&["train", text(&sound), "--set", "learning.rate=1"], &["--set", "learning.rate=1", "unknown field"]);
    let old = write("old.toml", &format!("{CONFIG}precision = \"f32\"\n"));
    refused(&["train", text(&old)], &["old.toml", "line 3", "unknown field `precision`"]);
    refused(&["train", text(&folder.path().join("none.toml"))], &["none.toml", "No such file"]);
    refused(&["config", text(&misspelt)], &["learning_rat"]);
    // Files and names in a config must exist too.
    let model = folder.path().join("net.tablut");
    model_of("lines32x2").save(&model).unwrap();
    let named = |key: &str, value: &Path| format!("{key}={:?}", text(value));
    let none = folder.path().join("none.tablut");
    for command in ["config", "train"] {
        let refused_with = |set: &str, expected: &[&str]| refused(&[command, text(&sound), "--set", set], expected);
        refused_with("rules=[\"nowhere.toml\"]", &["nowhere.toml"]);
        refused_with(&named("start", &none), &["start", "none.tablut", "No such file"]);
        refused_with(&named("start", &model), &["start", "lines32x2", "lines32x1"]);
        refused_with("evaluation.against=[\"net:none.tablut@4\"]", &["evaluation.against", "none.tablut"]);
        refused_with("evaluation.against=[\"gredy\"]", &["evaluation.against", "gredy"]);
    }
}

#[test]
fn a_residual_net() {
    let folder = tempfile::tempdir().unwrap();
    let (config, run) = (folder.path().join("residual.toml"), folder.path().join("run"));
    fs::write(&config, format!("{}{TINY}", CONFIG.replace("lines32x1", "b4c32"))).unwrap();
    let expected = ["residual.toml", "b4c32 is a residual net", "commit 47e35559", "lines32x2"];
    refused(&["train", text(&config), "--run", text(&run)], &expected);
    assert!(!run.exists(), "a run that cannot start leaves a folder");
}

#[test]
fn models() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let bytes = model().to_bytes().unwrap();
    fs::write(path("short"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(path("empty"), b"").unwrap();
    fs::write(path("text"), b"this is no model").unwrap();
    let at = bytes.windows(9).position(|window| window == b"lines32x1").unwrap();
    let mut other = bytes.clone();
    other[at..at + 9].copy_from_slice(b"lines32x2");
    fs::write(path("other"), &other).unwrap();
    for command in ["evaluate", "play"] {
        refused(&[command, text(&path("missing"))], &["missing", "No such file"]);
        refused(&[command, text(&path("short"))], &["short", "not a complete safetensors file"]);
        refused(&[command, text(&path("empty"))], &["empty", "it seems to be an empty file"]);
        refused(&[command, text(&path("text"))], &["text", "it seems to be text"]);
        refused(&[command, text(&path("other"))], &["other", "the metadata's checksum does not match"]);
    }
    refused(&["model", "info", text(&path("short"))], &["short"]);
    fs::create_dir(path("run")).unwrap();
    for command in [&["evaluate"][..], &["model", "info"], &["play"]] {
        refused(&[command, &[text(&path("run"))]].concat(), &["run: expected a model file", "a finished generation"]);
    }
}

/// A run of one generation with two short games.
const TINY: &str = "[schedule]\ngenerations = 1\ngames = 2\nsimulations = [[0, 2]]\n[evaluation]\ngames = 0\n";

fn train(config: &Path, run: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(["train", text(config), "--run", text(run)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
}

#[test]
fn runs() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, format!("{CONFIG}{TINY}")).unwrap();
    refused(&["train", text(&config), "--set", "evaluation.against=[\"net:nofile@4\"]"], &["nofile"]);
    refused(&["train", text(&config), "--set", "search.max_considered=0"], &["search.max_considered"]);
    refused(&["train", text(&config), "--set", "rules=[\"kvasir\", \"kvasir\"]"], &["`kvasir`", "two rule sets"]);
    let output = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(["train", text(&config), "--run", text(&folder.path().join("other"))])
        .env("TABLUT_SIMD", "sse9")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && message.contains("sse9"), "{message}");
}

#[test]
fn an_edited_rule_file_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let rules = "base = \"kvasir\"\nname = \"mine\"\nmax-plies = 100\n";
    fs::write(path("mine.toml"), rules).unwrap();
    fs::write(path("tiny.toml"), format!("rules = [{:?}]\nshape = \"lines32x1\"\n{TINY}", text(&path("mine.toml"))))
        .unwrap();
    train(&path("tiny.toml"), &path("run"));
    let model = Model::load(&path("run/checkpoints/gen-00000.safetensors")).unwrap();
    assert_eq!(model.rules[0].set().max_plies, Some(100), "the model states its rules in full");
    fs::write(path("mine.toml"), rules.replace("100", "90")).unwrap();
    refused(
        &["train", text(&path("tiny.toml")), "--run", text(&path("run"))],
        &["max-plies = 100", "max-plies = 90", "cannot change"],
    );
}

#[test]
fn a_run_with_another_shape_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let (config, run) = (folder.path().join("tiny.toml"), folder.path().join("run"));
    fs::write(&config, format!("{CONFIG}{TINY}")).unwrap();
    train(&config, &run);
    refused(
        &["train", text(&config), "--run", text(&run), "--set", "shape=lines32x2"],
        &["shape: was \"lines32x1\", is \"lines32x2\"", "--run"],
    );
    fs::remove_file(run.join("config.toml")).unwrap();
    refused(&["train", text(&config), "--run", text(&run), "--set", "shape=lines32x2"], &["lines32x1", "lines32x2"]);
}

#[test]
fn players() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net");
    model().save(&path).unwrap();
    refused(&["evaluate", text(&path), "--against", "gredy"], &["gredy"]);
    refused(&["evaluate", text(&path), "--against", "alphabeta:x"], &["alphabeta:x"]);
    refused(&["evaluate", text(&path), "--rules", "chess"], &["chess"]);
    refused(&["evaluate", text(&path), "--games", "0"], &["--games"]);
}

#[test]
fn moves_and_positions() {
    refused(&["replay", "--rules", "kvasir", "--json", "d1-d3", "d1-d2"], &["d1-d2", "ply 2"]);
    refused(&["replay", "--rules", "kvasir", "--json", "d1-e2"], &["d1-e2"]);
    refused(&["replay", "--rules", "kvasir", "--json", "d1-z9"], &["d1-z9"]);
    refused(&["replay", "--rules", "kvasir", "--json", "e5-e6"], &["e5-e6", "ply 1"]);
    let short = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4 a";
    refused(&["perft", "--rules", "kvasir", "--depth", "1", "--position", short], &["8 rows"]);
    refused(&["perft", "--rules", "kvasir", "--depth", "1", "--position", ""], &["position"]);
    refused(&["perft", "--rules", "chess", "--depth", "1"], &["chess"]);
}

#[test]
fn files_without_end_are_refused() {
    let zero = "/dev/zero";
    if !Path::new(zero).exists() {
        return;
    }
    for arguments in [
        &["model", "info", zero][..],
        &["replay", zero],
        &["config", zero],
        &["match", "random", "greedy", "--openings", zero, "--games", "2"],
        &["bench", "puzzles", zero],
        &["data", "info", zero],
    ] {
        refused(arguments, &["zero"]);
    }
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("endless.toml");
    #[cfg(unix)]
    std::os::unix::fs::symlink(zero, &link).unwrap();
    refused(&["replay", "--rules", text(&link), "d1-d3"], &["endless.toml", "more than 65536 bytes"]);
}

#[test]
fn texts_without_a_game() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.txt");
    fs::write(&empty, " \n").unwrap();
    refused(&["replay", text(&empty)], &["empty.txt", "there is no text, expected a game or moves"]);
    refused(&["replay", "-"], &["standard input", "there is no text"]);
    let game = folder.path().join("game.otg");
    fs::write(&game, "[result:-1]\n\n1. d1-d3 ---\n").unwrap();
    refused(&["replay", text(&game)], &["the tag result is -1", "the defenders have resigned"]);
    let json = folder.path().join("game.json");
    fs::write(&json, "{\n  \"format\": 3\n}").unwrap();
    refused(&["replay", text(&json)], &["line 2, column 13: found the number `3`, expected a text"]);
}

#[test]
#[cfg(target_os = "linux")]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"g\xff.otg"));
    fs::write(&path, "1. d1-d3").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tablut")).arg("replay").arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(env!("CARGO_BIN_EXE_tablut")).arg("analyze").arg(&path).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("g\u{fffd}.otg"), "{output:?}");
}

#[test]
fn an_instruction_set_is_refused_as_such() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tablut")).arg("analyze").env("TABLUT_SIMD", "neon9").output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(2) && message.starts_with("error: unknown instruction set `neon9`"),
        "{message}"
    );
}

#[test]
fn a_limit_on_plies_below_the_opening() {
    refused(
        &["match", "random", "greedy", "--max-plies", "1"],
        &["--max-plies 1", "4 random plies of --opening-plies"],
    );
}

#[test]
fn a_report_that_cannot_be_written_still_prints_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("tiny.toml");
    fs::write(&config, format!("{CONFIG}{TINY}")).unwrap();
    train(&config, &folder.path().join("run"));
    let output = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(["report", text(&folder.path().join("run")), "--out", text(&config.join("page.html"))])
        .output()
        .unwrap();
    let (printed, message) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(printed.starts_with("run: ") && !printed.contains("The report is in"), "{printed}");
    assert!(
        output.status.code() == Some(2) && message.contains("choose another file for the page with --out"),
        "{message}"
    );
}
