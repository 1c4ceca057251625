//! Help for users: defaults, hints, the version, completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::tiny::{Tiny, refused, stdout, tablut, text};

#[test]
fn analyze_takes_moves_without_a_model_and_uses_the_shipped_net() {
    let json = |arguments: &[&str]| -> serde_json::Value {
        let limit = ["analyze", "--simulations", "16", "--json"];
        let mut analysis: serde_json::Value = serde_json::from_str(&stdout(&[&limit, arguments].concat())).unwrap();
        analysis["search"]["seconds"] = 0.into();
        analysis
    };
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-rules.tablut");
    let moves = json(&["d1-d3", "e4-g4"]);
    assert_eq!(moves["ply"], 2);
    assert_eq!(moves, json(&[shipped, "d1-d3", "e4-g4"]));
    assert_eq!(json(&[])["ply"], 0);
    let neither = refused(&["analyze", "d1-d33"]);
    assert!(neither.contains("d1-d33") && neither.contains("no such model file"), "{neither}");
}

#[test]
fn the_shipped_net_is_a_player_and_the_default_of_evaluate() {
    let short = ["--games", "2", "--max-plies", "6", "--json"];
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&stdout(&[arguments, &short].concat())).unwrap()
    };
    let measured = json(&["evaluate", "--against", "random", "--simulations", "2"]);
    assert_eq!(measured["matches"][0]["players"][0], "net:shipped@2");
    let played = json(&["match", "net:shipped@2", "random"]);
    assert_eq!(played["matches"][0]["players"], measured["matches"][0]["players"]);
    assert_eq!(played["matches"][0]["total"], measured["matches"][0]["total"]);
}

#[test]
fn the_printed_commands_work_for_own_rules_without_their_file() {
    let tiny = Tiny::new();
    let (config, rules, run) = (tiny.config(), tiny.path("slow rules.toml"), tiny.path("own run"));
    fs::write(&rules, "base = \"kvasir\"\nname = \"slow\"\nmax-plies = 40\n").unwrap();
    let own = format!("rules = [{:?}]", text(&rules));
    fs::write(&config, fs::read_to_string(&config).unwrap().replace("rules = [\"kvasir\"]", &own)).unwrap();
    let mut train = Command::new(env!("CARGO_BIN_EXE_tablut"));
    let trained = train.args(["train", text(&config), "--run", text(&run)]).env_remove("CARGO").output().unwrap();
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    fs::remove_file(&rules).unwrap();
    let printed = String::from_utf8(trained.stdout).unwrap();
    for (title, more) in [("Play it:", ""), ("Measure it:", "--games 2 --against random")] {
        let command = printed.lines().find_map(|line| line.strip_prefix(title)).expect("the command is printed");
        let shell = Command::new("sh").args(["-c", &format!("{command} {more} </dev/null")]).output().unwrap();
        let said = String::from_utf8_lossy(&shell.stdout);
        assert!(shell.status.success() && said.contains("slow"), "{command}: {said}{shell:?}");
    }
}

#[test]
fn a_misspelt_name_gives_a_hint() {
    let tiny = Tiny::new();
    let config = tiny.config();
    for (arguments, hint) in [
        (&["rules", "kvasr"][..], "did you mean kvasir?"),
        (&["analyze", "--rules", "Mastres"], "did you mean masters?"),
        (&["play", "--rules", "tartuu"], "did you mean tartu?"),
        (&["match", "random", "gready"], "did you mean greedy?"),
        (&["match", "random", "alfabeta:2"], "did you mean alphabeta?"),
        (&["train", text(&config), "--set", "learning.bach_size=1"], "did you mean batch_size?"),
        (&["train", text(&config), "--set", "rules=[\"lineus\"]"], "did you mean linnaeus?"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(hint), "{arguments:?}: {message}");
    }
    assert!(!refused(&["rules", "chess"]).contains("did you mean"));
}

#[test]
fn hints_are_commands_that_can_be_typed() {
    let tiny = Tiny::new();
    let (config, run) = (tiny.config(), tiny.path("my run"));
    let hints = |cargo: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablut"));
        command.args(["train", text(&config), "--run", text(&run)]).env_remove("CARGO");
        if cargo {
            command.env("CARGO", "cargo");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let net = format!("'{}/checkpoints/gen-00000.safetensors'", text(&run));
    let installed = hints(false);
    let binary = env!("CARGO_BIN_EXE_tablut");
    assert!(installed.contains(&format!("Play it:     {binary} play {net}")), "{installed}");
    assert!(installed.contains(&format!("Measure it:  {binary} evaluate {net}")), "{installed}");
    let by_cargo = hints(true);
    let release = if cfg!(debug_assertions) { "" } else { " --release" };
    assert!(by_cargo.contains(&format!("cargo run{release} -- play {net}")), "{by_cargo}");
}

#[test]
fn a_run_continues_without_its_config_file() {
    let tiny = Tiny::new();
    let (config, run) = (tiny.config(), tiny.path("run"));
    stdout(&["train", text(&config), "--run", text(&run)]);
    fs::remove_file(&config).unwrap();
    let more = stdout(&["train", "--resume", text(&run), "--set", "schedule.generations=2"]);
    assert!(more.contains("gen-00001.safetensors"), "{more}");
    let none = refused(&["train", "--resume", text(&tiny.path("none"))]);
    assert!(none.contains("none/config.toml") && none.contains("No such file"), "{none}");
    assert!(refused(&["train"]).contains("CONFIG"));
}

#[test]
fn the_version_names_the_commit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let asked = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root).output();
    let version = stdout(&["--version"]);
    let Some(commit) = asked.ok().filter(|output| output.status.success()) else {
        eprintln!("skipped: these sources are in no git repository");
        return;
    };
    let commit = String::from_utf8(commit.stdout).unwrap();
    let expected = format!("tablut {} ({})", env!("CARGO_PKG_VERSION"), &commit[..9]);
    assert_eq!(version.trim_end(), expected);
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let tiny = Tiny::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["generate", "completions", shell]);
        let words = ["evaluate", "puzzles", "save-games"];
        assert!(words.iter().all(|word| script.contains(word)), "{shell}: {script}");
        // The other two shells do not complete the values of options.
        let completes_values = ["bash", "zsh", "fish"].contains(&shell);
        assert!(!completes_values || script.contains("piecepack-open-castle"), "{shell}: {script}");
    }
    let folder = tiny.path("man1");
    let said = stdout(&["generate", "man", "--out", text(&folder)]);
    let pages: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(said.contains(&format!("({} pages)", pages.len())), "{said}");
    for page in ["tablut.1", "tablut-train.1", "tablut-generate-puzzles.1", "tablut-bench-inference.1"] {
        assert!(pages.iter().any(|name| name == page), "{page}: {pages:?}");
        let text = fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH OPTIONS"), "{page}");
    }
}

#[test]
fn only_options_of_the_broker_stand_under_its_heading() {
    for command in ["worker", "train", "match"] {
        let help = stdout(&[command, "--help"]);
        let (_, broker) = help.split_once("\nBroker:\n").expect(command);
        let options: Vec<&str> = broker.lines().map(str::trim).filter(|line| line.starts_with("--")).collect();
        assert!(options.len() == 6 && options.iter().all(|option| option.starts_with("--nats")), "{command}: {help}");
    }
}

#[test]
fn help_goes_to_standard_output_and_usage_errors_to_standard_error() {
    let help = stdout(&["--help"]);
    assert!(help.contains("Train:\n  train ") && help.contains("--quiet"), "{help}");
    let nothing = tablut(&[]);
    assert_eq!((nothing.status.code(), nothing.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("Measure:"));
    assert!(refused(&["trian"]).contains("train"));
}
