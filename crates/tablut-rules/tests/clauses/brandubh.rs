//! Section 10: brandubh.

use tablut_rules::{First, Side};

use crate::show::{ending, from_start, may, rules, taken, winner};

const NAME: &str = "brandubh";
const WEAK: &str = "brandubh-weak-king";

#[test]
fn br1_board_has_seven_squares_a_side() {
    let start = rules(NAME).start(Side::Attackers);
    assert_eq!(start.to_string(), "3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3 a");
    assert_eq!(rules(WEAK).start(Side::Attackers), start);
}

#[test]
fn br2_attackers_move_first() {
    assert_eq!(rules(NAME).set().first, First::Attackers);
}

#[test]
fn br3_corners_are_the_escape_and_the_kings_alone() {
    assert_eq!(winner(NAME, "d Ka4 tf6", "a4-a1"), Some(Side::Defenders));
    assert_eq!(winner(NAME, "d Kc4 tf6", "c4-c1"), None);
    assert!(!may(NAME, "a ta4 Kd4", "a4-a1") && !may(NAME, "d Ta4 Kd4 tf6", "a4-a7"));
}

#[test]
fn br4_only_the_king_lands_on_the_throne_and_all_pass() {
    for pieces in ["a tc4 Kb2", "d Tc4 Kb2"] {
        assert!(!may(NAME, pieces, "c4-d4") && may(NAME, pieces, "c4-e4"), "{pieces}");
    }
    assert!(may(NAME, "d Kc4 tb2", "c4-d4"));
}

#[test]
fn br5_throne_is_hostile_to_attackers_and_when_empty_to_defenders() {
    assert_eq!(taken(NAME, "d td3 Td1 Kb2", "d1-d2"), "d3");
    assert_eq!(taken(NAME, "a Td3 td1 Kb2", "d1-d2"), "d3");
    assert_eq!(taken(NAME, "d td3 Td1 Kd4", "d1-d2"), "d3");
    assert_eq!(taken(NAME, "a Td3 td1 Kd4", "d1-d2"), "");
}

#[test]
fn br6_corners_are_hostile_to_everybody() {
    assert_eq!(taken(NAME, "a Tb1 tc3 Kf6", "c3-c1"), "b1");
    assert_eq!(taken(NAME, "d tb1 Tc3 Kf6", "c3-c1"), "b1");
    assert_eq!(winner(NAME, "a Kb1 tc3", "c3-c1"), Some(Side::Attackers));
}

#[test]
fn br7_king_is_armed() {
    assert_eq!(taken(NAME, "d Kd6 tc3 Tb3", "d6-d3"), "c3");
}

#[test]
fn br8_king_falls_to_four_on_the_throne_three_beside_it_and_two_elsewhere() {
    assert_eq!(winner(NAME, "a Kd4 tc4 te4 td5 ta3", "a3-d3"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Kd4 tc4 td5 ta3", "a3-d3"), None);
    assert_eq!(winner(NAME, "a Kd3 tc3 te3 ta2", "a2-d2"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Kd3 tc3 ta2 tg3", "g3-e3"), None);
    assert_eq!(winner(NAME, "a Kb2 ta2 tg3", "g3-c3"), None);
    assert_eq!(winner(NAME, "a Kb2 ta2 tc6", "c6-c2"), Some(Side::Attackers));
}

#[test]
fn br9_weak_king_falls_to_two_everywhere() {
    assert_eq!(winner(WEAK, "a Kd4 tc4 te7", "e7-e4"), Some(Side::Attackers));
    assert_eq!(winner(WEAK, "a Kd3 tc3 te7", "e7-e3"), Some(Side::Attackers));
    assert_eq!(winner(WEAK, "a Kd3 td1", "d1-d2"), None, "the throne is no captor");
    assert_eq!(taken(WEAK, "d td3 Td1 Kb2", "d1-d2"), "", "the throne is no captor");
}

#[test]
fn br10_third_occurrence_is_a_draw() {
    let round = "d1-c1 d3-c3 c1-d1 c3-d3 ";
    assert_eq!(ending(from_start(NAME, Side::Attackers, &round.repeat(2)).outcome()), "draw by repetition");
}
