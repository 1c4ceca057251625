//! The `tablut-play` binary.

use assert_cmd::Command;
use tablut_net::{Model, StatedRules, TrainingSummary, Weights};

fn tablut_play(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("tablut-play").unwrap().args(arguments).write_stdin(input).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn plays_a_model_file_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.tablut");
    let weights = Weights::initial(&"b1c16".parse().unwrap(), 3);
    let model =
        Model { weights, rules: vec![StatedRules::named("kvasir").unwrap()], training: TrainingSummary::default() };
    model.save(&file).unwrap();
    let (code, out, err) = tablut_play(
        &[file.to_str().unwrap(), "--simulations", "8", "--seed", "1", "--ascii"],
        "d1-d3\neval\nundo\nquit\n",
    );
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("attackers d1-d3") && out.contains("ply 2, attackers to move"), "{out}");
    assert!(out.contains("after 8 simulations") || out.contains("proven"), "{out}");
    assert!(out.contains("took back 2 moves") && out.is_ascii(), "{out}");
}

#[test]
fn faults_are_messages_and_exit_code_2() {
    for (arguments, part) in [
        (&["no-such-file.tablut"][..], "no-such-file.tablut"),
        (&["--against", "alphabeta"], "depth from 1 to 64"),
        (&["--against", "net:x@5"], "player without a net"),
        (&["--against", "greedy", "--rules", "chess"], "\"chess\""),
        (&["--against", "greedy", "--position", "9/9 a"], "9/9"),
        (&["--against", "greedy", "--first", "defenders"], "the attackers move first"),
        (&["--against", "greedy", "--side", "white"], "white"),
        (&["--against", "greedy", "--seed", "-1"], "-1"),
    ] {
        let (code, _, err) = tablut_play(arguments, "");
        assert_eq!(code, Some(2), "{arguments:?}: {err}");
        assert!(err.contains(part) && !err.contains("panicked"), "{arguments:?}: {err}");
    }
}

#[test]
fn without_arguments_the_built_in_net_plays_or_its_lack_is_named() {
    let (code, out, err) = tablut_play(&["--simulations", "4", "--ascii"], "moves\nhint\nquit\n");
    if tablut_play::shipped_net().is_some() {
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert!(out.contains("80 moves") && out.contains("hint: "), "{out}");
    } else {
        assert_eq!(code, Some(2), "{out}");
        assert!(err.contains(tablut_play::SHIPPED_NET) && err.contains("--against"), "{err}");
    }
}
