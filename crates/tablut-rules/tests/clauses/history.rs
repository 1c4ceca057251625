//! Section 1: repetition, length and the order of checks (C9, C10, C12).

use std::sync::Arc;

use tablut_rules::{Game, Side};

use crate::show::{ending, from_start, game, mv, played, rules, tablut_names, variant};

/// Four plies that lead back to the start, attackers first.
const ROUND: &str = "a4-b4 e3-d3 b4-a4 d3-e3 ";

fn draws_at_the_third(name: &str) -> bool {
    !matches!(name, "kvasir" | "tartu" | "ashton")
}

#[test]
fn c9_third_occurrence_is_a_draw() {
    for name in tablut_names().filter(|&name| draws_at_the_third(name)) {
        let game = from_start(name, Side::Attackers, &ROUND.repeat(2));
        assert_eq!(ending(game.outcome()), "draw by repetition", "{name}");
        assert_eq!(game.occurrences(), 2, "{name}");
        let seven = from_start(name, Side::Attackers, ROUND.repeat(2).trim_end().trim_end_matches("d3-e3"));
        assert_eq!(ending(seven.outcome()), "none", "{name}: one ply short");
    }
}

#[test]
fn c9_start_is_its_own_first_occurrence() {
    for name in tablut_names().filter(|&name| draws_at_the_third(name)) {
        let game = from_start(name, Side::Attackers, ROUND);
        assert_eq!((game.occurrences(), game.outcome()), (1, None), "{name}");
    }
}

#[test]
fn c9_the_side_to_move_belongs_to_the_position() {
    // The same board with the other side to move: a piece that walks a triangle loses a tempo.
    let moves = "a4-b4 e3-d3 b4-c4 d3-e3 c4-a4 e3-d3 a4-b4 d3-e3";
    let game = from_start("masters", Side::Attackers, moves);
    let board = |game: &Game| game.position().to_string().split(' ').next().map(str::to_owned);
    let first = from_start("masters", Side::Attackers, "a4-b4");
    assert_eq!(board(&game), board(&first));
    assert_ne!(game.position().side_to_move(), first.position().side_to_move());
    assert_eq!(game.occurrences(), 0);
}

#[test]
fn c10_ply_limit_is_a_draw() {
    let rules = Arc::new(rules("kvasir"));
    let limited = || Game::new(Arc::clone(&rules), Side::Attackers).with_max_plies(3);
    let three = played(limited(), "a4-b4 e3-d3 b4-a4");
    assert_eq!(ending(three.outcome()), "draw by ply-limit");
    assert_eq!(ending(played(limited(), "a4-b4 e3-d3").outcome()), "none");
    let mut over = three.clone();
    let error = over.play(mv("d3-e3")).expect_err("the game is over");
    assert_eq!(error.to_string(), "d3-e3 is illegal: the game is over");
    assert_eq!(over.undo(), Some(mv("b4-a4")));
    assert_eq!(over.outcome(), None);
}

#[test]
fn c12_king_goes_before_the_ply_limit() {
    let rules = variant("base = \"kvasir\"\nmax-plies = 1\nno-capture-plies = 1");
    assert_eq!(ending(game(&rules, "d Ke5 ta1", "e5-e9").outcome()), "defenders by king-escaped");
    assert_eq!(ending(game(&rules, "a Kc4 tb4 td1", "d1-d4").outcome()), "attackers by king-captured");
    assert_eq!(ending(game(&rules, "d Ke5 ta1", "e5-e8").outcome()), "draw by no-captures");
}

#[test]
fn c12_repetition_goes_before_the_no_capture_limit() {
    let limit = |plies: u32| variant(&format!("base = \"tartu\"\nno-capture-plies = {plies}"));
    let twice = ROUND.repeat(2);
    let ends = |plies| ending(played(Game::new(limit(plies), Side::Attackers), &twice).outcome());
    assert_eq!(ends(8), "attackers by repetition", "both on the eighth ply");
    let cut = twice.trim_end().trim_end_matches("d3-e3");
    assert_eq!(ending(played(Game::new(limit(7), Side::Attackers), cut).outcome()), "draw by no-captures");
}

#[test]
fn c12_no_capture_limit_goes_before_no_moves() {
    let rules = |plies: u32| variant(&format!("base = \"kvasir\"\nno-capture-plies = {plies}"));
    let ends = |plies| ending(game(&rules(plies), "d ta1 Tb1 Tc2 Kg7", "c2-a2").outcome());
    assert_eq!(ends(1), "draw by no-captures");
    assert_eq!(ends(2), "defenders by no-moves");
}

#[test]
fn c12_no_moves_goes_before_the_ply_limit() {
    let rules = variant("base = \"kvasir\"\nmax-plies = 1");
    assert_eq!(ending(game(&rules, "d ta1 Tb1 Tc2 Kg7", "c2-a2").outcome()), "defenders by no-moves");
    assert_eq!(ending(game(&rules, "d ta1 Tb1 Tc2 Kg7", "c2-c3").outcome()), "draw by ply-limit");
}
