//! Section 4: ludoteka.

use tablut_rules::{First, Side};

use crate::show::{may, rules, taken, winner};

const NAME: &str = "ludoteka";

#[test]
fn lu1_defenders_move_first() {
    assert_eq!(rules(NAME).set().first, First::Defenders);
}

#[test]
fn lu2_corners_are_the_escape_and_the_kings_alone() {
    for (from, to) in [("a4", "a1"), ("i4", "i1"), ("a4", "a9"), ("d9", "i9")] {
        assert_eq!(winner(NAME, &format!("d K{from} th8"), &format!("{from}-{to}")), Some(Side::Defenders));
        assert!(!may(NAME, &format!("a t{from} Ke5"), &format!("{from}-{to}")), "attackers");
        assert!(!may(NAME, &format!("d T{from} Ke5 th8"), &format!("{from}-{to}")), "defenders");
    }
    assert_eq!(winner(NAME, "d Kc4 th8", "c4-c1"), None, "an ordinary edge square");
}

#[test]
fn lu3_only_the_king_lands_on_the_throne_and_all_pass() {
    for pieces in ["a td5 Kc3", "d Td5 Kc3"] {
        assert!(!may(NAME, pieces, "d5-e5") && may(NAME, pieces, "d5-f5"), "{pieces}");
    }
    assert!(may(NAME, "d Kd5 tc3", "d5-e5") && may(NAME, "d Kd5 tc3", "d5-f5"));
    assert!(!may(NAME, "a td5 Ke5", "d5-f5"), "not over the king");
}

#[test]
fn lu4_throne_is_not_hostile_to_soldiers_and_corners_are() {
    assert_eq!(taken(NAME, "a Te4 te1 Kc3", "e1-e3"), "");
    assert_eq!(taken(NAME, "d te4 Te1 Kc3", "e1-e3"), "");
    assert_eq!(taken(NAME, "a Tb1 tc3 Ke5", "c3-c1"), "b1", "a defender beside a corner");
    assert_eq!(taken(NAME, "d ta8 Tc7 Ke5", "c7-a7"), "a8", "an attacker beside a corner");
    assert_eq!(taken(NAME, "a Tc1 td3 Ke5", "d3-d1"), "", "one square further");
}

#[test]
fn lu5_king_is_armed() {
    assert_eq!(taken(NAME, "d Kd7 tc4 Tb4", "d7-d4"), "c4");
    assert_eq!(taken(NAME, "d Kd4 tc4 Tb7", "b7-b4"), "c4");
    assert_eq!(taken(NAME, "d Kc7 tb1", "c7-c1"), "b1", "with a corner");
}

#[test]
fn lu6_king_falls_when_four_sides_are_closed() {
    for (pieces, last, case) in [
        ("a Kc3 tc2 tc4 tb3 td6", "d6-d3", "four attackers"),
        ("a Ke5 te4 te6 td5 tf2", "f2-f5", "four attackers on the throne"),
        ("a Ke4 te3 td4 tf2", "f2-f4", "three and the throne"),
        ("a Kc1 tb1 td1 tc6", "c6-c2", "three and the edge"),
        ("a Kb1 tb2 tc6", "c6-c1", "two, a corner and the edge"),
        ("a Ka8 tb8 ta3", "a3-a7", "two, a corner and the edge, upright"),
    ] {
        assert_eq!(winner(NAME, pieces, last), Some(Side::Attackers), "{case}");
    }
}

#[test]
fn lu6_an_open_side_saves_him() {
    for (pieces, last, case) in [
        ("a Kc3 tc2 tc4 td6", "d6-d3", "three"),
        ("a Kc3 tc2 tc4 Tb3 td6", "d6-d3", "three and a defender"),
        ("a Ke4 td4 tf2", "f2-f4", "two and the throne"),
        ("a Kc1 tb1 tc6", "c6-c2", "two and the edge"),
        ("a Kb1 tc6", "c6-c1", "one, a corner and the edge"),
        ("a Kc3 tc2 tc4 tb3 td3 th8", "h8-h7", "the mover is elsewhere, C4"),
    ] {
        assert_eq!(winner(NAME, pieces, last), None, "{case}");
    }
}

#[test]
fn lu7_a_move_captures_all_it_surrounds() {
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4");
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta4 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "d3 c4");
}
