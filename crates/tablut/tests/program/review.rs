//! `tablut analyze --game`: reviews a game, and writes it as text and as JSON.

use assert_cmd::Command;

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/quickstart.tablut");

fn review(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("tablut").unwrap().args(["analyze", "--game"]).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// The king can escape at once, but he moves between attackers. They do not capture him, and he escapes later.
const BLUNDER: &str =
    "Tablut, kvasir rules\nPosition: 9/9/9/9/1t1K5/9/9/3t4t/1t7 d\n1. d5-c5 i2-h2 2. c5-d5 h2-g2 3. d5-d9\n";

#[test]
fn a_review_prints_the_mistakes_and_writes_a_game_that_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (game, out) = (folder.path().join("game.txt"), folder.path().join("reviewed.json"));
    std::fs::write(&game, BLUNDER).unwrap();
    let [game, out] = [&game, &out].map(|path| path.to_str().unwrap());
    let (code, text, notes) = review(&[game, NET, "--simulations", "50", "--out", out]);
    assert_eq!(code, Some(0), "{notes}");
    for part in [
        "1. d5-c5 {Allowed a win in 1. Better was d5-d9.} i2-h2 {Allowed a win in 1. Better was d2-d5. The defenders win in 1.}",
        "The defenders win: the king has escaped.",
        "with 50 simulations at each position; mistakes of the attackers: 1, of the defenders: 1.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let saved: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(saved["moves"].as_array().unwrap().len(), 5);
    assert_eq!(saved["positions"].as_array().unwrap().len(), 7, "two variations of one move: {saved}");
    assert!(saved["comment"].as_str().unwrap().starts_with("Reviewed by model file "), "{saved}");
    let (code, again, notes) = review(&[out, NET, "--simulations", "50"]);
    assert_eq!(code, Some(0), "{notes}");
    assert!(again.contains("1. d5-c5"), "{again}");
}

#[test]
fn errors_name_the_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("game.txt");
    std::fs::write(&game, "d1-d3 d1-d3").unwrap();
    let game = game.to_str().unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["no-such.json"], "no-such.json"),
        (&[game], "d1-d3"),
        (&[game, "--simulations", "0"], "1..="),
        (&[game, "--rules", "nope"], "no rule set \"nope\""),
        (&[game, "--out", game], "exists: name another file"),
        (&[game, "--out", "reviewed.otg"], "expected .json or .txt"),
    ];
    for (arguments, part) in cases {
        let (code, _, message) = review(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}
