//! The commands `rules`, `perft` and `replay`: output, messages and exit codes.

use std::fs;

use assert_cmd::Command;
use serde_json::Value;
use tablut_rules::Rules;

fn tablut(arguments: &str) -> Command {
    let mut command = Command::cargo_bin("tablut").expect("the binary is built with its tests");
    command.args(arguments.split_whitespace());
    command
}

/// The standard output of a command that must succeed.
fn printed(arguments: &str) -> String {
    let output = tablut(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

/// The standard error of a command that must fail with exit code 2 and without standard output.
fn refused(arguments: &str) -> String {
    let output = tablut(arguments).assert().code(2).stdout("").get_output().stderr.clone();
    String::from_utf8(output).expect("text")
}

fn replayed(arguments: &str) -> Value {
    serde_json::from_str(&printed(arguments)).expect("one JSON object")
}

#[test]
fn perft_prints_the_count() {
    assert_eq!(printed("perft --rules kvasir --depth 3"), "353200\n");
    assert_eq!(printed("perft --rules ashton --depth 3"), "248456\n");
    assert_eq!(printed("perft --rules kvasir --depth 2 --first defenders"), "4408\n");
    assert_eq!(printed("perft --rules kvasir --depth 0"), "1\n");
    let mut with_position = tablut("perft --rules kvasir --depth 1 --position");
    with_position.arg("9/9/9/9/4K4/9/9/9/t8 d").assert().success().stdout("16\n");
}

#[test]
fn divide_prints_each_first_move_and_the_sum() {
    let text = printed("perft --rules kvasir --depth 2 --divide");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[80]), (81, "d1-d2 55", "4400"));
    let sum: u64 = lines[..80].iter().filter_map(|l| l.split(' ').nth(1)?.parse::<u64>().ok()).sum();
    assert_eq!(sum, 4400);
}

#[test]
fn replay_reports_the_state_after_each_move() {
    let replay = replayed("replay --rules ashton --json e4-b4 i4-e4");
    let expected = serde_json::json!({
        "rules": "ashton",
        "first": "defenders",
        "moves": ["e4-b4", "i4-e4"],
        "outcome": null,
        "trace": [
            {"position": "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/tT6t/4T4/4t4/3ttt3 a", "legal": 76, "captured": [], "routes": 0},
            {"position": "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/tT2t4/9/4t4/3ttt3 d", "legal": 47, "captured": ["e3"], "routes": 0},
        ],
    });
    assert_eq!(replay, expected);
}

#[test]
fn replay_reports_the_end() {
    let round = "a4-b4 e3-d3 b4-a4 d3-e3 ";
    let drawn = replayed(&format!("replay --rules masters --json {}", round.repeat(2)));
    assert_eq!(drawn["outcome"], serde_json::json!({"winner": null, "reason": "repetition"}));
    assert_eq!(drawn["trace"][7]["legal"], 0);
    assert_eq!(drawn["trace"][7]["routes"], 0);
    let lost = replayed(&format!("replay --rules tartu --json {}", round.repeat(2)));
    assert_eq!(lost["outcome"], serde_json::json!({"winner": "attackers", "reason": "repetition"}));
    let aggressor = replayed(&format!("replay --rules kvasir --json {}", round.repeat(2)));
    assert_eq!(aggressor["outcome"], serde_json::json!({"winner": "attackers", "reason": "aggressor"}));
}

#[test]
fn replay_reads_moves_from_standard_input_and_a_position() {
    let mut command = tablut("replay --rules kvasir --json - --position");
    let output = command.arg("9/9/9/9/2K6/9/9/9/t8 d").write_stdin("Kc5-c1\n").assert().success();
    let replay: Value = serde_json::from_slice(&output.get_output().stdout).expect("one JSON object");
    assert_eq!(replay["moves"], serde_json::json!(["c5-c1"]));
    assert_eq!(replay["outcome"], serde_json::json!({"winner": "defenders", "reason": "king-escaped"}));
    let none = replayed("replay --rules imperial --json");
    assert_eq!((&none["moves"], &none["outcome"]), (&serde_json::json!([]), &Value::Null));
}

#[test]
fn replay_names_captures_in_order_and_imperials_choice() {
    let mut command = tablut("replay --json --rules kvasir c1-c3 --position");
    let output = command.arg("9/9/6K2/9/2T6/2t6/Tt1tT4/9/2T6 d").assert().success();
    let replay: Value = serde_json::from_slice(&output.get_output().stdout).expect("one JSON object");
    assert_eq!(replay["trace"][0]["captured"], serde_json::json!(["b3", "c4", "d3"]));
    let mut command = tablut("replay --json --rules imperial c1-c3xc4 --position");
    let output = command.arg("9/9/6K2/9/2T6/2t6/Tt1tT4/9/2T6 d").assert().success();
    let replay: Value = serde_json::from_slice(&output.get_output().stdout).expect("one JSON object");
    assert_eq!(replay["moves"], serde_json::json!(["c1-c3xc4"]));
    assert_eq!(replay["trace"][0]["captured"], serde_json::json!(["c4"]));
}

#[test]
fn illegal_moves_are_refused_with_ply_move_and_reason() {
    let text = refused("replay --rules kvasir --json d1-d3 e3-e2");
    assert!(text.contains("ply 2") && text.contains("e3-e2") && text.contains("a piece stands on e2"), "{text}");
    let text = refused("replay --rules kvasir --json d1-d3 e3-x9");
    assert!(text.contains("ply 2") && text.contains("e3-x9"), "{text}");
    let round = "a4-b4 e3-d3 b4-a4 d3-e3 ";
    let text = refused(&format!("replay --rules masters --json {}a4-b4", round.repeat(2)));
    assert!(text.contains("ply 9") && text.contains("the game is over"), "{text}");
    let text = refused("replay --rules kvasir --json d1-d3xd4");
    assert!(text.contains("ply 1") && text.contains("captures nothing"), "{text}");
}

#[test]
fn faulty_positions_and_rule_sets_are_refused() {
    let output = tablut("perft --depth 1 --position").arg("9/9/9 a").assert().code(2);
    let text = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(text.contains("3 rows, expected 7, 9 or 11"), "{text}");
    assert!(refused("perft --rules kvasr --depth 1").contains("no rule set \"kvasr\""));
    assert!(refused("rules nowhere.toml").contains("nowhere.toml"));
    assert!(refused("perft --rules kvasir --depth x").contains("'x'"));
}

#[test]
fn rules_are_listed_and_explained() {
    assert_eq!(printed("rules").lines().filter(|line| line.contains("first")).count(), Rules::names().count());
    let all: Value = serde_json::from_str(&printed("rules --json")).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(Rules::names().count()));
    let one: Value = serde_json::from_str(&printed("rules kvasir --json")).expect("JSON");
    assert_eq!((one["name"].as_str(), one["king"]["armed"].as_bool()), (Some("kvasir"), Some(true)));
    assert!(printed("rules ashton").contains("Every camp"));
}

#[test]
fn a_rule_file_can_replace_a_name_everywhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("slow-king.toml");
    fs::write(&path, "base = \"kvasir\"\nfirst = \"defenders\"\n[king]\nreach = 1\n").expect("a file");
    let path = path.to_str().expect("a path in Unicode");
    assert_eq!(printed(&format!("perft --rules {path} --depth 1")), "56\n");
    assert_eq!(replayed(&format!("replay --rules {path} --json e3-d3"))["rules"], "slow-king");
    assert!(printed(&format!("rules {path}")).contains("at most 1 square"));
}

/// The standard output and error of `tablut rules` with `rules` as one argument.
fn told_of(rules: &str, more: &[&str]) -> (String, String) {
    let output = tablut("rules").arg(rules).args(more).assert().success().get_output().clone();
    (String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn rules_are_converted_to_opentafls_line_and_back() {
    let (line, notes) = told_of("ludoteka", &["--opentafl"]);
    assert_eq!((told_of(line.trim(), &[]).0, notes.as_str()), (printed("rules ludoteka"), ""));
    let (_, notes) = told_of("kvasir", &["--opentafl"]);
    assert!(notes.contains("cannot express kvasir's repetition.result; moves and captures are the same"), "{notes}");
    assert!(refused("rules imperial --opentafl").contains("cannot express imperial's captures.count"));
}

#[test]
fn a_line_of_opentafls_rules_becomes_a_rule_file() {
    let start = "start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
    let (toml, notes) = told_of(&format!("dim:9 name:Tablut esc:e ks:c cor: cens: cenh: linc:y {start}"), &["--toml"]);
    assert!(notes.contains("defenders who are surrounded lose (surf:y)") || toml.contains("encircl"), "{notes}{toml}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tablut.toml");
    fs::write(&file, toml).expect("written");
    let perft = tablut("perft --depth 2 --rules").arg(file).assert().success().get_output().stdout.clone();
    assert_eq!(perft, b"4400\n");
    let (walls, _) = told_of(&format!("dim:9 sw:s {start}"), &[]);
    assert!(walls.contains("Shield wall"), "{walls}");
    let message = tablut("rules").arg(format!("dim:13 {start}")).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(message).expect("text").contains("13"));
}

#[test]
fn saved_games_and_opentafl_records_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let saved = folder.path().join("saved.json").to_str().unwrap().to_owned();
    let play = "play --against greedy --rules masters --side both";
    tablut(play).write_stdin(format!("d1-d3\ne4-g4\nsave {saved}\nquit\n")).assert().success();
    let game = replayed(&format!("replay --json {saved}"));
    assert_eq!((&game["rules"], &game["moves"]), (&"masters".into(), &serde_json::json!(["d1-d3", "e4-g4"])));

    let rules = printed("rules masters-edge --opentafl");
    let record = file("game.otg", &format!("[variant: masters-edge]\n{}\n\n1. d1-d3 e4-g4\n", rules.trim()));
    let game = replayed(&format!("replay --json {record}"));
    assert_eq!((&game["rules"], &game["moves"][1]), (&"masters-edge".into(), &"e4-g4".into()));

    let list = file("moves.txt", "d1-d3\ne4-g4\n");
    assert_eq!(replayed(&format!("replay --json {list}"))["rules"], "kvasir");
    assert_eq!(replayed(&format!("replay --json --rules tartu {list}"))["rules"], "tartu");

    let path = file("own.json", "{\"rules\": \"own.toml\", \"start\": \"9/9/9/9/4K4/9/9/9/t8 a\", \"moves\": []}");
    assert!(refused(&format!("replay {path}")).contains("own.toml"), "a game's file must not open other files");
    let resigned = folder.path().join("resigned.json").to_str().unwrap().to_owned();
    let record = folder.path().join("resigned.otg").to_str().unwrap().to_owned();
    let text = folder.path().join("resigned.txt").to_str().unwrap().to_owned();
    tablut("play --against greedy --side both")
        .write_stdin(format!("D1 D3\ne4g4\nresign\nsave {resigned}\nsave {record}\nsave {text}\nquit\n"))
        .assert()
        .success();
    for path in [&resigned, &record] {
        let told = refused(&format!("replay {path} --first defenders"));
        assert!(told.contains("contains the start of its game"), "{told}");
    }
    for path in [resigned, record, text] {
        let game = replayed(&format!("replay --json {path}"));
        assert_eq!((&game["rules"], &game["resigned"]), (&"kvasir".into(), &"attackers".into()), "{path}");
        assert!(printed(&format!("replay {path}")).contains("defenders win: the attackers resigned"), "{path}");
    }
    let numbered = file("numbered.txt", "1. d1-d3 e4-g4\n");
    assert_eq!(replayed(&format!("replay --json {numbered}"))["moves"][1], "e4-g4");
    let missing = refused("replay nothere.otg");
    assert!(missing.contains("game nothere.otg: No such file"), "{missing}");
    let wide = file("wide.txt", "");
    fs::write(&wide, b"\xff\xfed\x001\x00").unwrap();
    assert!(refused(&format!("replay {wide}")).contains("the text seems to be UTF-16, expected UTF-8"));

    let broken = file("broken.json", "{");
    assert!(refused(&format!("replay {broken}")).contains("broken.json: not a saved game"));
}
