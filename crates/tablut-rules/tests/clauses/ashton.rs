//! Section 9: ashton, the challenge's rules.

use tablut_rules::{First, Side};

use crate::show::{ending, from_start, game, may, moves_of, rules, taken, variant, winner};

const NAME: &str = "ashton";

#[test]
fn as01_defenders_move_first() {
    assert_eq!(rules(NAME).set().first, First::Defenders);
}

#[test]
fn as02_edge_squares_but_camps_are_the_escape() {
    assert_eq!(winner(NAME, "d Kc3 th8", "c3-c1"), Some(Side::Defenders));
    assert_eq!(winner(NAME, "d Kc3 th8", "c3-c2"), None);
    assert_eq!(rules(NAME).escapes().len(), 20);
}

#[test]
fn as03_nobody_lands_on_the_left_throne_or_passes_it() {
    for pieces in ["a td5 Kc3", "d Td5 Kc3", "d Kd5 tc3"] {
        assert!(!may(NAME, pieces, "d5-e5") && !may(NAME, pieces, "d5-f5"), "{pieces}");
        assert!(may(NAME, pieces, "d5-d6"), "{pieces}");
    }
    assert!(may(NAME, "d Ke5 tc3", "e5-f5"), "the king leaves");
}

#[test]
fn as04_an_attacker_in_a_camp_moves_within_its_group() {
    assert_eq!(moves_of(NAME, "a ta4 Kg7", "a4"), "a5 a6 a7 a8 a9 b4 c4 d4 e4 f4 g4 h4 a3 a2 a1");
    assert_eq!(moves_of(NAME, "a tb5 Kg7", "b5"), "b6 b7 b8 b9 c5 d5 b4 b3 b2 b1 a5");
    assert!(!may(NAME, "a te2 Kg7", "e2-e8"), "the throne is in the way");
    assert_eq!(moves_of(NAME, "a ta4 Kg7", "a4").matches("i4").count(), 0, "not into the group across");
    assert_eq!(moves_of(NAME, "a td1 Ke5", "d1"), "d2 d3 d4 d5 d6 d7 d8 e1 f1 g1 h1 i1 c1 b1 a1", "d9 is a camp");
}

#[test]
fn as04_an_attacker_outside_never_enters_a_camp() {
    assert_eq!(moves_of(NAME, "a ta3 Kg7", "a3"), "b3 c3 d3 e3 f3 g3 h3 i3 a2 a1", "a4 is a camp");
    assert_eq!(moves_of(NAME, "a tb4 Kg7", "b4"), "c4 d4 e4 f4 g4 h4 b3 b2 b1", "so are a4, b5 and i4");
}

#[test]
fn as04_king_and_defenders_never_enter_a_camp() {
    assert_eq!(moves_of(NAME, "d Tb4 Kg7 th3", "b4"), "c4 d4 e4 f4 g4 h4 b3 b2 b1");
    assert_eq!(moves_of(NAME, "d Kb4 Tg7 th3", "b4"), "c4 d4 e4 f4 g4 h4 b3 b2 b1");
}

#[test]
fn as05_throne_is_always_hostile_to_defenders() {
    assert_eq!(taken(NAME, "a Te4 te2 Kc3", "e2-e3"), "e4", "empty");
    assert_eq!(taken(NAME, "a Te4 te2 Ke5", "e2-e3"), "e4", "with the king on it");
    assert_eq!(taken(NAME, "a Te3 te2 td4 Ke5", "d4-e4"), "e3", "e2 is an attacker");
    assert_eq!(taken(NAME, "a Tf4 tf1 Kc3", "f1-f3"), "", "f5 is no throne");
}

#[test]
fn as05_every_camp_is_hostile_to_defenders() {
    assert_eq!(taken(NAME, "a Te3 tb4 Kg7", "b4-e4"), "e3", "the empty camp e2");
    assert_eq!(taken(NAME, "a Tc5 td9 Kg7", "d9-d5"), "c5", "the empty camp b5");
    assert_eq!(taken(NAME, "a Ta3 tb2 Kg7", "b2-a2"), "a3", "the empty camp a4");
    assert_eq!(taken(NAME, "a Ta3 ta4 tb2 Kg7", "b2-a2"), "a3", "an occupied camp");
    assert_eq!(taken(NAME, "a Td3 tb4 Kg7", "b4-d4"), "", "d2 is no camp");
}

#[test]
fn as06_empty_throne_is_hostile_to_attackers() {
    assert_eq!(taken(NAME, "d te4 Tc3 Kg7", "c3-e3"), "e4");
    assert_eq!(taken(NAME, "d te4 Tc3 Ke5", "c3-e3"), "e4", "the armed king captures as a piece");
    assert_eq!(taken(NAME, "d td4 Tc3 Kg7", "c3-d3"), "", "d5 is no throne");
}

#[test]
fn as06_camps_but_the_edge_middles_are_hostile_to_attackers() {
    assert_eq!(taken(NAME, "d te3 Tb4 Kg7", "b4-e4"), "e3", "the empty camp e2");
    assert_eq!(taken(NAME, "d te3 te2 Tb4 Kg7", "b4-e4"), "e3", "occupied by an attacker");
    assert_eq!(taken(NAME, "d ta3 Tb2 Kg7", "b2-a2"), "a3", "a4");
    assert_eq!(taken(NAME, "d te2 Tb3 Kg7", "b3-e3"), "", "e1 is an edge's middle");
    assert_eq!(taken(NAME, "d tb5 Tc3 Kg7", "c3-c5"), "", "so is a5");
    assert_eq!(taken(NAME, "d te8 Td7 Kg3", "d7-e7"), "", "so is e9");
    assert_eq!(taken(NAME, "d th5 Tg3 Kg7", "g3-g5"), "", "so is i5");
}

#[test]
fn as07_king_is_armed() {
    assert_eq!(taken(NAME, "d Kd7 tc4 Tb4", "d7-d4"), "c4");
    assert_eq!(taken(NAME, "d Kd4 tc4 Tb2", "b2-b4"), "c4");
    assert_eq!(taken(NAME, "d Kd3 tc4 Tb2", "b2-b4"), "", "d4 is empty");
}

#[test]
fn as08_king_on_the_throne_falls_to_four_beside_it_to_three() {
    assert_eq!(winner(NAME, "a Ke5 te4 te6 td5 tf2", "f2-f5"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Ke5 te4 te6 tf2", "f2-f5"), None);
    assert_eq!(winner(NAME, "a Ke4 te3 td4 tf2", "f2-f4"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Ke4 td4 tf2", "f2-f4"), None);
    assert_eq!(winner(NAME, "a Ke4 te2", "e2-e3"), None);
}

#[test]
fn as08_king_elsewhere_falls_to_two_or_one_and_a_camp() {
    assert_eq!(winner(NAME, "a Kc3 tb3 td6", "d6-d3"), Some(Side::Attackers));
    assert_eq!(winner(NAME, "a Kc3 tb2 td6", "d6-d3"), None);
    assert_eq!(winner(NAME, "a Ke3 tb4", "b4-e4"), Some(Side::Attackers), "the empty camp e2");
    assert_eq!(winner(NAME, "a Kb6 tb9", "b9-b7"), Some(Side::Attackers), "the empty camp b5");
    assert_eq!(winner(NAME, "a Kb6 tc9", "c9-c6"), Some(Side::Attackers), "the empty camp a6");
    assert_eq!(winner(NAME, "a Kb7 tc9", "c9-c7"), None, "a7 is no camp");
}

#[test]
fn as09_a_move_captures_all_it_surrounds() {
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4");
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te4 tc4 Tc5 Tc1", "c1-c3"), "b3 c4");
}

#[test]
fn as10_second_occurrence_is_a_draw() {
    let going = from_start(NAME, Side::Defenders, "e4-d4 a4-a3 d4-d3 a3-a2 d3-d4");
    assert_eq!((ending(going.outcome()), going.occurrences()), ("none".to_owned(), 0));
    let drawn = from_start(NAME, Side::Defenders, "e4-d4 a4-a3 d4-d3 a3-a2 d3-d4 a2-a3");
    assert_eq!((ending(drawn.outcome()), drawn.occurrences()), ("draw by repetition".to_owned(), 1));
}

#[test]
fn as10_start_is_not_in_the_list() {
    let rules = variant("base = \"ashton\"");
    let (start, round) = ("d Td4 Kg7 ta3 tb8", "d4-d3 a3-a2 d3-d4 a2-a3");
    let back = game(&rules, start, round);
    assert_eq!(back.position(), back.start());
    assert_eq!((ending(back.outcome()), back.occurrences()), ("none".to_owned(), 0));
    // The position after the first move is in the list.
    assert_eq!(ending(game(&rules, start, &format!("{round} d4-d3")).outcome()), "draw by repetition");
}

#[test]
fn as10_list_begins_with_the_last_capture() {
    let moves = "e4-b4 i4-e4xe3".replace("xe3", "");
    let game = from_start(NAME, Side::Defenders, &moves);
    assert_eq!(game.plies_since_capture(), 0, "e3 is captured");
    // The position right after the capture is in the list.
    let back = from_start(NAME, Side::Defenders, &format!("{moves} b4-b3 e4-f4 b3-b4 f4-e4"));
    assert_eq!(ending(back.outcome()), "draw by repetition");
}
