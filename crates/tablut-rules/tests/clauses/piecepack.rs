//! Section 2: piecepack and its two variants.

use tablut_rules::{First, Side};

use crate::show::{may, rules, taken, winner};

/// The three games of the section.
const ALL: [&str; 3] = ["piecepack", "piecepack-defenders-first", "piecepack-open-castle"];

#[test]
fn pp01_attackers_move_first_but_in_the_variant() {
    assert_eq!(rules("piecepack").set().first, First::Attackers);
    assert_eq!(rules("piecepack-defenders-first").set().first, First::Defenders);
    assert_eq!(rules("piecepack-open-castle").set().first, First::Attackers);
}

#[test]
fn pp02_every_edge_square_is_an_escape() {
    for name in ALL {
        for to in ["c1", "c9", "a3", "i3"] {
            assert_eq!(winner(name, "d Kc3 th8", &format!("c3-{to}")), Some(Side::Defenders), "{name} {to}");
        }
        assert_eq!(winner(name, "d Kc3 th8", "c3-c2"), None, "{name}: a square short");
    }
}

#[test]
fn pp03_nobody_lands_on_the_left_throne_or_passes_it() {
    for name in ["piecepack", "piecepack-defenders-first"] {
        for (pieces, from) in [("a td5 Kc3", "d5"), ("d Td5 Kc3", "d5"), ("d Kd5 tc3", "d5")] {
            assert!(!may(name, pieces, &format!("{from}-e5")), "{name}: {pieces}");
            assert!(!may(name, pieces, &format!("{from}-f5")), "{name}: {pieces}");
            assert!(may(name, pieces, &format!("{from}-d6")), "{name}: {pieces}");
        }
        assert!(may(name, "d Ke5 tc3", "e5-f5"), "{name}: the king leaves");
    }
}

#[test]
fn pp03_open_castle_lets_the_king_in_and_all_pass() {
    let name = "piecepack-open-castle";
    for pieces in ["a td5 Kc3", "d Td5 Kc3"] {
        assert!(!may(name, pieces, "d5-e5") && may(name, pieces, "d5-f5"), "{pieces}");
    }
    assert!(may(name, "d Kd5 tc3", "d5-e5") && may(name, "d Kd5 tc3", "d5-f5"));
}

#[test]
fn pp04_empty_throne_is_hostile_to_both() {
    for name in ALL {
        assert_eq!(taken(name, "a Te4 te1 Kc3", "e1-e3"), "e4", "{name}");
        assert_eq!(taken(name, "d te4 Te1 Kc3", "e1-e3"), "e4", "{name}");
        assert_eq!(taken(name, "a Te4 te1 Ke5", "e1-e3"), "", "{name}: the king is on it");
        assert_eq!(taken(name, "d te4 Te1 Ke5", "e1-e3"), "e4", "{name}: the king captures as a piece");
    }
}

#[test]
fn pp05_king_is_armed() {
    for name in ALL {
        assert_eq!(taken(name, "d Kd7 tc4 Tb4", "d7-d4"), "c4", "{name}");
    }
}

#[test]
fn pp06_king_on_the_throne_falls_to_four() {
    for name in ALL {
        assert_eq!(winner(name, "a Ke5 te4 te6 td5 tf2", "f2-f5"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke5 te4 te6 td6 tf2", "f2-f5"), None, "{name}: three");
        assert_eq!(winner(name, "a Ke5 te4 te6 Td5 tf2", "f2-f5"), None, "{name}: three and a defender");
    }
}

#[test]
fn pp07_king_beside_the_throne_falls_to_three() {
    for name in ALL {
        assert_eq!(winner(name, "a Ke4 td4 tf4 te1", "e1-e3"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke4 td4 tf1", "f1-f4"), None, "{name}: two opposite ones");
        assert_eq!(winner(name, "a Ke4 te1", "e1-e3"), None, "{name}: one and the throne");
        assert_eq!(winner(name, "a Ke4 td4 Te3 tf1", "f1-f4"), None, "{name}: a defender on the third side");
    }
}

#[test]
fn pp08_king_elsewhere_falls_like_a_soldier() {
    for name in ALL {
        assert_eq!(winner(name, "a Ke3 td3 tf1", "f1-f3"), Some(Side::Attackers), "{name}");
        assert_eq!(winner(name, "a Ke3 td4 tf1", "f1-f3"), None, "{name}: not opposite");
        assert_eq!(winner(name, "d Ke2 td3 tf3", "e2-e3"), None, "{name}: stepping in is safe");
        assert_eq!(winner(name, "a Kc2 tc7", "c7-c3"), None, "{name}: the edge is no captor");
    }
}

/// The king is on the throne, with attackers on three sides and a defender on the fourth.
const PIN: &str = "a Ke5 te6 td5 tf5 Te4 tc3";

#[test]
fn pp09_pinned_defender_is_captured_from_beyond() {
    for name in ALL {
        assert_eq!(taken(name, PIN, "c3-e3"), "e4", "{name}");
        assert_eq!(taken(name, "a Ke5 te6 Td6 td5 Tf5 te4 tg2", "g2-g5"), "f5", "{name}: any side");
    }
    for name in ["kvasir", "ludoteka", "linnaeus", "masters", "tartu"] {
        assert_eq!(taken(name, PIN, "c3-e3"), "", "{name} has no such clause");
    }
}

#[test]
fn pp09_needs_three_attackers_and_the_king_on_the_throne() {
    for name in ALL {
        assert_eq!(taken(name, "a Ke5 te6 td5 Te4 tc3", "c3-e3"), "", "{name}: two attackers");
        assert_eq!(taken(name, "a Ke5 te6 td5 Tf5 Te4 tc3", "c3-e3"), "", "{name}: two defenders");
        assert_eq!(taken(name, "a Kg7 te6 td5 tf5 Te4 tc3", "c3-e3"), "e4", "{name}: by the empty throne, PP4");
    }
}

#[test]
fn pp09_third_attacker_beside_the_king_captures_nothing() {
    for name in ALL {
        assert_eq!(taken(name, "a Ke5 te6 td5 tf1 Te4 te3", "f1-f5"), "", "{name}");
        assert_eq!(taken(name, "a Ke5 te6 td5 tf5 Te4 te3 ta1", "a1-a2"), "", "{name}: later neither");
    }
}

#[test]
fn pp09_capture_is_not_optional_and_c5_goes_on_beside_it() {
    for name in ALL {
        assert_eq!(taken(name, "a Ke5 te6 td5 tf5 Te4 tc3 Tf3 tg3", "c3-e3"), "f3 e4", "{name}");
    }
}

#[test]
fn pp10_a_move_captures_all_it_surrounds() {
    for name in ALL {
        assert_eq!(taken(name, "d Kg7 tb3 Ta3 td3 Te3 tc4 Tc5 Tc1", "c1-c3"), "b3 d3 c4", "{name}");
        assert_eq!(taken(name, "a Kc4 td4 Tb3 tb2 tb7", "b7-b4"), "b3 c4", "{name}: a soldier and the king");
        assert_eq!(taken(name, "a Kc4 td4 Tb3 tb7", "b7-b4"), "c4", "{name}: what is not surrounded stays");
    }
}
