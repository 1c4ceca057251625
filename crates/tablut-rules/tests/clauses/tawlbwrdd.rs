//! Section 13: tawlbwrdd and tawlbwrdd-lewis.

use tablut_rules::{First, Side};

use crate::show::{ending, from_start, may, rules, taken, winner};

const BOTH: [&str; 2] = ["tawlbwrdd", "tawlbwrdd-lewis"];

#[test]
fn tw1_board_has_eleven_squares_a_side() {
    let starts = BOTH.map(|name| rules(name).start(Side::Attackers).rows());
    assert_eq!(starts[0], "4ttt4/4t1t4/5t5/5T5/tt2TTT2tt/t1tTTKTTt1t/tt2TTT2tt/5T5/5t5/4t1t4/4ttt4");
    assert_eq!(starts[1], "4ttt4/4ttt4/5T5/5T5/tt3T3tt/ttTTTKTTTtt/tt3T3tt/5T5/5T5/4ttt4/4ttt4");
}

#[test]
fn tw2_attackers_move_first() {
    assert!(BOTH.iter().all(|name| rules(name).set().first == First::Attackers));
}

#[test]
fn tw3_every_edge_square_is_an_escape() {
    for name in BOTH {
        assert_eq!(winner(name, "d Kc4 te5", "c4-c1"), Some(Side::Defenders), "{name}");
        assert!(may(name, "a ta4 Ke5", "a4-a1"), "{name}: corners are ordinary squares");
        assert_eq!(taken(name, "a Tb1 tc3 Kg7", "c3-c1"), "", "{name}: corners are ordinary squares");
    }
}

#[test]
fn tw4_middle_is_an_ordinary_square() {
    for name in BOTH {
        assert!(may(name, "a te6 Kc3", "e6-f6") && may(name, "a te6 Kc3", "e6-g6"), "{name}");
        assert_eq!(taken(name, "d tf5 Tf2 Kc3", "f2-f4"), "", "{name}");
    }
}

#[test]
fn tw5_king_is_armed_and_falls_to_two() {
    for name in BOTH {
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), "c4", "{name}");
        assert_eq!(winner(name, "a Kf6 te6 tg9", "g9-g6"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Kf6 te6 tf9", "f9-f7"), None, "{name}");
    }
}

#[test]
fn tw6_third_occurrence_is_a_draw() {
    for name in BOTH {
        let round = "e1-d1 f4-g4 d1-e1 g4-f4 ";
        let game = from_start(name, Side::Attackers, &round.repeat(2));
        assert_eq!(ending(game.outcome()), "draw by repetition", "{name}");
    }
}
