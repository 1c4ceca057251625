//! `tablut analyze`: its output, and its errors.

use assert_cmd::Command;

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/quickstart.tablut");

fn analyze(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("tablut").unwrap().arg("analyze").args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn json_and_text_show_the_same_search() {
    let (code, json, _) = analyze(&[NET, "--simulations", "64", "--json", "d1-d3", "e4-g4"]);
    assert_eq!(code, Some(0));
    let analysis: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((analysis["rules"].as_str(), analysis["ply"].as_u64()), (Some("kvasir"), Some(2)));
    let search = &analysis["search"];
    assert_eq!(search["lines"][0]["moves"][0], search["best"]);
    let sum = ["attackers", "draw", "defenders"].map(|key| analysis["net"][key].as_f64().unwrap()).iter().sum::<f64>();
    assert!((sum - 1.0).abs() < 1e-4, "{json}");
    let (_, text, _) = analyze(&[NET, "--simulations", "64", "d1-d3", "e4-g4"]);
    assert!(text.contains(&format!("{:+.3}", search["value"].as_f64().unwrap())), "{text}\n{json}");
    assert!(text.contains(search["best"].as_str().unwrap()), "{text}\n{json}");
    assert!(text.contains("[○]"), "the last move is marked: {text}");
}

#[test]
fn time_ends_the_search_and_an_unknown_rule_set_gives_a_note() {
    let (code, text, notes) = analyze(&[NET, "--rules", "tartu", "--time", "20ms", "--lines", "2"]);
    assert_eq!(code, Some(0), "{notes}");
    assert!(text.contains("tartu, after 0 plies"), "{text}");
    assert!(notes.contains("trained on kvasir, not on tartu"), "{notes}");
}

#[test]
fn errors_name_the_mistake() {
    let cases: [(&[&str], &str); 8] = [
        (&[NET, "--time", "3"], "500ms"),
        (&[NET, "--simulations", "0"], "1..="),
        (&[NET, "--position", "9/9 a"], "2 rows, expected 7, 9 or 11"),
        (&[NET, "d1-d3", "d1-d3"], "ply 2: d1-d3 is illegal"),
        (&[NET, "z1-z2"], "ply 1"),
        (&[NET, "--rules", "nope"], "no rule set \"nope\""),
        (&["no-such.tablut"], "no-such.tablut"),
        (&[NET, "--lines", "0"], "--lines"),
    ];
    for (arguments, part) in cases {
        let (code, _, message) = analyze(arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[test]
fn moves_are_read_as_replay_reads_them() {
    // The position, without the time of the search.
    let position = |json: &str| json.split("\"search\"").next().unwrap_or_default().to_owned();
    let (_, expected, _) = analyze(&[NET, "--simulations", "16", "--json", "d1-d3", "e4-g4"]);
    for moves in [&["d1d3", "E4-G4"][..], &["1.", "d1–d3!", "e4", "g4"], &["1. d1-d3 (d1-d2) e4→g4"]] {
        let (code, json, error) = analyze(&[&[NET, "--simulations", "16", "--json"], moves].concat());
        assert_eq!((code, position(&json)), (Some(0), position(&expected)), "{moves:?}: {error}");
    }
    let (code, json, error) = analyze(&["--simulations", "4", "--json", "1.", "D1D3"]);
    assert!(code == Some(0) && json.contains("\"ply\":1"), "{json}{error}");
}

#[test]
fn a_net_whose_outputs_overflow_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut weights = tablut_net::Weights::initial(&"lines32x1".parse().unwrap(), 1);
    let huge: std::collections::BTreeMap<_, _> =
        weights.iter().map(|(name, tensor)| (name.to_owned(), tensor.mapv(|_| 3e38))).collect();
    weights = tablut_net::Weights::new(weights.architecture(), huge).unwrap();
    let training = tablut_net::TrainingSummary { play_simulations: 4, ..Default::default() };
    let path = folder.path().join("huge.tablut");
    tablut_net::Model { weights, rules: Vec::new(), training, card: None }.save(&path).unwrap();
    let (code, printed, error) = analyze(&[path.to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("the net's outputs are too large for numbers"), "{printed}{error}");
}
