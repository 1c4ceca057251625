//! Section 8: tartu.

use std::sync::Arc;

use tablut_rules::{First, Game, Move, MoveList, Side};

use crate::show::{ending, from_start, game, may, played, rules, taken, variant, winner};

const NAME: &str = "tartu";

#[test]
fn ta1_attackers_move_first() {
    assert_eq!(rules(NAME).set().first, First::Attackers);
}

#[test]
fn ta2_corners_are_the_escape_and_the_kings_alone() {
    assert_eq!(winner(NAME, "d Ka4 th8", "a4-a1"), Some(Side::Defenders));
    assert_eq!(winner(NAME, "d Kc4 th8", "c4-c1"), None);
    assert!(!may(NAME, "a ta4 Ke5", "a4-a1") && !may(NAME, "d Ta4 Ke5 th8", "a4-a1"));
}

#[test]
fn ta3_only_the_king_lands_on_the_throne_and_all_pass() {
    for pieces in ["a td5 Kc3", "d Td5 Kc3"] {
        assert!(!may(NAME, pieces, "d5-e5") && may(NAME, pieces, "d5-f5"), "{pieces}");
    }
    assert!(may(NAME, "d Kd5 tc3", "d5-e5") && may(NAME, "d Kd5 tc3", "d5-f5"));
}

#[test]
fn ta4_corners_and_the_empty_throne_are_hostile_to_everybody() {
    assert_eq!(taken(NAME, "a Tb1 tc3 Kg7", "c3-c1"), "b1");
    assert_eq!(taken(NAME, "d tb1 Tc3 Kg7", "c3-c1"), "b1");
    assert_eq!(winner(NAME, "a Kb1 tc3", "c3-c1"), Some(Side::Attackers));
    assert_eq!(taken(NAME, "a Te4 te1 Kc3", "e1-e3"), "e4");
    assert_eq!(taken(NAME, "d te4 Te1 Kc3", "e1-e3"), "e4");
    assert_eq!(winner(NAME, "a Ke4 te1", "e1-e3"), Some(Side::Attackers));
}

#[test]
fn ta4_throne_with_the_king_is_hostile_to_attackers_alone() {
    assert_eq!(taken(NAME, "d te4 Te1 Ke5", "e1-e3"), "e4");
    assert_eq!(taken(NAME, "a Te4 te1 Ke5", "e1-e3"), "");
}

#[test]
fn ta5_king_is_armed_and_falls_like_a_soldier() {
    assert_eq!(taken(NAME, "d Kd7 tc4 Tb4", "d7-d4"), "c4");
    for pieces in ["a Kc3 tb3 td6", "a Kc1 tb1 td6"] {
        let to = if pieces.contains("Kc3") { "d3" } else { "d1" };
        assert_eq!(winner(NAME, pieces, &format!("d6-{to}")), Some(Side::Attackers), "{pieces}");
    }
    assert_eq!(winner(NAME, "a Ke5 te4 ta6", "a6-e6"), Some(Side::Attackers), "on the throne too");
    assert_eq!(winner(NAME, "a Ke4 td4 tf2", "f2-f4"), Some(Side::Attackers), "beside the throne");
    assert_eq!(winner(NAME, "a Kc3 tc2 td6", "d6-d3"), None, "not opposite");
    assert_eq!(winner(NAME, "a Kc2 tc7", "c7-c3"), None, "the edge is no captor");
}

#[test]
fn ta6_a_move_captures_all_and_no_move_loses() {
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4");
    assert_eq!(taken(NAME, "d Kg7 tb3 Ta4 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "d3 c4");
    let rules = variant("base = \"tartu\"");
    assert_eq!(ending(game(&rules, "d ta4 Ta3 Ta5 Tb7 Kg7", "b7-b4").outcome()), "defenders by no-moves");
    assert_eq!(ending(game(&rules, "d ta4 Ta3 Ta6 Tb7 Kg7", "b7-b4").outcome()), "none");
}

#[test]
fn ta7_third_occurrence_loses_for_the_mover() {
    let round = "a4-b4 e3-d3 b4-a4 d3-e3 ";
    let by_defenders = from_start(NAME, Side::Attackers, &round.repeat(2));
    assert_eq!(ending(by_defenders.outcome()), "attackers by repetition", "the start counts");
    let once = from_start(NAME, Side::Attackers, round);
    assert_eq!(ending(once.outcome()), "none");
    let later = format!("e3-d3 {}", "a4-b4 d3-c3 b4-a4 c3-d3 a4-b4 d3-c3 b4-a4 c3-d3");
    assert_eq!(ending(from_start(NAME, Side::Defenders, &later).outcome()), "attackers by repetition");
    let by_attackers = from_start(NAME, Side::Defenders, &"e3-d3 a4-b4 d3-e3 b4-a4 ".repeat(2));
    assert_eq!(ending(by_attackers.outcome()), "defenders by repetition");
}

/// A game that never repeats a position or captures the king. It makes no capture until `patience` plies have passed
/// without one. It stops at its end or after `plies` plies.
fn long_game(patience: u32, plies: u32) -> Game {
    let mut game = Game::new(Arc::new(rules(NAME)), Side::Attackers);
    let mut moves = MoveList::new();
    while game.outcome().is_none() && game.ply() < plies {
        game.legal_moves(&mut moves);
        let begin = game.ply() as usize * 7 % moves.len();
        let in_turn = || moves[begin..].iter().chain(&moves[..begin]).copied();
        let impatient = game.plies_since_capture() >= patience;
        let fits = |mv: Move, captures: bool| {
            let mut next = game.clone();
            let applied = next.play_trusted(mv);
            let decisive = next.outcome().is_some_and(|o| o.winner.is_some());
            !decisive && next.occurrences() == 0 && applied.captured.is_empty() != captures
        };
        let capture = in_turn().find(|&mv| impatient && fits(mv, true));
        let mv = capture.or_else(|| in_turn().find(|&mv| fits(mv, false)));
        game.play_trusted(mv.expect("a move to a new position"));
    }
    game
}

#[test]
fn ta7_two_hundred_quiet_plies_are_a_draw() {
    let game = long_game(1000, 300);
    assert_eq!(ending(game.outcome()), "draw by no-captures");
    assert_eq!((game.ply(), game.plies_since_capture()), (200, 200));
    assert_eq!(ending(long_game(1000, 199).outcome()), "none");
}

#[test]
fn ta7_the_512th_ply_is_a_draw() {
    let game = long_game(50, 600);
    assert_eq!(ending(game.outcome()), "draw by ply-limit");
    assert_eq!(game.ply(), 512);
    assert_eq!(ending(long_game(50, 511).outcome()), "none");
}

#[test]
fn ta7_a_longer_limit_of_a_match_does_not_lift_it() {
    let rules = variant("base = \"tartu\"\nmax-plies = 2\nno-capture-plies = 2");
    let game = Game::new(rules, Side::Attackers).with_max_plies(1000);
    assert_eq!(ending(played(game, "a4-b4 e3-d3").outcome()), "draw by no-captures", "C12");
}
