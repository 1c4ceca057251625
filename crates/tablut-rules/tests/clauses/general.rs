//! Section 1: what is common to all rule sets (C1 to C8, C11).

use tablut_rules::{Bitboard, Position, Side};

use crate::show::{ending, game, may, moves_of, play, position, routes, rules, tablut_names, taken, variant, winner};

fn names_of(squares: Bitboard) -> String {
    let names: Vec<String> = squares.iter().map(|s| s.to_string()).collect();
    names.join(" ")
}

#[test]
fn c1_board_has_a_throne_four_corners_an_edge_and_sixteen_camps() {
    assert_eq!(names_of(rules("kvasir").throne()), "e5");
    assert_eq!(names_of(rules("ludoteka").corners()), "a1 i1 a9 i9");
    assert_eq!(names_of(rules("ashton").camps()), "d1 e1 f1 e2 a4 i4 a5 b5 h5 i5 a6 i6 e8 d9 e9 f9");
    assert_eq!(rules("kvasir").escapes().len(), 32);
    assert!(rules("masters").throne().is_empty());
    assert!(rules("kvasir").corners().is_empty() && rules("kvasir").camps().is_empty());
}

#[test]
fn c2_start_position() {
    let start = Position::start(Side::Attackers);
    assert_eq!(names_of(start.attackers()), "d1 e1 f1 e2 a4 i4 a5 b5 h5 i5 a6 i6 e8 d9 e9 f9");
    assert_eq!(names_of(start.defenders()), "e3 e4 c5 d5 f5 g5 e6 e7");
    assert_eq!(start.king().map(|s| s.to_string()).as_deref(), Some("e5"));
}

#[test]
fn c3_pieces_move_straight_over_empty_squares() {
    let pieces = "a tc3 tc6 Te3 Kg7";
    assert_eq!(moves_of("kvasir", pieces, "c3"), "c4 c5 d3 c2 c1 b3 a3");
    assert!(!may("kvasir", pieces, "c3-c6"), "landing on a piece");
    assert!(!may("kvasir", pieces, "c3-f3"), "jumping");
    assert!(!may("kvasir", pieces, "e3-e4"), "a piece of the other side");
    assert!(!may("kvasir", pieces, "b1-b2"), "an empty square");
    assert!("c3-d4".parse::<tablut_rules::Move>().is_err(), "diagonal");
    assert!("c3-c3".parse::<tablut_rules::Move>().is_err(), "passing the turn");
}

#[test]
fn c4_capture_is_active() {
    for name in tablut_names() {
        // Moving between two enemies is safe.
        let stepped_in = play(name, "d tb3 td3 Tc7 Kg7", "c7-c3");
        assert!(stepped_in.captured.is_empty(), "{name}");
        assert!(stepped_in.position.defenders().contains("c3".parse().expect("a square")), "{name}");
        // It stays safe while others move.
        assert_eq!(taken(name, "a tb3 td3 Tc3 th8 Kg7", "h8-h6"), "", "{name}");
        // It is captured when one captor moves there again.
        assert_eq!(taken(name, "a tb3 td4 Tc3 Kg7", "d4-d3"), "c3", "{name}");
    }
}

#[test]
fn c5_soldiers_are_captured_between_two_up_to_three_at_once() {
    for name in tablut_names().filter(|&name| name != "imperial") {
        assert_eq!(taken(name, "a tc7 Tc3 tc2 Kg7", "c7-c4"), "c3", "{name}: one");
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4", "{name}: three");
        assert_eq!(taken(name, "a tg3 Tb3 Tc2 tc1 Kg7", "g3-c3"), "c2", "{name}: a3 is empty, so b3 stays");
        assert_eq!(taken(name, "a tc7 Tc3 td2 Kg7", "c7-c4"), "", "{name}: not opposite");
    }
}

#[test]
fn c5_edge_is_never_hostile_to_a_soldier() {
    for name in tablut_names() {
        assert_eq!(taken(name, "a tb3 Tb1 Kg7", "b3-b2"), "", "{name}");
        assert_eq!(taken(name, "d ta3 Tc8 Kg7", "c8-c3"), "", "{name}");
        assert_eq!(taken(name, "d ta7 Tb8 Kg7", "b8-b7"), "", "{name}");
        assert_eq!(taken(name, "d ti7 Th8 Kg4", "h8-h7"), "", "{name}: no wrapping round the board");
    }
}

#[test]
fn c6_only_an_armed_king_captures() {
    for name in tablut_names() {
        let armed = rules(name).set().king.armed;
        let expected = if armed { "c4" } else { "" };
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), expected, "{name}: as the piece that moves");
        assert_eq!(taken(name, "d Kd4 tc4 Tb2", "b2-b4"), expected, "{name}: as the second captor");
    }
}

#[test]
fn c7_the_captured_king_is_named_and_gone() {
    let applied = play("kvasir", "a Kc4 tb4 td1 Tg5", "d1-d4");
    assert_eq!(names_of(applied.captured), "c4");
    assert_eq!(applied.winner, Some(Side::Attackers));
    assert_eq!(applied.position.king(), None);
    assert_eq!(winner("kvasir", "a Kc4 tb5 td1 Tg5", "d1-d4"), None);
}

#[test]
fn c7_escaping_captures_all_the_same() {
    let applied = play("kvasir", "d Kc4 td1 Te1 th8", "c4-c1");
    assert_eq!(names_of(applied.captured), "d1");
    assert_eq!(applied.winner, Some(Side::Defenders));
    assert_eq!(winner("kvasir", "d Kc4 td1 Te1 th8", "c4-c2"), None, "not yet at the edge");
    assert_eq!(winner("kvasir", "d Tc4 Ke5 th8", "c4-c1"), None, "only the king escapes");
}

#[test]
fn c8_a_side_without_a_move_loses() {
    for name in tablut_names() {
        let rules = variant(&format!("base = \"{name}\""));
        let blocked = game(&rules, "d ta1 Tb1 Tc2 Kg7", "c2-a2");
        assert_eq!(ending(blocked.outcome()), "defenders by no-moves", "{name}");
        let free = game(&rules, "d ta1 Tb2 Tc2 Kg7", "c2-c3");
        assert_eq!(ending(free.outcome()), "none", "{name}");
        let wiped_out = game(&rules, "d tc4 Tb4 Td7 Kg7", "d7-d4");
        assert_eq!(ending(wiped_out.outcome()), "defenders by no-moves", "{name}");
    }
    // The king has no soldiers. Pieces and a closed camp block him. He is not captured, but he has no legal move.
    let rules = variant("base = \"linnaeus\"");
    assert_eq!(ending(game(&rules, "a Ke3 td3 tf3 tc4", "c4-e4").outcome()), "attackers by no-moves");
    assert_eq!(ending(game(&rules, "a Ke3 td3 tf4 tc4", "c4-e4").outcome()), "none");
}

#[test]
fn c11_routes_are_directions_to_an_escape_square() {
    assert_eq!(routes("kvasir", "a Ke5 ta1"), 4);
    assert_eq!(routes("kvasir", "d Ke5 ta1"), 4, "on either side's turn");
    assert_eq!(routes("kvasir", "a Ke5 te7 Tg5 td5"), 1, "raichi");
    assert_eq!(routes("kvasir", "a Ke5 te7 Tg5 td5 te2"), 0);
    assert_eq!(routes("ludoteka", "a Ka4 ta8"), 1);
    assert_eq!(routes("ludoteka", "a Ka4 ti1"), 2, "tuichi");
    assert_eq!(routes("ludoteka", "a Ke5 ti1"), 0, "no corner in line");
    assert_eq!(routes("kvasir", "a Ka5 ti1"), 0, "over");
    let position = position("a Kg3 tg8 ti2");
    let squares = rules("kvasir").route_squares(&position);
    assert_eq!(names_of(squares), "g1 g2 a3 b3 c3 d3 e3 f3 h3 i3");
}

#[test]
fn c11_routes_are_none_in_a_game_that_is_over() {
    let limit = game(&variant("base = \"kvasir\"\nmax-plies = 1"), "a Ke5 ta1", "a1-a2");
    assert_eq!(ending(limit.outcome()), "draw by ply-limit");
    assert_eq!(limit.routes(), 0);
    let going = game(&variant("base = \"kvasir\""), "a Ke5 ta1", "a1-a2");
    assert_eq!(going.routes(), 4);
}
