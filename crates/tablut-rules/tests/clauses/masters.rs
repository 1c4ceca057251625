//! Section 6: masters and its three variants.

use tablut_rules::{First, Side};

use crate::show::{may, rules, taken, winner};

const ALL: [&str; 4] = ["masters", "masters-edge", "masters-weak-king", "masters-armed-king"];

/// The rule sets in which the king escapes at the corners.
const CORNERED: [&str; 3] = ["masters", "masters-weak-king", "masters-armed-king"];

/// The rule sets in which the king must be surrounded.
const STRONG: [&str; 3] = ["masters", "masters-edge", "masters-armed-king"];

#[test]
fn ma1_attackers_move_first() {
    for name in ALL {
        assert_eq!(rules(name).set().first, First::Attackers, "{name}");
    }
}

#[test]
fn ma2_corners_are_the_escape_and_the_kings_alone() {
    for name in CORNERED {
        assert_eq!(winner(name, "d Ka4 th8", "a4-a1"), Some(Side::Defenders), "{name}");
        assert_eq!(winner(name, "d Kc4 th8", "c4-c1"), None, "{name}: an ordinary edge square");
        assert!(!may(name, "a ta4 Ke5", "a4-a1") && !may(name, "d Ta4 Ke5 th8", "a4-a1"), "{name}");
    }
}

#[test]
fn ma2_edge_variant_escapes_anywhere_and_opens_the_corners() {
    let name = "masters-edge";
    assert_eq!(winner(name, "d Kc4 th8", "c4-c1"), Some(Side::Defenders));
    assert_eq!(winner(name, "d Kc4 th8", "c4-c2"), None);
    assert!(may(name, "a ta4 Ke5", "a4-a1") && may(name, "d Ta4 Ke5 th8", "a4-a1"));
    assert!(rules(name).corners().is_empty());
}

#[test]
fn ma3_throne_is_an_ordinary_square() {
    for name in ALL {
        for pieces in ["a td5 Kc3", "d Td5 Kc3", "d Kd5 tc3"] {
            assert!(may(name, pieces, "d5-e5") && may(name, pieces, "d5-f5"), "{name}: {pieces}");
        }
        assert_eq!(taken(name, "a Te4 te1 Kc3", "e1-e3"), "", "{name}");
        assert_eq!(taken(name, "d te4 Te1 Kc3", "e1-e3"), "", "{name}");
        assert!(!may(name, "a td5 Ke5", "d5-f5"), "{name}: not over the king");
    }
}

#[test]
fn ma4_corners_are_hostile_to_soldiers_but_in_the_edge_variant() {
    for name in ALL {
        let hostile = name != "masters-edge";
        assert_eq!(taken(name, "a Tb1 tc3 Ke5", "c3-c1"), if hostile { "b1" } else { "" }, "{name}");
        assert_eq!(taken(name, "d ta8 Tc7 Ke5", "c7-a7"), if hostile { "a8" } else { "" }, "{name}");
        assert_eq!(taken(name, "a Tc1 td3 Ke5", "d3-d1"), "", "{name}: one square further");
    }
}

#[test]
fn ma5_king_is_unarmed_but_in_the_armed_variant() {
    for name in ALL {
        let expected = if name == "masters-armed-king" { "c4" } else { "" };
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), expected, "{name}");
        assert_eq!(taken(name, "d Kd4 tc4 Tb7", "b7-b4"), expected, "{name}");
    }
}

#[test]
fn ma6_king_falls_to_four() {
    for name in STRONG {
        assert_eq!(winner(name, "a Kc3 tc2 tc4 tb3 td6", "d6-d3"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke4 te5 te3 td4 tf2", "f2-f4"), Some(Side::Attackers), "{name}: one on e5");
        assert_eq!(winner(name, "a Ke4 te3 td4 tf2", "f2-f4"), None, "{name}: e5 closes nothing");
        assert_eq!(winner(name, "a Kc3 tc2 tc4 td6", "d6-d3"), None, "{name}: three");
    }
}

#[test]
fn ma6_king_on_the_edge_falls_to_three() {
    for name in ["masters", "masters-armed-king"] {
        assert_eq!(winner(name, "a Kd1 tc1 te1 td6", "d6-d2"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Kd1 tc1 td6", "d6-d2"), None, "{name}: two");
        assert_eq!(winner(name, "a Kd1 tc1 Te1 td6", "d6-d2"), None, "{name}: two and a defender");
    }
}

#[test]
fn ma6_king_beside_a_corner_is_safe() {
    for name in ["masters", "masters-armed-king"] {
        assert_eq!(winner(name, "a Kb1 tb2 tc6", "c6-c1"), None, "{name}");
        assert_eq!(winner(name, "a Kc1 tc2 tb1 td6", "d6-d1"), Some(Side::Attackers), "{name}: one further");
    }
}

#[test]
fn ma6_weak_king_falls_like_a_soldier() {
    let name = "masters-weak-king";
    for (pieces, last) in
        [("a Kc3 tb3 td6", "d6-d3"), ("a Ke5 te4 ta6", "a6-e6"), ("a Ke4 td4 tf2", "f2-f4"), ("a Kb1 tc6", "c6-c1")]
    {
        assert_eq!(winner(name, pieces, last), Some(Side::Attackers), "{pieces}");
    }
    assert_eq!(winner(name, "a Kc3 tc2 td6", "d6-d3"), None, "not opposite");
    assert_eq!(winner(name, "a Kc1 td6", "d6-d1"), None, "not beside the corner");
    assert_eq!(winner(name, "a Kc2 tc7", "c7-c3"), None, "the edge is no captor");
}

#[test]
fn ma7_a_move_captures_all_it_surrounds() {
    for name in ALL {
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4", "{name}");
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc6 Tc1", "c1-c3"), "b3 d3", "{name}");
    }
}
