//! Section 7: kvasir.

use tablut_rules::{First, Side};

use crate::show::{ending, from_start, game, may, rules, taken, variant, winner};

const NAME: &str = "kvasir";

#[test]
fn kv01_attackers_move_first() {
    assert_eq!(rules(NAME).set().first, First::Attackers);
}

#[test]
fn kv02_every_edge_square_is_an_escape() {
    for to in ["c1", "c9", "a3", "i3"] {
        assert_eq!(winner(NAME, "d Kc3 th8", &format!("c3-{to}")), Some(Side::Defenders), "{to}");
    }
    assert_eq!(winner(NAME, "d Kb2 th8", "b2-b8"), None);
}

#[test]
fn kv03_only_the_king_lands_on_the_throne_and_all_pass() {
    for pieces in ["a td5 Kc3", "d Td5 Kc3"] {
        assert!(!may(NAME, pieces, "d5-e5") && may(NAME, pieces, "d5-f5"), "{pieces}");
    }
    assert!(may(NAME, "d Kd5 tc3", "d5-e5") && may(NAME, "d Kd5 tc3", "d5-f5"));
}

#[test]
fn kv04_throne_is_always_hostile_to_attackers() {
    assert_eq!(taken(NAME, "d te4 Tc3 Kg7", "c3-e3"), "e4", "empty");
    assert_eq!(taken(NAME, "d te4 Tc3 Ke5", "c3-e3"), "e4", "with the king on it");
    // With an unarmed king, only the square can be the captor, not the piece.
    let rules = variant("base = \"kvasir\"\n[king]\narmed = false");
    let unarmed = game(&rules, "d te4 Tc3 Ke5 th8", "");
    let applied = unarmed.rules().apply(unarmed.position(), crate::show::mv("c3-e3"));
    assert_eq!(applied.captured.len(), 1);
}

#[test]
fn kv04_throne_is_hostile_to_defenders_only_when_empty() {
    assert_eq!(taken(NAME, "a Te4 tc3 Kg7", "c3-e3"), "e4");
    assert_eq!(taken(NAME, "a Te4 tc3 Ke5", "c3-e3"), "");
}

#[test]
fn kv05_king_is_armed() {
    assert_eq!(taken(NAME, "d Kd7 tc4 Tb4", "d7-d4"), "c4");
    assert_eq!(taken(NAME, "d Kd4 tc4 Tb7", "b7-b4"), "c4");
}

#[test]
fn kv06_king_on_the_throne_falls_to_four() {
    assert_eq!(winner(NAME, "a Ke5 te4 te6 td5 tf2", "f2-f5"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Ke5 te4 te6 tf2", "f2-f5"), None);
    assert_eq!(winner(NAME, "a Ke5 te4 te6 Td5 tf2", "f2-f5"), None, "a defender keeps a side open");
}

#[test]
fn kv06_king_beside_the_throne_falls_to_three() {
    assert_eq!(winner(NAME, "a Ke4 te3 td4 tf2", "f2-f4"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Ke4 td4 tf2", "f2-f4"), None, "two opposite ones are not enough");
    assert_eq!(winner(NAME, "a Ke4 te1", "e1-e3"), None, "one and the throne neither");
}

#[test]
fn kv06_king_elsewhere_falls_like_a_soldier() {
    assert_eq!(winner(NAME, "a Kc3 tb3 td6", "d6-d3"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Kc3 tb2 td6", "d6-d3"), None);
    assert_eq!(winner(NAME, "d Kc7 tb3 td3", "c7-c3"), None, "stepping in is safe");
}

#[test]
fn kv07_a_move_captures_all_it_surrounds_but_not_at_the_edge() {
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4");
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc6 Tc1", "c1-c3"), "b3 d3");
    assert_eq!(taken(NAME, "d Kg7 ta3 Tb6", "b6-b3"), "", "the edge is not hostile");
}

#[test]
fn kv08_no_legal_move_loses() {
    let rules = variant("base = \"kvasir\"");
    assert_eq!(ending(game(&rules, "d ta1 Tb1 Tc2 Kg7", "c2-a2").outcome()), "defenders by no-moves");
    assert_eq!(ending(game(&rules, "d ta1 Tb1 Tc3 Kg7", "c3-a3").outcome()), "none");
}

#[test]
fn kv09_third_occurrence_with_a_choice_for_both_loses_for_the_mover() {
    let round = "a4-b4 e3-d3 b4-a4 d3-e3 ";
    assert_eq!(ending(from_start(NAME, Side::Attackers, round).outcome()), "none");
    let game = from_start(NAME, Side::Attackers, &round.repeat(2));
    assert_eq!(ending(game.outcome()), "attackers by aggressor", "defenders brought the start back");
    let game = from_start(NAME, Side::Defenders, &"e3-d3 a4-b4 d3-e3 b4-a4 ".repeat(2));
    assert_eq!(ending(game.outcome()), "defenders by aggressor");
}

/// The king steps between rows 5 and 6, each time with an open way to the edge. An attacker follows to block it. The
/// attackers have no choice; the defenders have one.
const SIDE_STEP: &str = "Kb5 ta5 tb9 tb1 Tg8 th5";
const FORCED: &str = "b5-b6 a5-a6 b6-b5 a6-a5 ";
/// A round from the same position in which neither side threatens a win.
const FREE: &str = "g8-g7 h5-h6 g7-g8 h6-h5 ";

fn side_stepping(moves: &str) -> String {
    ending(game(&variant("base = \"kvasir\""), &format!("d {SIDE_STEP}"), moves).outcome())
}

#[test]
fn kv09_the_defenders_are_the_aggressor_though_the_attackers_complete_it() {
    assert_eq!(side_stepping(FORCED), "none");
    assert_eq!(side_stepping(&FORCED.repeat(2)), "attackers by aggressor");
}

#[test]
fn kv09_only_plies_since_the_second_occurrence_count() {
    assert_eq!(side_stepping(&format!("{FREE}{FORCED}")), "attackers by aggressor");
    assert_eq!(side_stepping(&format!("{FORCED}{FREE}")), "defenders by aggressor", "both had a choice");
}

#[test]
fn kv09_the_attackers_are_the_aggressor_though_the_defenders_complete_it() {
    // The enclosed king must step out of the way of d8 each time. Nothing forces the attackers.
    let start = "a Kc4 tb5 td8 ta4 ta5 tg4 tg5 tc8 tc2";
    let rules = variant("base = \"kvasir\"");
    let round = "b5-b4 c4-c5 b4-b5 c5-c4 ";
    assert_eq!(ending(game(&rules, start, round).outcome()), "none");
    assert_eq!(ending(game(&rules, start, &round.repeat(2)).outcome()), "defenders by aggressor");
}

#[test]
fn kv09_is_a_draw_where_neither_had_a_choice() {
    // Each step of the king opens a way out. Each time the attackers block it, they also threaten to capture him by c8.
    let start = "d Kb4 ta4 tc8 tg4 tg5 tb8 tb2";
    let rules = variant("base = \"kvasir\"");
    let round = "b4-b5 a4-a5 b5-b4 a5-a4 ";
    assert_eq!(ending(game(&rules, start, &round.repeat(2)).outcome()), "draw by repetition");
    // Without pieces that threaten, the king had a choice.
    let idle = "d Kb4 ta4 Tg4 Tg5 tb8 tb2";
    assert_eq!(ending(game(&rules, idle, &round.repeat(2)).outcome()), "attackers by aggressor");
}
