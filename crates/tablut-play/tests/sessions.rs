//! The game session: turns, taking back, events, opinions.

use std::sync::Arc;

use tablut_play::{Alarm, NetThinker, Opinion, People, Session, SessionError, Thinker};
use tablut_rules::{Position, Reason, Rules, Side};
use tablut_search::UniformEvaluator;

fn thinker(rules: &Arc<Rules>, name: &str) -> Thinker {
    Thinker::baseline(&name.parse().unwrap(), rules, 1).unwrap()
}

fn session(rules: &str, people: People) -> Session {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let thinker = thinker(&rules, "greedy");
    Session::new(rules, Side::Attackers, people, thinker)
}

fn at(rules: &str, position: &str) -> Session {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let thinker = thinker(&rules, "greedy");
    Session::from_position(rules, position.parse::<Position>().unwrap(), People::Both, thinker).unwrap()
}

#[test]
fn people_and_computer_take_turns_and_undo_goes_back_to_the_person() {
    let mut session = session("kvasir", People::Attackers);
    assert!(!session.is_computers_turn());
    assert!(matches!(session.undo(), Err(SessionError::NothingToUndo)));
    session.play("d1-d3".parse().unwrap()).unwrap();
    assert!(session.is_computers_turn());
    assert_eq!(session.computer_move().unwrap().side, Side::Defenders);
    session.play("i4-i3".parse().unwrap()).unwrap();
    // In the middle of the computer's turn one move comes back, after its answer two.
    assert_eq!(session.undo().unwrap(), 1);
    assert_eq!(session.undo().unwrap(), 2);
    assert_eq!(session.game().ply(), 0);
}

#[test]
fn a_person_with_the_second_move_cannot_take_back_the_computers_first() {
    let mut session = session("kvasir", People::Defenders);
    assert!(session.is_computers_turn());
    session.computer_move().unwrap();
    assert!(matches!(session.undo(), Err(SessionError::NothingToUndo)));
    assert_eq!(session.game().ply(), 1);
}

#[test]
fn captures_raichi_tuichi_and_the_end_are_reported() {
    // The king steps beside two open lines, later leaves; between them an attacker is captured.
    let mut session = at("kvasir", "9/9/9/9/4t4/2Tt2K2/9/9/2ttttttt d");
    let report = session.play("g4-e4".parse().unwrap()).unwrap();
    assert_eq!(report.captured.len(), 1, "{report:?}");
    assert_eq!(report.captured[0].0.to_string(), "d4");
    assert_eq!(report.alarm, Some(Alarm::Raichi), "{report:?}");
    session.play("e5-e6".parse().unwrap()).unwrap();
    let report = session.play("e4-d4".parse().unwrap()).unwrap();
    assert_eq!(report.alarm, Some(Alarm::Tuichi), "{report:?}");
    session.play("c1-c2".parse().unwrap()).unwrap();
    let report = session.play("d4-i4".parse().unwrap()).unwrap();
    let outcome = report.outcome.unwrap();
    assert_eq!((outcome.winner, outcome.reason), (Some(Side::Defenders), Reason::KingEscaped));
    assert_eq!(report.alarm, None);
    assert!(matches!(session.play("c2-c3".parse().unwrap()), Err(SessionError::Over(_))));
    assert!(matches!(session.opinion(), Err(SessionError::Over(_))));
    assert_eq!(session.undo().unwrap(), 1);
    assert!(session.game().outcome().is_none());
}

#[test]
fn illegal_moves_say_why_and_change_nothing() {
    let mut session = session("kvasir", People::Both);
    let error = session.play("e5-e7".parse().unwrap()).unwrap_err().to_string();
    assert!(error.contains("e5-e7"), "{error}");
    assert_eq!(session.game().ply(), 0);
    for (square, reason) in [("a1", "no piece"), ("e5", "not of the side to move"), ("e1", "cannot move")] {
        let error = session.moves_from(square.parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains(square) && error.contains(reason), "{error}");
    }
    assert_eq!(session.moves_from("d1".parse().unwrap()).unwrap().len(), 6);
}

#[test]
fn a_net_s_opinion_covers_all_moves_and_changes_nothing_that_follows() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let net = || Thinker::Net(NetThinker::new(Box::new(UniformEvaluator), 40, 5));
    let mut asked = Session::new(rules.clone(), Side::Attackers, People::Defenders, net());
    let mut silent = Session::new(rules, Side::Attackers, People::Defenders, net());
    let Opinion::Net { value, moves, .. } = asked.opinion().unwrap() else { panic!("a net's opinion was expected") };
    assert_eq!(moves.len(), 80);
    assert!((-1.0..=1.0).contains(&value));
    assert_eq!(asked.computer_move().unwrap(), silent.computer_move().unwrap());
}

#[test]
fn a_saved_game_replays_to_the_same_position() {
    let mut session = session("kvasir", People::Neither);
    for _ in 0..12 {
        session.computer_move().unwrap();
    }
    let saved = session.saved();
    let rules = Arc::new(Rules::named(&saved.rules).unwrap());
    let mut game = tablut_rules::Game::from_position(rules, saved.start.parse().unwrap()).unwrap();
    for mv in &saved.moves {
        game.play(mv.parse().unwrap()).unwrap();
    }
    assert_eq!(game.position(), session.game().position());
}
