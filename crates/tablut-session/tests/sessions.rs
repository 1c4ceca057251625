//! Sessions: moves, variations, take-backs, resignations, saved games.

use std::sync::Arc;
use tablut_rules::{RuleSet, Rules, Side};
use tablut_session::{
    Alarm, Controller, Format, MAX_COMMENT, MAX_COMMENT_BYTES, MAX_NODES, Players, SavedGame, Session, SessionError,
    Tree,
};

fn session(rules: &str, players: Players) -> Session {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let first = rules.set().first.side().unwrap_or(Side::Attackers);
    Session::new(rules, first, players)
}

fn play(session: &mut Session, moves: &[&str]) {
    for mv in moves {
        session.play(mv.parse().unwrap()).unwrap_or_else(|error| panic!("{mv}: {error}"));
    }
}

#[test]
fn moves_go_back_and_forth_and_open_variations() {
    let mut game = session("kvasir", Players::people());
    play(&mut game, &["d1-d3", "e3-f3", "d3-d2"]);
    let end = game.current();
    game.undo().unwrap();
    game.undo().unwrap();
    assert_eq!(game.history().len(), 1);
    game.redo().unwrap();
    game.redo().unwrap();
    assert_eq!(game.current(), end);
    assert!(matches!(game.redo(), Err(SessionError::NothingToRedo)));

    game.undo().unwrap();
    play(&mut game, &["d3-c3"]);
    let variation = game.current();
    assert_eq!(game.tree().len(), 5);
    // Playing the same move again adds no variation.
    game.undo().unwrap();
    play(&mut game, &["d3-d2"]);
    assert_eq!((game.current(), game.tree().len()), (end, 5));

    assert_eq!(game.tree().main_line().last(), Some(&end));
    game.promote(variation).unwrap();
    assert_eq!(game.tree().main_line().last(), Some(&variation));
    game.remove(end).unwrap();
    assert_eq!((game.tree().len(), game.history().len()), (4, 2));
    assert!(matches!(game.go_to(end), Err(SessionError::NoSuchNode(_))));
    game.remove(Tree::ROOT).unwrap();
    assert_eq!(game.tree().len(), 4);
}

#[test]
fn a_take_back_returns_to_a_persons_turn() {
    let mut game =
        session("kvasir", Players { attackers: Controller::computer("club"), defenders: Controller::Person });
    play(&mut game, &["d1-d3"]);
    assert!(matches!(game.take_back(), Err(SessionError::NothingToUndo)), "the computer alone has moved");
    play(&mut game, &["e3-f3", "d3-d2"]);
    assert_eq!(game.take_back().unwrap(), 2);
    assert_eq!((game.history().len(), game.is_computers_turn()), (1, false));
    // What was taken back is no part of the game, nor of its exports.
    play(&mut game, &["e4-f4"]);
    game.resign(Side::Defenders).unwrap();
    let saved = game.saved();
    assert_eq!((saved.moves.len(), saved.winner), (2, Some(Side::Attackers)));
    let record = game.export(Format::Otg).unwrap();
    assert!(!record.contains("f3"), "{record}");

    let mut both = session("kvasir", Players::people());
    play(&mut both, &["d1-d3", "e3-f3"]);
    both.undo().unwrap();
    assert_eq!(both.take_back().unwrap(), 1);
    assert_eq!(both.tree().len(), 3, "whoever looks back loses no move");
    both.redo().unwrap();
    both.redo().unwrap();
    assert_eq!((both.take_back().unwrap(), both.tree().len()), (1, 2));
}

#[test]
fn captures_alarms_and_ends_are_reported() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let start = "9/9/9/9/9/3Tt1T2/3K5/3t5/4T4 d".parse().unwrap();
    let mut game = Session::from_position(rules, start, Players::people()).unwrap();
    let report = game.play("d3-e3".parse().unwrap()).unwrap();
    assert_eq!(report.captured.len(), 1);
    assert_eq!(report.alarm, Some(Alarm::Tuichi));
    play(&mut game, &["d2-d1", "e3-i3"]);
    let ending = game.ending().unwrap();
    assert_eq!((ending.winner, ending.reason), (Some(Side::Defenders), "king-escaped"));
    let error = game.play("d1-d2".parse().unwrap()).unwrap_err().to_string();
    assert_eq!(error, "the game is over: the defenders win: the king has escaped");
    assert!(game.turn().is_none());
}

#[test]
fn who_resigns_loses_and_may_think_again() {
    let mut game = session("kvasir", Players::people());
    play(&mut game, &["d1-d3"]);
    game.resign(Side::Attackers).unwrap();
    assert_eq!(game.ending().map(|ending| (ending.winner, ending.reason)), Some((Some(Side::Defenders), "resigned")));
    assert!(game.resign(Side::Defenders).is_err());
    let saved = game.saved();
    assert_eq!((saved.winner, saved.reason.as_deref()), (Some(Side::Defenders), Some("resigned")));
    assert_eq!(saved.session().unwrap().ending(), game.ending());
    game.undo().unwrap();
    assert_eq!((game.ending(), game.history().len()), (None, 1));
}

#[test]
fn a_saved_game_holds_its_rules_and_everything_else() {
    let mut set = RuleSet::named("imperial").unwrap();
    set.king.reach = 2;
    "my-rules".clone_into(&mut set.name);
    let rules = Arc::new(Rules::new(set).unwrap());
    let players = Players { attackers: Controller::Person, defenders: Controller::computer("strong") };
    let mut game = Session::new(rules, Side::Defenders, players);
    play(&mut game, &["e3-f3", "d1-d2", "f3-g3"]);
    game.undo().unwrap();
    play(&mut game, &["e4-f4"]);
    let here = game.current();
    game.comment(here, "  a wall  ").unwrap();
    game.comment(Tree::ROOT, "an experiment").unwrap();
    game.undo().unwrap();

    let text = game.saved().to_json();
    let read = SavedGame::from_json(&text).unwrap().session().unwrap();
    assert_eq!(read.rules().set(), game.rules().set());
    assert_eq!(read.history(), game.history());
    assert_eq!(read.players(), game.players());
    assert_eq!(read.tree().len(), game.tree().len());
    let comments: Vec<&str> =
        read.tree().iter().map(|(_, node)| node.comment.as_str()).filter(|c| !c.is_empty()).collect();
    assert_eq!(comments, ["an experiment", "a wall"]);
    assert_eq!(read.saved().to_json(), text);
}

#[test]
fn what_is_no_saved_game_is_refused_by_name() {
    let mut game = session("kvasir", Players::people());
    play(&mut game, &["d1-d3"]);
    let text = game.saved().to_json();
    for (from, to, part) in [
        ("\"version\": 1", "\"version\": 2", "version 2, expected \"tablut game\" version 1"),
        ("d1-d3", "d1-d9", "position 1: d1-d9 is illegal"),
        ("\"reach\": 8", "\"reach\": 9", "king.reach = 9"),
        ("\"first\": \"attackers\",\n  \"moves\"", "\"first\": \"defenders\",\n  \"moves\"", "the other side to move"),
        ("tablut game", "chess game", "\"chess game\""),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let error = SavedGame::from_json(&changed).unwrap().session().unwrap_err().to_string();
        assert!(error.contains(part), "{to}: {error}");
    }
    for length in (0..text.trim_end().len()).step_by(7) {
        assert!(SavedGame::from_json(&text[..length]).is_err(), "{length} bytes were read as a game");
    }
}

#[test]
fn a_game_holds_so_many_positions_and_no_more() {
    let mut game = session("masters", Players::people());
    let mut at = vec![Tree::ROOT];
    'filling: for depth in 0.. {
        let parents = std::mem::take(&mut at);
        assert!(!parents.is_empty(), "no position left at depth {depth}");
        for parent in parents {
            game.go_to(parent).unwrap();
            for mv in game.moves().unwrap() {
                if game.tree().len() == MAX_NODES {
                    break 'filling;
                }
                game.play(mv).unwrap();
                at.push(game.current());
                game.undo().unwrap();
            }
        }
    }
    let fresh = game.moves().unwrap().into_iter().find(|mv| game.tree().child(game.current(), *mv).is_none()).unwrap();
    assert!(matches!(game.play(fresh), Err(SessionError::Full)));
    let long = "x".repeat(5000);
    assert!(game.comment(Tree::ROOT, &long).unwrap_err().to_string().contains("5000 characters"));
}

#[test]
fn the_comments_of_a_game_have_so_many_bytes_and_no_more() {
    let mut game = session("kvasir", Players::people());
    let long = "\u{10ffff}".repeat(MAX_COMMENT);
    let n_fit = MAX_COMMENT_BYTES / long.len();
    for _ in 0..n_fit {
        let here = game.current();
        game.comment(here, &long).unwrap();
        // A comment may be replaced by one of the same length.
        game.comment(here, &long).unwrap();
        game.undo().ok();
        let mv = game.moves().unwrap().into_iter().find(|mv| game.tree().child(game.current(), *mv).is_none()).unwrap();
        game.play(mv).unwrap();
    }
    let here = game.current();
    let error = game.comment(here, &long).unwrap_err().to_string();
    assert!(error.contains("expected at most 262144"), "{error}");
    assert_eq!(game.node().comment, "");
    game.comment(Tree::ROOT, "").unwrap();
    game.comment(here, &long).unwrap();
    let saved = game.saved();
    assert_eq!(SavedGame::from_json(&saved.to_json()).unwrap().session().unwrap().saved(), saved);
}
