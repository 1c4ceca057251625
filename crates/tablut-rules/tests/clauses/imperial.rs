//! Section 3: imperial, the contest of 1855.

use std::sync::Arc;

use tablut_rules::{First, Game, Side};

use crate::show::{may, moves_of, mv, play, position, rules, taken, winner};

const NAME: &str = "imperial";

#[test]
fn ic1_first_mover_is_drawn() {
    assert_eq!(rules(NAME).set().first, First::Drawn);
    assert_eq!(rules(NAME).set().first.side(), None);
    for first in Side::ALL {
        assert_eq!(Game::new(Arc::new(rules(NAME)), first).position().side_to_move(), first);
    }
}

#[test]
fn ic2_the_middle_is_an_ordinary_square() {
    assert!(rules(NAME).throne().is_empty());
    for (pieces, from) in [("a td5 Kc3", "d5"), ("d Td5 Kc3", "d5"), ("d Kd5 tc3", "d5")] {
        assert!(may(NAME, pieces, &format!("{from}-e5")), "{pieces}: landing");
        assert!(may(NAME, pieces, &format!("{from}-f5")), "{pieces}: passing");
    }
    assert_eq!(taken(NAME, "a Te4 te1 Kc3", "e1-e3"), "", "not hostile to defenders");
    assert_eq!(taken(NAME, "d te4 Te1 Kc3", "e1-e3"), "", "not hostile to attackers");
    assert_eq!(taken(NAME, "a Ke5 te6 td5 tf5 Te4 tc3", "c3-e3"), "", "no pinned defender");
}

#[test]
fn ic3_king_moves_four_squares_at_most() {
    assert_eq!(moves_of(NAME, "d Kc3 th8", "c3"), "c4 c5 c6 c7 d3 e3 f3 g3 c2 c1 b3 a3");
    assert!(!may(NAME, "d Kc3 th8", "c3-c8") && !may(NAME, "d Kc3 th8", "c3-h3"));
    assert!(may(NAME, "d Tc3 Ke5 th8", "c3-c9"), "a soldier moves on");
    let error = rules(NAME).check_legal(&position("d Kc3 th8"), mv("c3-c8")).expect_err("too far");
    assert_eq!(error.to_string(), "c3-c8 is illegal: the king moves at most 4 squares");
    assert_eq!(crate::show::routes(NAME, "a Kg3 th8"), 2, "south and east; the others are too far");
}

#[test]
fn ic3_king_is_unarmed() {
    assert_eq!(taken(NAME, "d Kd7 tc4 Tb4", "d7-d4"), "");
    assert_eq!(taken(NAME, "d Kd4 tc4 Tb7", "b7-b4"), "");
    assert_eq!(taken(NAME, "d Td7 tc4 Tb4 Kg7", "d7-d4"), "c4", "soldiers capture");
}

#[test]
fn ic4_king_falls_to_four_wherever_he_stands() {
    for (pieces, last) in
        [("a Ke5 te4 te6 td5 tf2", "f2-f5"), ("a Ke4 te5 te3 td4 tf2", "f2-f4"), ("a Kc3 tc2 tc4 tb3 td6", "d6-d3")]
    {
        assert_eq!(winner(NAME, pieces, last), Some(Side::Attackers), "{pieces}");
    }
    assert_eq!(winner(NAME, "a Ke4 te3 td4 tf2", "f2-f4"), None, "three beside the middle");
    assert_eq!(winner(NAME, "a Kc3 tb3 td6", "d6-d3"), None, "two");
    assert_eq!(winner(NAME, "a Kc3 tc2 tc4 Tb3 td6", "d6-d3"), None, "three and a defender");
}

#[test]
fn ic5_the_mover_chooses_one() {
    let pieces = "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1";
    assert_eq!(moves_of(NAME, pieces, "c1"), "c2 c3xb3 c3xd3 c3xc4 d1 e1 f1 g1 h1 i1 b1 a1");
    for choice in ["b3", "d3", "c4"] {
        assert_eq!(taken(NAME, pieces, &format!("c1-c3x{choice}")), choice);
    }
    assert!(!may(NAME, pieces, "c1-c3"), "capturing nothing is no choice");
    assert!(!may(NAME, pieces, "c1-c3xa3"), "only the surrounded");
    let why = |text: &str| {
        let error = rules(NAME).check_legal(&position(pieces), mv(text)).expect_err("illegal");
        error.fault.to_string()
    };
    assert_eq!(why("c1-c3"), "it surrounds several pieces and must choose one: xb3 xd3 xc4");
    assert_eq!(why("c1-c3xa3"), "it does not capture on a3");
}

#[test]
fn ic5_one_surrounded_piece_leaves_no_choice() {
    let pieces = "d Kg7 tb3 Ta3 Tc1";
    assert_eq!(taken(NAME, pieces, "c1-c3"), "b3");
    assert!(!may(NAME, pieces, "c1-c3xb3"));
    assert_eq!(rules(NAME).count_legal_moves(&position(pieces)), {
        rules("masters-edge").count_legal_moves(&position(pieces)) - 4
    });
}

#[test]
fn ic5_the_king_is_one_of_the_choices() {
    let pieces = "a Ke5 te4 te6 td5 tf2 Tg5 th5";
    let taken_king = play(NAME, pieces, "f2-f5xe5");
    assert_eq!((taken_king.winner, taken_king.position.king()), (Some(Side::Attackers), None));
    assert!(taken_king.position.defenders().contains("g5".parse().expect("a square")));
    let spared = play(NAME, pieces, "f2-f5xg5");
    assert_eq!(spared.winner, None);
    assert!(spared.position.king().is_some());
}

#[test]
fn ic5_what_was_left_is_safe_until_surrounded_anew() {
    let after = play(NAME, "d Kg7 tb3 Ta3 td3 Te3 Tc1 th8", "c1-c3xb3").position;
    let rules = rules(NAME);
    let quiet = rules.apply(&after, mv("h8-h9")).position;
    assert!(rules.apply(&quiet, mv("a3-a4")).captured.is_empty(), "another move leaves d3 alone");
    let away = rules.apply(&rules.apply(&quiet, mv("e3-e4")).position, mv("h9-h8")).position;
    let anew = rules.apply(&away, mv("e4-e3"));
    assert_eq!(anew.captured.iter().map(|s| s.to_string()).collect::<String>(), "d3");
}
