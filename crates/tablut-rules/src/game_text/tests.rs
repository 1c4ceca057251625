//! Games as text, read and written.

use super::*;
use crate::moves::MoveList;

/// A game of moves with and without captures, played to its end.
fn some_game(name: &str, stride: usize) -> Game {
    let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
    let mut game = Game::new(rules, Side::Attackers).with_max_plies(80);
    let mut moves = MoveList::new();
    while game.outcome().is_none() {
        game.legal_moves(&mut moves);
        game.play_trusted(moves[game.ply() as usize * stride % moves.len()]);
    }
    game
}

/// The record of a whole game.
fn record_of(game: &Game) -> Result<GameText, GameTextError> {
    let mut record = GameText::record(game.rules(), game.start())?;
    let mut position = *game.start();
    for (index, mv) in game.moves().enumerate() {
        let text = MoveText::of(game.rules(), &position, mv);
        record.moves.push(WrittenMove { parent: index.checked_sub(1), text, comment: String::new() });
        position = game.rules().apply(&position, mv).position;
    }
    record.end(game.outcome().map(|outcome| (outcome.winner, outcome.to_string())));
    Ok(record)
}

#[test]
fn expressible_games_round_trip() {
    for name in ["masters-edge", "masters-weak-king", "ludoteka", "piecepack", "linnaeus", "kvasir"] {
        for stride in 1..40 {
            let game = some_game(name, stride);
            let record = record_of(&game).expect("an expressible rule set");
            let read: GameText = record.to_string().parse().unwrap_or_else(|e| panic!("{record}: {e}"));
            assert_eq!(read, record);
            assert_eq!(read.rule_set().map(|set| set.as_ref() == Some(game.rules().set())), Ok(true), "{record}");
            let played = read.replay(Arc::clone(game.rules())).unwrap_or_else(|e| panic!("{record}: {e}"));
            assert_eq!(played.position(), game.position(), "{name}, stride {stride}");
        }
    }
}

#[test]
fn inexpressible_rules_are_named() {
    let own = Rules::new(RuleSet { name: "own".to_owned(), ..RuleSet::named("kvasir").expect("kvasir") });
    let start = Position::start(Side::Attackers);
    let error = GameText::record(&own.expect("rules"), &start).expect_err("not expressible");
    assert!(error.to_string().contains("repetition.result"), "{error}");
    for (name, key) in [("imperial", "captures.count"), ("ashton", "camps.entry")] {
        let error = record_of(&some_game(name, 7)).expect_err("not expressible");
        assert!(error.to_string().contains(key), "{name}: {error}");
    }
}

const RULES: &str = "[rules:dim:9 esc:e ka:n cen: cor: start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/]";

fn read(text: &str) -> GameText {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_record_of_opentafl_is_read_whole() {
    let text = format!(
        "[event: test]\n[attackers: A, B]\n[result:-1]\n{RULES}\n[start-comment:Two\nlines, 1. and d1-d3]\n\n\
         1. a4-b4 e3-d3 \n[On the first.\n\n2. d1-d3 is no move here|and the second]\n\n1b.1.1a. ..... e3-f3\n[other]\n\n\
         1b.1.2a. d1-d2 e4-d4\n[|deep]\n\n1b.1.2b.1.1a. ..... e4-f4\n\n2. b4-a4 ..... ---\n"
    );
    let game = read(&text);
    assert_eq!((game.tag("result"), game.tag("start-comment")), (Some("-1"), Some("Two\nlines, 1. and d1-d3")));
    let parents: Vec<_> = game.moves.iter().map(|mv| (mv.text.to_string(), mv.parent)).collect();
    let expected = [
        ("a4-b4", None),
        ("e3-d3", Some(0)),
        ("e3-f3", Some(0)),
        ("d1-d2", Some(2)),
        ("e4-d4", Some(3)),
        ("e4-f4", Some(3)),
        ("b4-a4", Some(1)),
    ];
    assert_eq!(parents, expected.map(|(mv, parent)| (mv.to_owned(), parent)));
    assert_eq!(game.moves[0].comment, "On the first.\n\n2. d1-d3 is no move here");
    assert_eq!((game.moves[1].comment.as_str(), game.moves[4].comment.as_str()), ("and the second", "deep"));
    assert!(game.resigned && game.main_line() == [0, 1, 6]);
    // For a variation of a variation, OpenTafl's program names the move before the replaced one.
    let of_program = text.replace("1b.1.2b.1.1a.", "1b.1.2a.1.1a.");
    assert_eq!(read(&of_program), game);
    assert!(game.to_string().contains("\n1b.1.2a.1.1a. ..... e4-f4\n"), "{game}");
    // Writing and reading the game changes nothing.
    assert!(game.to_string().contains("[start-comment:Two\nlines, 1.\u{a0}and d1-d3]"), "{game}");
    let again = read(&game.to_string());
    assert_eq!(again.to_string(), game.to_string());
    let found = |game: &GameText| {
        let mut moves: Vec<_> = game.moves.iter().map(|mv| (mv.text.to_string(), mv.comment.clone())).collect();
        moves.sort();
        moves
    };
    assert_eq!(found(&again), found(&game));
    let rules = Arc::new(Rules::named("masters-edge").expect("a built-in rule set"));
    assert_eq!(again.replay(rules).map(|game| game.ply()), Ok(3));
}

#[test]
fn the_tag_of_a_position_begins_the_game() {
    let game = read(&format!("{RULES}\n[position:/3ttt3/9/9/9/4K4/9/9/9/9/]\n\n1. d1-d3\n"));
    assert_eq!(game.start.map(|start| start.to_string()).as_deref(), Some("9/9/9/9/4K4/9/9/9/3ttt3 a"));
    assert_eq!(read(&game.to_string()), game);
}

#[test]
fn a_variant_that_disagrees_with_the_line_of_rules_is_named() {
    let rules = |variant: &str| read(&format!("[variant:{variant}]\n{RULES}\n")).rule_set();
    assert_eq!(rules("kvasir"), Err(GameTextError::OtherRules("kvasir".to_owned())));
    assert!(rules("kvasir").unwrap_err().to_string().contains("the variant kvasir and the line of rules disagree"));
    let own = rules("somebody's own").map(|set| set.map(|set| set.king.armed));
    assert_eq!(own, Ok(Some(false)), "a name that is not known here leaves the line");
}

#[test]
fn moves_are_read_as_people_write_them() {
    for text in [
        "d1-d3 e3-d3",
        "\u{feff}1. d1-d3 e3-d3",
        "1.d1-d3 {a comment, with | and - in it} e3-d3",
        "1. D1-D3\n1... E3-D3",
        "d1d3\ne3d3",
        "d1 d3 e3 d3",
        "Tablut, kvasir rules\n\n1. d1-d3 {two\n\nlines} e3-d3\n\nThe defenders win: the attackers have resigned.\n",
        "1. d1-d3 (1. e2-f2 e3-f3 (1. e3-g3)) 1... e3-d3",
        "[a:b]\n1. d1-d3 e3-d3\n[x | y]",
        "1. d1-d3! e3-d3?!",
        "1. d1-d3 $1 e3-d3 ?!",
        "1. d1-d3 ; a comment, with e3-e4 in it\n1... e3-d3",
        "1. d1–d3 e3→d3",
        "1. d1 – d3 1… e3 -> d3",
        "1. d1-d3\u{200b} e3-d3",
    ] {
        let game = read(text);
        let main: Vec<String> = game.main_line().iter().map(|&at| game.moves[at].text.to_string()).collect();
        assert_eq!(main, ["d1-d3", "e3-d3"], "{text:?}");
    }
    let game = read("1. d1-d3 (1. e2-f2 {other} e3-f3 (1. e3-g3)) 1... e3-d3");
    let parents: Vec<_> = game.moves.iter().map(|mv| mv.parent).collect();
    assert_eq!(parents, [None, None, Some(1), Some(1), Some(0)]);
    let left = read("Tablut, kvasir rules\n\n1. d1-d3\n\nThe attackers win: the defenders have resigned.\n");
    assert_eq!((left.tag("variant"), left.resignation()), (Some("kvasir"), Some(Side::Defenders)));
}

#[test]
fn marks_become_comments_and_a_comment_before_a_variation_belongs_to_its_first_move() {
    let comments = |text: &str| {
        let moves = read(text).moves.into_iter();
        moves.map(|mv| format!("{} {}", mv.text, mv.comment)).collect::<Vec<_>>()
    };
    assert_eq!(comments("d1-d3!! {why} e3-d3 $6 $140"), ["d1-d3 !! why", "e3-d3 ?! $140"]);
    assert_eq!(comments("d1-d3 ({better} e2-f2 {x}) e3-d3"), ["d1-d3 ", "e2-f2 better x", "e3-d3 "]);
    assert_eq!(comments("1. d1-d3\n1a.1.1a. {other} e2-f2\n2. e3-d3"), ["d1-d3 ", "e2-f2 other", "e3-d3 "]);
    assert_eq!(comments("d1-d3 ({no move})"), ["d1-d3 no move"]);
    assert_eq!(comments("1. d1-d3\n1a.1.1a. {no move}\n2. e3-d3"), ["d1-d3 ", "e3-d3 "]);
    assert_eq!(read("1. d1-d3\n1a.1.1a. {no move}").tag("start-comment"), Some("no move"));
    assert_eq!(read("{start} d1-d3 ; more").tag("start-comment"), Some("start"));
}

/// Texts whose reading once took time in the square of their length. The benchmark `hostile_texts` has more.
#[test]
fn every_part_of_a_text_is_read_once() {
    let bytes = 2_000_000;
    let times = |part: &str| part.repeat(bytes / part.len());
    let address = "1a.1.".repeat(20_000);
    for text in [
        times("[a:b]\r"),
        "1. d1-d3 e3-d3\n".to_owned() + &times("1."),
        times("{x}"),
        times("[a:b]") + &times("{x}"),
        times("[a:b]") + "1. " + &times("The\n"),
        format!("1. d1-d3\n{address}1a. {}", times("e3-d3 d3-e3 ")),
        times("["),
        times("1. d1-d3 ("),
        times("x"),
    ] {
        // Without the mend, one of them takes minutes.
        let read = text.parse::<GameText>();
        assert!(read.is_err() || read.is_ok_and(|game| game.moves.len() < bytes / 5), "{}", &text[..20]);
    }
    let stranger = format!("1. d1-d3\n{address}1a. e3-d3").parse::<GameText>().expect_err("no such line");
    assert!(stranger.to_string().contains("where there is no move"), "{stranger}");
}

#[test]
fn faults_are_told_with_their_line() {
    let fault = |text: &str| text.parse::<GameText>().expect_err("a fault").to_string();
    assert!(fault("[event x\n").starts_with("line 1: a [ without its ]"));
    assert!(fault("[event x]\n").starts_with("line 1: \"event x\", expected a tag"));
    assert!(fault("[a:b]\n[rules:dim:13 start:/9/]").starts_with("line 2: dim:13, 13 × 13 squares"));
    assert!(fault("[a:b]\ndim:13 start:/9/").starts_with("line 2: dim:13, 13 × 13 squares"));
    assert!(fault("dim:9 esc:e").contains("expected start:"));
    let bracket = "dim:9 atkf:]y start:/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/";
    assert_eq!(fault(bracket), "line 1: a bracket in the line of rules");
    assert!(fault(&format!("{RULES}\n\n1. d1^d3\n")).starts_with("line 3: ply 1: \"d1^d3\" is no move"));
    assert!(fault(&format!("{RULES}\n1. --- d1-d2\n")).contains("after a resignation"));
    for (text, part) in [
        ("d1-d3 )", "a ) without its ("),
        ("( d1-d3", "before the first move"),
        ("d1-d3 ( e3-d3", "a ( without its )"),
        ("d1-d3 {open", "a { without its }"),
        ("1. d1-d3\n4a.1.1a. d1-d2", "a variation at 4a, where there is no move"),
        ("1. d1-d3\n1a.1.1c. d1-d2", "expected the address of a variation"),
        ("1. d1-d3\n1a.1.1a. d1-d2\n1a.1.9a. d2-d3", "does not follow the last turn"),
        ("d1-d3 e3", "\"e3\" is a square"),
        ("d1-d3 tired", "\"tired\" is no move"),
        ("1x d1-d3", "expected a number"),
    ] {
        assert!(fault(text).contains(part), "{text:?}: {}", fault(text));
    }
}
