//! Sections 11 and 12: copenhagen and fetlar.

use std::sync::Arc;

use tablut_rules::{First, Outcome, Position, Rules, Side};

use crate::show::{ending, from_start, game, may, play, rules, taken, variant, winner};

const BOTH: [&str; 2] = ["copenhagen", "fetlar"];

/// How the game is over in a position, or `none`.
fn decided(rules: &Rules, rows: &str) -> String {
    let position: Position = format!("{rows} a").parse().unwrap_or_else(|e| panic!("{e}"));
    rules.decided(&position).map_or("none".to_owned(), |Outcome { reason, .. }| reason.to_string())
}

#[test]
fn co1_fe1_board_has_eleven_squares_a_side() {
    let start = "3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3 a";
    assert!(BOTH.iter().all(|name| rules(name).start(Side::Attackers).to_string() == start));
}

#[test]
fn co2_fe2_attackers_move_first() {
    assert!(BOTH.iter().all(|name| rules(name).set().first == First::Attackers));
}

#[test]
fn co3_fe3_corners_are_the_escape_and_the_kings_alone() {
    for name in BOTH {
        assert_eq!(winner(name, "d Kk4 te5", "k4-k11"), Some(Side::Defenders), "{name}");
        assert_eq!(winner(name, "d Kc4 te5", "c4-c1"), None, "{name}");
        assert!(!may(name, "a tk4 Ke5 Ta3", "k4-k11") && !may(name, "d Tk4 Ke5 tb3", "k4-k1"), "{name}");
    }
}

#[test]
fn co4_fe4_throne_and_corners() {
    for name in BOTH {
        assert!(!may(name, "a te6 Kc3 Ta3", "e6-f6") && may(name, "a te6 Kc3 Ta3", "e6-g6"), "{name}");
        assert!(may(name, "d Ke6 tb3", "e6-f6"), "{name}");
        assert_eq!(taken(name, "d tf5 Tf1 Kc3", "f1-f4"), "f5", "{name}");
        assert_eq!(taken(name, "a Tf5 tf1 Kc3", "f1-f4"), "f5", "{name}");
        assert_eq!(taken(name, "a Tf5 tf1 Kf6 Ta3", "f1-f4"), "", "{name}: the king is on the throne");
        assert_eq!(taken(name, "a Tb1 tc3 Kg7", "c3-c1"), "b1", "{name}");
        assert_eq!(winner(name, "a Kb1 tc3 tb2 Tg7", "c3-c1"), None, "{name}: a corner is no captor of the king");
    }
}

#[test]
fn co5_fe5_king_is_armed() {
    for name in BOTH {
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), "c4", "{name}");
    }
}

#[test]
fn co6_fe6_king_falls_to_four_and_beside_the_throne_to_three() {
    for name in BOTH {
        assert_eq!(winner(name, "a Kd4 tc4 te4 td5 td1 Ta9", "d1-d3"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Kd4 tc4 te4 td1 Ta9", "d1-d3"), None, "{name}");
        assert_eq!(winner(name, "a Kf5 te5 tg5 tf1 Ta9", "f1-f4"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Kd1 tc1 te1 td5 Ta9", "d5-d2"), None, "{name}: not on the edge");
    }
}

#[test]
fn co7_king_in_an_exit_fort_wins() {
    let copenhagen = rules("copenhagen");
    let fort = "5TK1T2/6TT3/11/t10/11/11/11/11/11/11/5t5";
    assert_eq!(decided(&copenhagen, fort), "exit-fort");
    assert_eq!(decided(&rules("fetlar"), fort), "none");
    for (rows, why) in [
        ("5TKTT2/6TT3/11/t10/11/11/11/11/11/11/5t5", "the king cannot move"),
        ("5TK1T2/6T4/11/t10/11/11/11/11/11/11/5t5", "an attacker comes in"),
        ("11/5TTTT2/5TK1T2/5TTT3/11/t10/11/11/11/11/5t5", "the king is not on the edge"),
        ("5TKt1T1/6TTT2/11/t10/11/11/11/11/11/11/5t5", "an attacker is inside"),
        ("5TK1T2/6T1T2/7T3/t10/11/11/11/11/11/11/5t5", "the defender h9 falls between g9 and i9"),
    ] {
        assert_eq!(decided(&copenhagen, rows), "none", "{why}");
    }
    let closed = game(&Arc::new(copenhagen), "d Kg11 Tf11 Ti11 Tg10 Th3 tk8 tf1", "h3-h10");
    assert_eq!(ending(closed.outcome()), "defenders by exit-fort");
}

#[test]
fn co8_fe7_encircled_defenders_lose() {
    for name in BOTH {
        let rules = Arc::new(rules(name));
        let ring = "a Kf6 Te6 te8 tf8 tg8 td7 th7 td6 th6 td5 th5 te4 tf4 tg2";
        assert_eq!(ending(game(&rules, ring, "").outcome()), "none", "{name}");
        assert_eq!(ending(game(&rules, ring, "g2-g4").outcome()), "attackers by encirclement", "{name}");
        assert_eq!(ending(game(&rules, ring, "g2-g3").outcome()), "none", "{name}: the ring is open at g4");
        let outside = format!("{ring} Ta5");
        assert_eq!(ending(game(&rules, &outside, "g2-g4").outcome()), "none", "{name}: a defender outside");
    }
}

#[test]
fn co9_repetition_loses_for_the_defenders() {
    let round = "d1-c1 f4-g4 c1-d1 g4-f4 ";
    assert_eq!(
        ending(from_start("copenhagen", Side::Attackers, &round.repeat(2)).outcome()),
        "attackers by repetition"
    );
}

#[test]
fn co10_shield_wall_takes_a_row_on_the_edge() {
    let name = "copenhagen";
    assert_eq!(taken(name, "a Tc1 Td1 Te1 tc2 td2 te2 tb1 tf7 Kg9", "f7-f1"), "c1 d1 e1");
    assert_eq!(taken(name, "d tc1 td1 Tc2 Td2 Tb1 Te7 Kg9", "e7-e1"), "c1 d1");
    assert_eq!(taken(name, "d tc1 td1 Tc2 Kd2 Tb1 Te7", "e7-e1"), "c1 d1", "the armed king is a front");
    assert_eq!(taken(name, "a Tb1 Tc1 tb2 tc2 td7 Kg9", "d7-d1"), "b1 c1", "the corner closes the row");
    assert_eq!(taken(name, "a Tk4 Tk5 tj4 tj5 tk3 tf6 Kg9 Ta9", "f6-k6"), "k4 k5", "on any edge");
    assert_eq!(taken(name, "a Tc1 Kd1 tc2 td2 tb1 te7 Tg9", "e7-e1"), "c1", "the king counts and stays");
    for (pieces, mv, why) in [
        ("a Tc1 Td1 tc2 tb1 te7 Kg9", "e7-e1", "d1 has no enemy in front"),
        ("a Tc1 Td1 tc2 td2 te7 Kg9", "e7-e1", "b1 is open"),
        ("a Tc1 tc2 tb3 td1 Tg9 Kg7", "b3-b2", "the moved piece closes no row"),
        ("a Tc1 Td1 tc2 td7 tb1 te1 Kg9", "d7-d2", "the moved piece stands in front"),
        ("a Tc2 Td2 tc3 td3 tb2 te7 Kg9", "e7-e2", "not on the edge"),
    ] {
        assert_eq!(taken(name, pieces, mv), "", "{why}");
    }
    assert_eq!(play("fetlar", "a Tc1 Td1 tc2 td2 tb1 te7 Kg9", "e7-e1").captured.len(), 0);
}

#[test]
fn co10_corners_may_be_left_out() {
    let rules = variant("base = \"copenhagen\"\n[captures]\nshield-wall = \"pieces\"");
    let row = |pieces, mv| game(&rules, pieces, mv).position().defenders().len();
    assert_eq!(row("a Tb1 Tc1 tb2 tc2 td7 Kg9", "d7-d1"), 2);
    assert_eq!(row("a Tc1 Td1 tc2 td2 tb1 te7 Kg9", "e7-e1"), 0);
}

#[test]
fn fe8_third_occurrence_is_a_draw() {
    let round = "d1-c1 f4-g4 c1-d1 g4-f4 ";
    assert_eq!(ending(from_start("fetlar", Side::Attackers, &round.repeat(2)).outcome()), "draw by repetition");
}
