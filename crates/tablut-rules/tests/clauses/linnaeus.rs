//! Section 5: linnaeus and its variant with open camps.

use tablut_rules::{First, Side};

use crate::show::{may, moves_of, rules, taken, winner};

const BOTH: [&str; 2] = ["linnaeus", "linnaeus-open-camps"];

#[test]
fn li1_attackers_move_first() {
    for name in BOTH {
        assert_eq!(rules(name).set().first, First::Attackers, "{name}");
    }
}

#[test]
fn li2_edge_squares_but_camps_are_the_escape() {
    for name in BOTH {
        assert_eq!(winner(name, "d Kc3 th8", "c3-c1"), Some(Side::Defenders), "{name}");
        assert_eq!(winner(name, "d Kg2 th8", "g2-i2"), Some(Side::Defenders), "{name}");
        assert_eq!(rules(name).escapes().len(), 32 - 12, "{name}");
        assert!(!may(name, "d Kd3 th8", "d3-d1"), "{name}: the edge of a camp");
    }
}

#[test]
fn li3_camps_are_closed_to_king_and_defenders() {
    let name = "linnaeus";
    assert_eq!(moves_of(name, "d Te4 Kg7 tc3", "e4"), "f4 g4 h4 e3 d4 c4 b4", "north is the throne");
    assert_eq!(moves_of(name, "d Ke3 Tg7 tc3", "e3"), "e4 f3 g3 h3 i3 d3");
    assert!(!may(name, "d Tb8 Kg7 tc3", "b8-e8"), "not onto a camp");
    assert!(!may(name, "d Tb8 Kg7 tc3", "b8-f8"), "nor over it, though empty");
    assert!(may(name, "a tb8 Kg7", "b8-e8") && may(name, "a tb8 Kg7", "b8-f8"), "attackers do both");
    assert!(may(name, "a tb8 Kg7", "b8-b1"));
}

#[test]
fn li3_open_camps_binds_the_king_only() {
    let name = "linnaeus-open-camps";
    assert!(may(name, "d Tb8 Kg7 tc3", "b8-e8") && may(name, "d Tb8 Kg7 tc3", "b8-f8"));
    assert!(!may(name, "d Kb8 tc3", "b8-e8") && !may(name, "d Kb8 tc3", "b8-f8"));
    assert!(may(name, "a tb8 Kg7", "b8-f8"));
}

#[test]
fn li4_nobody_lands_on_the_left_throne_or_passes_it() {
    for name in BOTH {
        for pieces in ["a td5 Kc3", "d Td5 Kc3", "d Kd5 tc3"] {
            assert!(!may(name, pieces, "d5-e5") && !may(name, pieces, "d5-f5"), "{name}: {pieces}");
            assert!(may(name, pieces, "d5-d6"), "{name}: {pieces}");
        }
        assert!(may(name, "d Ke5 tc3", "e5-f5"), "{name}: the king leaves");
    }
}

#[test]
fn li5_neither_throne_nor_camps_are_hostile() {
    for name in BOTH {
        assert_eq!(taken(name, "a Te4 te1 Kc3", "e1-e3"), "", "{name}");
        assert_eq!(taken(name, "d te4 Tf3 Kc3", "f3-e3"), "", "{name}");
        assert_eq!(taken(name, "a Te3 tb4 Kg7", "b4-e4"), "", "{name}: before the camp e2");
        assert_eq!(taken(name, "d te3 Tb4 Kg7", "b4-e4"), "", "{name}");
        assert_eq!(taken(name, "a Te3 te2 tb4 Kg7", "b4-e4"), "e3", "{name}: an attacker on the camp captures");
    }
}

#[test]
fn li6_king_is_armed() {
    for name in BOTH {
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), "c4", "{name}");
        assert_eq!(taken(name, "d Kd4 tc4 Tb2", "b2-b4"), "c4", "{name}");
    }
}

#[test]
fn li7_king_falls_to_four_on_the_throne_and_elsewhere() {
    for name in BOTH {
        assert_eq!(winner(name, "a Ke5 te4 te6 td5 tf2", "f2-f5"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Kc3 tc2 tc4 tb3 td6", "d6-d3"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke5 te4 te6 tf2", "f2-f5"), None, "{name}: three");
        assert_eq!(winner(name, "a Kc3 tc2 tc4 td6", "d6-d3"), None, "{name}: three");
        assert_eq!(winner(name, "a Kc3 tb3 td6", "d6-d3"), None, "{name}: two");
    }
}

#[test]
fn li8_king_beside_the_throne_falls_to_three() {
    for name in BOTH {
        assert_eq!(winner(name, "a Ke4 te3 td4 tf2", "f2-f4"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke4 td4 tf2", "f2-f4"), None, "{name}: two");
        assert_eq!(winner(name, "a Ke4 Te3 td4 tf2", "f2-f4"), None, "{name}: two and a defender");
        assert_eq!(winner(name, "a Kd4 td3 tc4 te2", "e2-e4"), None, "{name}: three, but not beside it");
    }
}

#[test]
fn li9_a_move_captures_all_it_surrounds() {
    for name in BOTH {
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4", "{name}");
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te4 tc4 Tc5 Tc1", "c1-c3"), "b3 c4", "{name}");
    }
}
