//! The commands `evaluate`, `match`, `play` and `bridge`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};
use tempfile::TempDir;

/// Runs the binary with `input` on its standard input.
fn tablut(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tablut"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A program that ends early closes the pipe.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn stdout(output: &Output) -> String {
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    String::from_utf8(output.stdout.clone()).expect("the output is text")
}

fn net() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.tablut");
    let training = TrainingSummary { play_simulations: 8, ..TrainingSummary::default() };
    let weights = Weights::initial(&"lines32x1".parse().unwrap(), 1);
    Model {
        weights,
        rules: vec![StatedRules::of(&tablut_rules::Rules::named("masters").unwrap())],
        training,
        card: None,
    }
    .save(&path)
    .unwrap();
    (folder, path)
}

#[test]
fn evaluate_plays_both_sides_equally_against_every_opponent() {
    let (_folder, model) = net();
    let arguments =
        ["evaluate", model.to_str().unwrap(), "--against", "random", "--against", "greedy", "--games", "6", "--json"];
    let report: Value = serde_json::from_str(&stdout(&tablut(&arguments, ""))).expect("JSON alone is printed");
    assert_eq!((&report["rules"], &report["simulations"]), (&Value::from("masters"), &Value::from(8)));
    let matches = report["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 2);
    for played in matches {
        assert_eq!(played["games"], 6);
        let count = |side: &str| -> u64 {
            let results = &played[side]["results"];
            ["wins", "draws", "losses"].iter().map(|kind| results[kind].as_u64().unwrap()).sum()
        };
        assert_eq!((count("as_attackers"), count("as_defenders"), count("total")), (3, 3, 6));
        let score = &played["total"]["score"];
        let value = |key: &str| score[key].as_f64().unwrap();
        assert!(value("low") <= value("mean") && value("mean") <= value("high") && value("high") > value("low"));
    }
}

#[test]
fn the_same_seed_gives_the_same_games_on_any_number_of_threads() {
    let (folder, model) = net();
    let games = |threads: &str, seed: &str| {
        let file = folder.path().join(format!("games-{threads}-{seed}.jsonl"));
        let player = format!("net:{}@6", model.display());
        let arguments = ["match", &player, "greedy", "--games", "4", "--threads", threads, "--seed", seed];
        stdout(&tablut(&[&arguments[..], &["--save-games", file.to_str().unwrap()]].concat(), ""));
        std::fs::read_to_string(file).unwrap()
    };
    let one = games("1", "5");
    assert_eq!(one.lines().count(), 1 + 4, "a header and the games");
    assert_eq!(games("3", "5"), one);
    assert_ne!(games("1", "6"), one);
}

#[test]
fn saved_games_replay_to_their_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let arguments = ["match", "greedy", "random", "--rules", "imperial", "--games", "4"];
    stdout(&tablut(&[&arguments[..], &["--save-games", file.to_str().unwrap()]].concat(), ""));
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1 + 4);
    for line in text.lines().skip(1) {
        let saved: Value = serde_json::from_str(line).unwrap();
        let moves: Vec<&str> = saved["moves"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
        let first = saved["first"].as_str().unwrap();
        let arguments = [&["replay", "--rules", "imperial", "--first", first, "--json"], &moves[..]].concat();
        let replayed: Value = serde_json::from_str(&stdout(&tablut(&arguments, ""))).unwrap();
        let outcome = &replayed["outcome"];
        assert_eq!((&outcome["winner"], &outcome["reason"]), (&saved["winner"], &saved["reason"]), "{line}");
    }
}

#[test]
fn a_round_robin_is_rated_and_a_sequential_test_stops_early() {
    let arguments = ["match", "random", "greedy", "alphabeta:1", "--games", "300", "--sequential-test=-150,-50"];
    let text = stdout(&tablut(&arguments, ""));
    for part in [
        "random – greedy",
        "greedy – alphabeta:1",
        "sequential test [-150, -50]",
        "not stronger (less than -50 Elo)",
        "attackers' advantage",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let order: Vec<usize> =
        ["\nalphabeta:1 ", "\ngreedy ", "\nrandom "].iter().map(|name| text.rfind(name).unwrap()).collect();
    assert!(order.is_sorted(), "the ladder lists the strongest first:\n{text}");
}

#[test]
fn a_ladder_is_anchored() {
    let arguments = ["match", "random", "greedy", "--games", "20", "--json", "--anchor", "greedy=100"];
    let text = stdout(&tablut(&arguments, ""));
    let report: Value = serde_json::from_str(&text).expect("JSON alone is printed");
    let players = report["players"].as_array().unwrap();
    assert_eq!((&players[0]["name"], &players[0]["elo"]), (&Value::from("greedy"), &Value::from(100.0)));
    assert!(players[1]["high"].as_f64().unwrap() < 100.0 && players[1]["anchor"] == false, "{text}");
    assert!(report["superiority"][0][1].as_f64().unwrap() > 0.9, "{text}");
}

#[test]
fn a_match_plays_from_a_book_of_openings() {
    let folder = tempfile::tempdir().unwrap();
    let [book, games] = ["kvasir.openings", "games.jsonl"].map(|name| folder.path().join(name));
    let [book, games] = [book.to_str().unwrap(), games.to_str().unwrap()];
    let arguments = ["generate", "openings", "--out", book, "--count", "8", "--judge", "alphabeta:1", "--band", "200"];
    assert!(
        stdout(&tablut(&arguments, "")).contains("8 openings of 6 plies under the kvasir rules, within 200 of even")
    );
    let played = ["match", "greedy", "random", "--games", "10", "--openings", book, "--save-games", games];
    assert!(stdout(&tablut(&played, "")).contains("openings from "));
    let moves = |line: &Value| line["moves"].as_array().unwrap()[..6].to_vec();
    let text = std::fs::read_to_string(games).unwrap();
    let lines: Vec<Value> = text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let written = std::fs::read_to_string(book).unwrap();
    for pair in lines.chunks(2) {
        assert_eq!(moves(&pair[0]), moves(&pair[1]));
        let opening: Vec<String> = moves(&pair[0]).iter().map(|mv| mv.as_str().unwrap().to_owned()).collect();
        assert!(written.contains(&opening.join(" ")), "{opening:?} is not in the book");
    }
    for (arguments, part) in [
        (&["match", "greedy", "random", "--games", "18", "--openings", book][..], "8 openings, expected 9"),
        (
            &["match", "greedy", "random", "--rules", "masters", "--openings", book],
            "for the rules kvasir, but the match has masters",
        ),
        (&["match", "greedy", "random", "--openings", games], "line 1: expected the header of a file of openings"),
        (&["match", "greedy", "random", "--openings", book, "--opening-plies", "2"], "cannot be used with"),
        (
            &["generate", "openings", "--force", "--out", book, "--judge", "greedy"],
            "expected alphabeta:DEPTH or net:FILE@SIMULATIONS",
        ),
        (&["generate", "openings", "--force", "--out", book, "--band", "nan"], "--band NaN: expected a number from 0"),
        (
            &[
                "generate",
                "openings",
                "--force",
                "--out",
                book,
                "--plies",
                "1",
                "--count",
                "50",
                "--judge",
                "alphabeta:1",
            ],
            "use a wider band, more plies or steered openings",
        ),
    ] {
        let output = tablut(arguments, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn play_answers_through_a_pipe() {
    let (_folder, model) = net();
    let text = stdout(&tablut(&["play", model.to_str().unwrap(), "--seed", "1"], "d1-d3\neval\nquit\n"));
    assert!(text.contains("attackers d1-d3") && text.contains("ply 2, attackers to move"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours in a pipe: {text}");
}

#[test]
fn the_engine_bridge_answers_a_script() {
    let (_folder, model) = net();
    let text = stdout(&tablut(&["bridge", "engine", "--model", model.to_str().unwrap()], "uci\ngo nodes 8\nquit\n"));
    assert!(text.contains("uciok\n") && text.trim_end().lines().last().unwrap().starts_with("bestmove "), "{text}");
}

#[test]
fn bridges_play_the_shipped_net_by_default() {
    let text = stdout(&tablut(&["bridge", "engine"], "uci\n"));
    assert!(text.starts_with("id name tablut ") && text.contains(" lines32x2\n"), "{text}");
    let rules = "rules dim:9 esc:e ks:c cor: start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
    let text = stdout(&tablut(&["bridge", "opentafl", "--simulations", "8"], &format!("{rules}\nplay attackers\n")));
    assert!(text.starts_with("hello\nsimple-moves on\n"), "{text}");
    assert!(text.trim_end().lines().last().unwrap().starts_with("move "), "{text}");
    // OpenTafl receives the error too.
    let output = tablut(&["bridge", "opentafl", "--model", "none.tablut"], "");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("error -1 model file none.tablut"), "{output:?}");
}

#[test]
fn a_match_plays_by_the_rules_of_its_book() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.openings");
    let book = book.to_str().unwrap();
    let make = ["generate", "openings", "--rules", "masters", "--out", book, "--count", "4", "--judge", "alphabeta:1"];
    stdout(&tablut(&[&make[..], &["--band", "300"]].concat(), ""));
    let output = tablut(&["match", "greedy", "random", "--games", "4", "--openings", book], "");
    assert!(stdout(&output).starts_with("masters rules, openings from "), "{output:?}");
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(notes.contains("playing by the rules masters of ") && notes.contains("book.openings"), "{notes}");
}

#[test]
fn a_match_plays_from_the_programs_even_openings() {
    let folder = tempfile::tempdir().unwrap();
    let [games, rules] = ["games.jsonl", "own.toml"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let played = ["match", "greedy", "random", "--rules", "ashton", "--games", "6", "--openings", "even"];
    let text = stdout(&tablut(&[&played[..], &["--save-games", &games]].concat(), ""));
    assert!(text.starts_with("ashton rules, even openings, seed 1"), "{text}");
    let book = include_str!("../../../tablut-arena/openings/ashton.openings");
    for line in std::fs::read_to_string(&games).unwrap().lines().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        let moves: Vec<&str> = game["moves"].as_array().unwrap()[..6].iter().map(|mv| mv.as_str().unwrap()).collect();
        assert!(book.contains(&moves.join(" ")), "{moves:?} is not in the book");
    }
    let (_folder, model) = net();
    let text = stdout(&tablut(
        &[
            "evaluate",
            model.to_str().unwrap(),
            "--against",
            "random",
            "--games",
            "2",
            "--simulations",
            "1",
            "--openings",
            "even",
        ],
        "",
    ));
    assert!(text.contains("masters rules, even openings"), "{text}");

    std::fs::write(&rules, "base = \"ashton\"\n[repetition]\noccurrences = 3\n").unwrap();
    for (arguments, part) in [
        (
            &["match", "greedy", "random", "--rules", &rules, "--openings", "even"][..],
            "`tablut generate openings` makes a book for it",
        ),
        (
            &["match", "greedy", "random", "--games", "322", "--openings", "even"],
            "openings even: the book has 160 openings, expected 161",
        ),
    ] {
        let output = tablut(arguments, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn users_can_name_players() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let file = file.to_str().unwrap();
    let common = ["--games", "4", "--json", "--anchor", "weak=100", "--save-games", file];
    let arguments = [&["match", "strong=alphabeta:2", "weak=random"], &common[..]].concat();
    let report: Value = serde_json::from_str(&stdout(&tablut(&arguments, ""))).expect("JSON alone is printed");
    assert_eq!(report["matches"][0]["players"], serde_json::json!(["strong", "weak"]));
    let weak = &report["players"].as_array().unwrap()[1];
    assert_eq!((&weak["name"], &weak["elo"], &weak["anchor"]), (&"weak".into(), &100.0.into(), &true.into()));
    // A match can be continued only if both names and players are the same.
    let other = [&["match", "strong=alphabeta:1", "weak=random"], &common[..]].concat();
    let message = String::from_utf8(tablut(&other, "").stderr).unwrap();
    assert!(message.contains("players[0].player: \"alphabeta:2\" in the file"), "{message}");
}

#[test]
fn errors_have_a_message_and_exit_code_2() {
    for (arguments, part) in [
        (&["match", "greedy"][..], "two players or more"),
        (&["match", "greedy", "greedy"], "named twice"),
        (&["match", "a=greedy", "a=random"], "a is named twice"),
        (&["match", "a/b=greedy", "random"], "NAME=PLAYER"),
        (&["match", "greedy", "gready"], "\"gready\""),
        (&["match", "greedy", "alphabeta:0"], "depth from 1 to 64"),
        (&["match", "greedy", "random", "--sprt=20,0"], "elo1 (0) must be above elo0 (20)"),
        (&["match", "greedy", "random", "--games", "500", "--opening-plies", "1"], "different openings"),
        (&["match", "greedy", "random", "--anchor", "alphabeta:4=9"], "alphabeta:4: expected one of the players"),
        (&["match", "greedy", "random", "--anchor", "random"], "expected PLAYER=ELO"),
        (&["match", "greedy", "net:none.tablut@8"], "none.tablut"),
        (&["evaluate", "none.tablut"], "none.tablut"),
        (&["evaluate", "none.tablut", "--games", "0"], "0"),
        (&["play", "none.tablut"], "none.tablut"),
        (&["bridge", "engine", "--model", "none.tablut"], "none.tablut"),
        (&["bridge", "opentafl", "--model", "none.tablut"], "none.tablut"),
        (&["bridge", "opentafl", "--seconds", "0"], "1..=86400"),
        (&["bridge", "challenge", "--model", "none.tablut"], "--side"),
    ] {
        let output = tablut(arguments, "");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part) && !message.contains("panicked"), "{arguments:?}: {message}");
    }
}
