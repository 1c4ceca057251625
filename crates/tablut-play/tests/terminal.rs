//! The terminal, driven by text.

use std::io::Cursor;
use std::sync::Arc;

use tablut_play::{People, Session, Style, TerminalStyle, Thinker, run_terminal};
use tablut_rules::{Position, Rules, Side};

fn session(rules: &str, position: Option<&str>, people: People) -> Session {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let thinker = Thinker::baseline(&"greedy".parse().unwrap(), &rules, 1).unwrap();
    match position {
        None => Session::new(rules, Side::Attackers, people, thinker),
        Some(text) => Session::from_position(rules, text.parse::<Position>().unwrap(), people, thinker).unwrap(),
    }
}

/// Everything that is shown when `input` is typed.
fn shown(session: &mut Session, input: &[u8]) -> String {
    let mut output = Vec::new();
    run_terminal(session, &mut Cursor::new(input), &mut output, TerminalStyle::default()).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_game_is_played_to_its_end_and_taken_back() {
    let mut session = session("kvasir", Some("9/9/9/9/4t4/2Tt2K2/9/9/2ttttttt d"), People::Both);
    let text = shown(&mut session, b"g4-e4\ne5-e6\ne4-d4\nc1-c2\nd4-i4\nc2-c3\nundo\nquit\nmoves\n");
    assert!(text.contains("defenders g4-e4, captures the attacker on d4\nRaichi!"), "{text}");
    assert!(text.contains("defenders e4-d4\nTuichi!"), "{text}");
    assert!(text.contains("The defenders win: king-escaped."), "{text}");
    assert!(text.contains("the game is over: the defenders win (king-escaped)"), "{text}");
    assert!(text.contains("took back 1 move\n"), "{text}");
    assert!(!text.contains(" moves\n"), "nothing is read after quit: {text}");
    assert!(!text.contains('\x1b'), "no colours unless asked for: {text}");
}

#[test]
fn a_choice_of_captures_is_typed_and_listed() {
    let position = "9/9/4K4/9/4t4/1t1T1T3/9/9/9 a";
    // d4 lies between c4 and e4 and f4 between e4 and g4 once the attacker stands on e4.
    let position = position.replace("1t1T1T3", "2tT1Tt2");
    let mut session = session("imperial", Some(&position), People::Both);
    let text = shown(&mut session, b"moves e5\ne5-e4\ne5-e4xd4\n");
    assert!(text.contains("e5-e4xd4") && text.contains("e5-e4xf4"), "{text}");
    assert!(text.contains("attackers e5-e4xd4, captures the defender on d4"), "{text}");
}

#[test]
fn bad_input_is_answered_and_the_game_goes_on() {
    let mut session = session("kvasir", None, People::Both);
    let text = shown(&mut session, b"\n\xff\xfe\ncastle\nd1-e2\nmoves e5\nsave\nd1-d3\n");
    for part in
        ["neither a move", "\"castle\"", "\"d1-e2\" is no move", "not of the side to move", "expects a file name"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("End of input; the game was left after ply 1."), "{text}");
}

#[test]
fn input_without_a_line_s_end_and_very_long_lines_are_taken() {
    let mut session = session("kvasir", None, People::Both);
    let mut input = vec![b'x'; 100_000];
    input.extend(b"\nd1-d3");
    let text = shown(&mut session, &input);
    assert!(text.contains("left after ply 1"), "{}", &text[text.len() - 200..]);
}

#[test]
fn every_command_answers() {
    let mut session = session("ashton", Some("3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 d"), People::Defenders);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let input =
        format!("help\nrules\nposition\nboard\nhistory\nhint\neval\nmoves\ngo\nhistory\nsave {}\n", file.display());
    let text = shown(&mut session, input.as_bytes());
    for part in [
        "d1-d3xd4",
        "- The defenders move first.",
        "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 d",
        "no moves yet",
        "hint: ",
        "by the hand-written engine",
        "56 moves",
        "defenders first:\n  1. ",
        "saved to",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let saved: tablut_play::SavedGame = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((saved.rules.as_str(), saved.moves.len()), ("ashton", 2));
}

#[test]
fn a_file_that_cannot_be_written_does_not_end_the_game() {
    let mut session = session("kvasir", None, People::Both);
    let folder = tempfile::tempdir().unwrap();
    let text = shown(&mut session, format!("save {}\nd1-d3\n", folder.path().display()).as_bytes());
    assert!(text.contains("cannot write") && text.contains("left after ply 1"), "{text}");
}

#[test]
fn the_computer_plays_itself_to_the_end() {
    let mut session = session("kvasir", None, People::Neither);
    let text = shown(&mut session, b"");
    assert!(text.contains(" win: ") || text.contains("a draw"), "{text}");
}

#[test]
fn colours_and_prompts_are_there_when_asked_for() {
    let mut session = session("kvasir", None, People::Both);
    let mut output = Vec::new();
    let style = TerminalStyle { text: Style { colour: true, unicode: true }, prompt: true };
    run_terminal(&mut session, &mut Cursor::new(b"d1-d3\n"), &mut output, style).unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("\x1b[1;33m◆") && text.contains("attackers> ") && text.contains("defenders> "), "{text}");
}
