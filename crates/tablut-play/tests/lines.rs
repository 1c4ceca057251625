//! The plain mode, driven by text.

use std::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tablut_games::shipped_net;
use tablut_play::{Console, HumanSides, LineInput, LineSource, Piped, PlayArgs, play_lines};
use tablut_session::SavedGame;

#[test]
fn the_levels_were_rated_with_the_net_that_is_shipped() {
    let Some(net) = shipped_net() else { return };
    let ratings = include_str!("../../tablut-session/src/level_ratings.jsonl");
    let rated: serde_json::Value = serde_json::from_str(ratings.lines().next().unwrap()).unwrap();
    let hash = tablut_net::Model::from_bytes(net).unwrap().weights.hash();
    assert_eq!(rated["net"], hash, "rate the levels again as experiments/levels says");
}

/// A game against the greedy player.
fn args(rules: &str, position: Option<&str>, side: HumanSides) -> PlayArgs {
    PlayArgs {
        against: Some("greedy".to_owned()),
        rules: Some(rules.to_owned()),
        position: position.map(str::to_owned),
        side: Some(side),
        seed: Some(1),
        ascii: true,
        ..PlayArgs::default()
    }
}

fn console<'a>(input: &[u8], output: &'a mut dyn Write, saved_games: &Path) -> Console<'a> {
    let input = Cursor::new(input.to_owned());
    Console {
        lines: Box::new(|| Ok(Box::new(Piped(input)) as Box<dyn LineSource>)),
        output,
        colour: false,
        is_interactive: false,
        signals: false,
        saved_games: saved_games.to_owned(),
        program: "tablut play".to_owned(),
    }
}

/// The output for an input.
fn shown(args: &PlayArgs, input: &[u8]) -> String {
    let mut output = Vec::new();
    play_lines(args, console(input, &mut output, Path::new("nowhere"))).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn a_game_is_played_to_its_end_and_taken_back() {
    let args = args("kvasir", Some("9/9/9/9/4t4/2Tt2K2/9/9/2ttttttt d"), HumanSides::Both);
    let text = shown(&args, b"g4-e4\ne5-e6\ne4-d4\nc1-c2\nd4-i4\nc2-c3\nundo\nquit\nmoves\n");
    assert!(text.contains("defenders g4-e4, captures the attacker on d4\nRaichi!"), "{text}");
    assert!(text.contains("defenders e4-d4\nTuichi!"), "{text}");
    assert!(text.contains("The defenders win: the king has escaped."), "{text}");
    assert!(text.contains("the game is over: the defenders win: the king has escaped"), "{text}");
    assert!(text.contains("took back 1 move\n"), "{text}");
    assert!(!text.contains(" moves\n"), "nothing is read after quit: {text}");
    assert!(!text.contains('\x1b'), "no colours unless asked for: {text}");
}

#[test]
fn a_choice_of_captures_is_typed_and_listed() {
    let position = "9/9/4K4/9/4t4/1t1T1T3/9/9/9 a";
    // d4 lies between c4 and e4 and f4 between e4 and g4 once the attacker stands on e4.
    let position = position.replace("1t1T1T3", "2tT1Tt2");
    let args = args("imperial", Some(&position), HumanSides::Both);
    let text = shown(&args, b"moves e5\ne5-e4\ne5-e4xd4\n");
    assert!(text.contains("e5-e4xd4") && text.contains("e5-e4xf4"), "{text}");
    assert!(text.contains("attackers e5-e4xd4, captures the defender on d4"), "{text}");
}

#[test]
fn bad_input_is_answered_and_the_game_goes_on() {
    let args = args("kvasir", None, HumanSides::Both);
    let text = shown(&args, b"\n\xff\xfe\ncastle\nd1-e2\nmoves e5\nsave\nd1-d3\n");
    for part in [
        "neither a move",
        "\"castle\"",
        "\"d1-e2\" is no move",
        "does not belong to the side to move",
        "expects a file name",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("End of input; the game was left after ply 1."), "{text}");
}

#[test]
fn input_without_a_line_s_end_and_very_long_lines_are_taken() {
    let args = args("kvasir", None, HumanSides::Both);
    let mut input = vec![b'x'; 100_000];
    input.extend(b"\nd1-d3");
    let text = shown(&args, &input);
    assert!(text.contains("left after ply 1"), "{}", &text[text.len() - 200..]);
}

#[test]
fn every_command_answers() {
    let start = "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 d";
    let args = PlayArgs { simulations: None, ..args("ashton", Some(start), HumanSides::Defenders) };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.json");
    let input = format!(
        "help\nrules\nposition\nboard\nhistory\nmoves\ngo\nhistory\nundo\nredo\nlevel\nside both\nsave {}\n",
        file.display()
    );
    let text = shown(&args, input.as_bytes());
    for part in [
        "d1-d3xd4",
        "- The defenders move first.",
        start,
        "no moves yet",
        "56 moves",
        "defenders first:\n  1. ",
        "took back 2 moves",
        "repeated 2 moves",
        "newcomer  Knows little",
        "You play both sides.",
        "saved to",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let saved = SavedGame::from_json(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((saved.rules.name.as_str(), saved.moves.len()), ("ashton", 2));
}

#[test]
fn the_net_gives_advice_where_there_is_one() {
    let text = shown(&args("kvasir", Some("9/9/9/9/2K5t/9/9/9/4t3t d"), HumanSides::Both), b"hint\neval\nthreat\n");
    if shipped_net().is_some() {
        for part in ["hint: c5-", "the defenders win in 1", "visits", "the opponent would play"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    } else {
        assert!(text.contains("this needs a net"), "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_written_does_not_end_the_game() {
    let args = args("kvasir", None, HumanSides::Both);
    let folder = tempfile::tempdir().unwrap();
    let text = shown(&args, format!("save {}\nd1-d3\n", folder.path().display()).as_bytes());
    assert!(text.contains("cannot write") && text.contains("left after ply 1"), "{text}");
}

#[test]
fn the_computer_plays_itself_to_the_end() {
    let args = args("kvasir", None, HumanSides::Neither);
    let text = shown(&args, b"");
    assert!(text.contains(" win: ") || text.contains("a draw"), "{text}");
}

/// Lines from a list. It writes the prompts to the file `told`.
struct Listed {
    lines: Vec<LineInput>,
    prompts: Rc<RefCell<Vec<String>>>,
    told: PathBuf,
}

impl LineSource for Listed {
    fn next(&mut self, prompt: &str) -> io::Result<LineInput> {
        self.prompts.borrow_mut().push(prompt.to_owned());
        if self.lines.is_empty() {
            std::fs::write(&self.told, self.prompts.borrow().join("\n"))?;
            return Ok(LineInput::Interrupted);
        }
        Ok(self.lines.remove(0))
    }
}

#[test]
fn a_person_has_colours_and_prompts_and_ctrl_c_saves_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("prompts");
    let (saved, lines) = (folder.path().join("saved"), vec![LineInput::Line("d1-d3".to_owned())]);
    let listed = told.clone();
    let mut output = Vec::new();
    let console = Console {
        lines: Box::new(move || {
            Ok(Box::new(Listed { lines, prompts: Rc::default(), told: listed }) as Box<dyn LineSource>)
        }),
        colour: true,
        is_interactive: true,
        ..console(b"", &mut output, &saved)
    };
    let both = PlayArgs { ascii: false, ..args("kvasir", None, HumanSides::Both) };
    let error = play_lines(&both, console).unwrap_err();
    assert!(matches!(error, tablut_play::PlayError::Interrupted { exit_code: 130 }), "{error}");
    assert_eq!(std::fs::read_to_string(&told).unwrap(), "attackers> \ndefenders> ");
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("\x1b[1;33m◆"), "{text}");
    // The last line contains the command that continues the game.
    let (_, file) =
        text.trim_end().rsplit_once("continue it with: tablut play --game ").unwrap_or_else(|| panic!("{text}"));
    let game = Some(PathBuf::from(file));
    let text = shown(&PlayArgs { game, against: Some("greedy".to_owned()), ..PlayArgs::default() }, b"history\n");
    assert!(text.contains("You play both sides.") && text.contains("1. d1-d3"), "{text}");
}

#[test]
fn a_game_is_saved_loaded_resigned_and_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, record, picture) = (path("game.json"), path("game.otg"), path("game.svg"));
    let masters = args("masters", None, HumanSides::Both);
    let input = format!(
        "d1-d3\nsave {file}\nsave {file}\nsave {file} --force\nsave {record}\nsave {picture}\nsave {}\n",
        path("game.json/below.json")
    );
    let text = shown(&masters, input.as_bytes());
    assert!(text.contains("already exists") && text.matches("saved to").count() == 4, "{text}");
    assert!(text.contains("there is no folder"), "{text}");
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));

    let kvasir = args("kvasir", None, HumanSides::Both);
    let input = format!(
        "load {file}\nhistory\nresign\ne3-e2\nundo\nnew\nload {}\nload {record}\nposition\n",
        path("nowhere.json")
    );
    let text = shown(&kvasir, input.as_bytes());
    for part in [
        "Tablut, masters rules",
        "1. d1-d3",
        "The defenders have resigned",
        "the game is over",
        "took back the resignation",
        "ply 0, attackers to move",
        "nowhere.json",
    ] {
        let part = part.replace("The defenders have resigned", "The attackers win: the defenders have resigned.");
        assert!(text.contains(&part), "{part}: {text}");
    }
    assert!(text.ends_with("after ply 1.\n"), "the record holds one move: {text}");
}

#[test]
fn a_game_without_players_continues_against_the_computer() {
    let folder = tempfile::tempdir().unwrap();
    let moves = folder.path().join("moves.txt");
    std::fs::write(&moves, "1. d1-d3 e3-f3\n2. e1-d1\n").unwrap();
    let game = PlayArgs { game: Some(moves.clone()), against: Some("greedy".to_owned()), ..PlayArgs::default() };
    let text = shown(&game, b"history\n");
    assert!(text.contains("You play the defenders") && text.contains("2. e1-d1"), "{text}");
    let text = shown(&PlayArgs { side: Some(HumanSides::Attackers), ..game.clone() }, b"");
    assert!(text.contains("left after ply 4"), "the computer answers: {text}");
    std::fs::write(&moves, "d1-d9\n").unwrap();
    let error = play_lines(&game, console(b"", &mut Vec::new(), folder.path())).unwrap_err().to_string();
    assert!(error.contains("moves.txt") && error.contains("d1-d9"), "{error}");
}

#[test]
fn levels_are_named_listed_and_played() {
    if shipped_net().is_none() {
        eprintln!("skipped: no net is built in");
        return;
    }
    let club = PlayArgs { level: tablut_session::Level::named("beginner"), seed: Some(1), ..PlayArgs::default() };
    let text = shown(&club, b"level\nd1-d3\nlevel casual\nlevel\nlevel grandmaster\n");
    assert!(text.contains("the computer at level beginner the defenders"), "{text}");
    assert!(text.contains("* beginner ") && text.contains("* casual "), "{text}");
    assert!(text.contains("left after ply 2") && text.contains("no level \"grandmaster\""), "{text}");
}

#[test]
fn the_same_seed_and_moves_give_the_same_game_whatever_else_is_asked() {
    let random = |seed| PlayArgs { against: Some("random".to_owned()), seed: Some(seed), ..PlayArgs::default() };
    let history = |seed, input: &[u8]| {
        let text = shown(&random(seed), input);
        text[text.rfind("attackers first").unwrap()..].to_owned()
    };
    let plain = history(3, b"d1-d3\nhistory\n");
    assert_eq!(history(3, b"hint\nmoves\nd1-d3\nhistory\n"), plain);
    assert!((4..12).any(|seed| history(seed, b"d1-d3\nhistory\n") != plain), "{plain}");
}

#[test]
fn a_finished_position_says_so() {
    let text = shown(&args("kvasir", Some("2K6/9/9/9/9/9/9/9/4t4 a"), HumanSides::Both), b"eval\n");
    assert!(text.contains("The defenders win: the king has escaped."), "{text}");
}
