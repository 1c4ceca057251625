//! Compares the endgame tables with independent searches and with the rules.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../tablut-search/tests/behaviour/exhaustive.rs"]
mod exhaustive;
#[path = "common/random_position.rs"]
mod random_position;

use exhaustive::{Exhaustive, Goal};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use random_position::random_position;
use std::sync::Arc;
use tablut_lab::{EndgameCounts, EndgameValue, Endgames, Material};
use tablut_rules::{Bitboard, BoardSize, Game, MoveList, Outcome, Position, Rules, Side, Symmetry};
use tablut_search::exhaustive::WinSolver;

/// Rule sets that differ in escape, throne, corners, camps, board, and in how the king captures and is captured.
const RULES: [&str; 7] = ["piecepack", "imperial", "ludoteka", "masters-weak-king", "tartu", "ashton", "brandubh"];

fn solved(name: &str, material: &str) -> Endgames {
    let mut endgames = Endgames::new(Arc::new(Rules::named(name).unwrap()));
    endgames.solve(material.parse().unwrap()).unwrap();
    endgames
}

fn value(endgames: &Endgames, position: &str) -> Option<EndgameValue> {
    endgames.value(&position.parse().unwrap())
}

fn win(winner: Side, plies: u32) -> EndgameValue {
    EndgameValue::Win { winner, plies }
}

/// Random positions of the tables with their values, at most `n_each` of each value.
fn samples(name: &str, endgames: &Endgames, material: &str, n_each: usize, seed: u64) -> Vec<(Position, EndgameValue)> {
    let size = Rules::named(name).unwrap().size();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found: Vec<(Position, EndgameValue)> = Vec::new();
    for _ in 0..100_000 {
        let position = random_position(size, material.parse().unwrap(), &mut rng);
        let Some(value) = endgames.value(&position) else { continue };
        if found.iter().filter(|(_, known)| *known == value).count() < n_each {
            found.push((position, value));
        }
    }
    assert!(found.len() > n_each, "only {} samples of {material}", found.len());
    found
}

#[test]
fn a_win_takes_as_many_plies_as_a_search_of_the_whole_game_needs() {
    let mut n_checked = [0; 2];
    for (seed, name) in RULES.into_iter().enumerate() {
        for material in ["0v1", "0v2", "1v1"] {
            let endgames = solved(name, material);
            for (position, value) in samples(name, &endgames, material, 8, seed as u64) {
                let game = Game::from_position(Arc::new(Rules::named(name).unwrap()), position).unwrap();
                let what = || format!("{name}, seed {seed}: {position} is {value:?}");
                match value {
                    EndgameValue::Win { winner, plies } if plies <= 7 => {
                        let mut solver = WinSolver::new(&game, winner, 50_000_000);
                        assert_eq!(solver.shortest_win(plies), Ok(Some(plies)), "{}", what());
                        n_checked[winner.index()] += u32::from(plies > 1);
                    }
                    EndgameValue::Win { winner, .. } => {
                        let mut solver = WinSolver::new(&game, winner, 50_000_000);
                        assert_eq!(solver.wins_within(5), Ok(false), "{}", what());
                    }
                    EndgameValue::Neither => {
                        for side in Side::ALL {
                            let mut solver = WinSolver::new(&game, side, 50_000_000);
                            assert_eq!(solver.wins_within(5), Ok(false), "{}", what());
                        }
                    }
                }
            }
        }
    }
    assert!(n_checked.iter().all(|&n| n > 10), "{n_checked:?} wins of two plies or more");
}

#[test]
fn a_search_without_any_shortcut_agrees() {
    let mut n_checked = 0;
    for (seed, name) in RULES.into_iter().enumerate() {
        let endgames = solved(name, "0v2");
        for (position, value) in samples(name, &endgames, "0v2", 4, 100 + seed as u64) {
            let game = Game::from_position(Arc::new(Rules::named(name).unwrap()), position).unwrap();
            let mut search = Exhaustive::new(&game, 100_000_000);
            for side in Side::ALL {
                for plies in 0..=3 {
                    let expected =
                        matches!(value, EndgameValue::Win { winner, plies: n } if winner == side && n <= plies);
                    let forced = search.forces(side, Goal::Win, plies);
                    assert_eq!(forced, Ok(expected), "{name}, seed {seed}: {position} is {value:?}, {side} in {plies}");
                    n_checked += 1;
                }
            }
        }
    }
    assert!(n_checked > 500, "{n_checked} answers");
}

/// Visits every placement of a king and at most one soldier of each side, with either side to move.
fn all_positions(size: BoardSize, material: Material, mut visit: impl FnMut(Position)) {
    let one_or_none = |n: usize| -> Vec<Bitboard> {
        if n == 0 { vec![Bitboard::EMPTY] } else { size.squares().map(Bitboard::of).collect() }
    };
    for king in size.squares() {
        for defenders in one_or_none(material.defenders) {
            for attackers in one_or_none(material.attackers) {
                for side in Side::ALL {
                    if let Ok(position) = Position::from_parts(size, attackers, defenders, Some(king), side) {
                        visit(position);
                    }
                }
            }
        }
    }
}

/// A position's value, computed from the values after its moves.
fn value_from_moves(endgames: &Endgames, game: &Game, moves: &mut MoveList) -> EndgameValue {
    let mover = game.position().side_to_move();
    game.legal_moves(moves);
    let after = moves.iter().map(|&mv| {
        let mut after = game.clone();
        after.play(mv).unwrap();
        match after.outcome() {
            Some(Outcome { winner: Some(winner), .. }) => EndgameValue::Win { winner, plies: 0 },
            Some(outcome) => panic!("{outcome} after one move"),
            None => endgames.value(after.position()).expect("a move leads to a position of the tables"),
        }
    });
    let after: Vec<EndgameValue> = after.collect();
    let wins = |side| {
        after.iter().filter_map(move |value| match value {
            EndgameValue::Win { winner, plies } if *winner == side => Some(*plies),
            _ => None,
        })
    };
    match (wins(mover).min(), wins(mover.opponent()).max()) {
        (Some(plies), _) => EndgameValue::Win { winner: mover, plies: plies + 1 },
        (None, Some(plies)) if wins(mover.opponent()).count() == after.len() => {
            EndgameValue::Win { winner: mover.opponent(), plies: plies + 1 }
        }
        _ => EndgameValue::Neither,
    }
}

#[test]
fn every_value_follows_from_those_after_the_moves() {
    let mut moves = MoveList::new();
    for name in Rules::names() {
        let rules = Arc::new(Rules::named(name).unwrap());
        let endgames = solved(name, "1v1");
        let mut n_positions = 0;
        for material in ["0v1", "1v1"] {
            let mut counted = [EndgameCounts::default(); 2];
            all_positions(rules.size(), material.parse().unwrap(), |position| {
                let Some(value) = endgames.value(&position) else { return };
                let counts = &mut counted[position.side_to_move().index()];
                counts.positions += 1;
                if let EndgameValue::Win { winner, .. } = value {
                    counts.won[winner.index()] += 1;
                }
                // A sample of the larger class, because each position is played as a separate game.
                n_positions += 1;
                if material == "1v1" && n_positions % 37 != 0 {
                    return;
                }
                let game = Game::from_position(rules.clone(), position).unwrap();
                match game.outcome() {
                    Some(outcome) => {
                        let winner = outcome.winner.expect("a game that is over at once is won");
                        assert_eq!(value, win(winner, 0), "{name}: {position}");
                    }
                    None => {
                        assert_eq!(value_from_moves(&endgames, &game, &mut moves), value, "{name}: {position}");
                    }
                }
            });
            let summary = endgames.summary(material.parse().unwrap()).unwrap();
            assert_eq!(
                summary.to_move, counted,
                "{name}, {material}: the summary counts every position and its images"
            );
        }
    }
}

#[test]
fn values_of_long_wins_follow_from_those_after_the_moves() {
    let mut moves = MoveList::new();
    for (name, material, longest) in [("brandubh", "0v3", 10), ("brandubh", "1v2", 8), ("ashton", "0v2", 8)] {
        let endgames = solved(name, material);
        let rules = Arc::new(Rules::named(name).unwrap());
        for (position, value) in samples(name, &endgames, material, 40, 7) {
            let game = Game::from_position(rules.clone(), position).unwrap();
            if game.outcome().is_none() {
                assert_eq!(value_from_moves(&endgames, &game, &mut moves), value, "{name}: {position}");
            }
        }
        let summary = endgames.summary(material.parse().unwrap()).unwrap();
        for side in Side::ALL {
            let (plies, position) = summary.longest[side.index()].expect("each side wins somewhere");
            assert_eq!(endgames.value(&position), Some(win(side, plies)), "{name}: {position}");
        }
        assert_eq!(
            summary.longest[Side::Defenders.index()].map(|(plies, _)| plies),
            Some(longest),
            "{name} {material}"
        );
    }
}

#[test]
fn symmetric_positions_have_equal_values() {
    for (seed, name) in RULES.into_iter().enumerate() {
        let endgames = solved(name, "0v2");
        for (position, value) in samples(name, &endgames, "0v2", 50, seed as u64) {
            for symmetry in Symmetry::ALL {
                let image = symmetry.position(&position);
                assert_eq!(endgames.value(&image), Some(value), "{name}, seed {seed}: {position} and {image}");
            }
        }
    }
}

#[test]
fn simple_positions_have_the_values_of_the_rules() {
    use Side::{Attackers, Defenders};
    // The king escapes if he is to move.
    let kvasir = solved("kvasir", "0v2");
    assert_eq!(value(&kvasir, "9/9/9/9/2K6/9/9/9/t7t d"), Some(win(Defenders, 1)));
    // The king has four open directions, and no attackers' move closes them all.
    assert_eq!(value(&kvasir, "9/9/9/9/2K6/9/9/9/t7t a"), Some(win(Defenders, 2)));
    // Two attackers capture him on an ordinary square. One does not.
    assert_eq!(value(&kvasir, "9/9/9/9/1tK6/9/9/9/3t5 a"), Some(win(Attackers, 1)));
    assert_eq!(value(&kvasir, "9/9/9/9/1tK6/9/9/9/9 a"), Some(win(Defenders, 2)));
    // Under masters two do not capture him, and a king without attackers has won.
    let masters = solved("masters", "0v2");
    assert_ne!(value(&masters, "9/9/9/9/1tK6/9/9/9/3t5 a"), Some(win(Attackers, 1)));
    assert_eq!(value(&masters, "9/9/9/9/2K6/9/9/9/9 a"), Some(win(Defenders, 0)));
    assert_eq!(value(&masters, "9/9/9/9/2K6/9/9/9/9 d"), Some(win(Defenders, 1)));
    // The armed king captures the last attacker between himself and the corner. The attackers have no move.
    let armed = solved("masters-armed-king", "0v1");
    assert_eq!(value(&armed, "9/9/9/9/2K6/9/9/9/1t7 d"), Some(win(Defenders, 1)));
}

#[test]
fn what_the_tables_do_not_have_has_no_value() {
    let masters = solved("masters", "0v1");
    for (position, why) in [
        ("9/9/9/9/9/9/9/9/K7t d", "the king has escaped"),
        ("9/9/9/9/9/9/9/9/t8 d", "there is no king"),
        ("9/9/9/9/4K4/9/9/9/t8 d", "no attacker stands on a corner"),
        ("9/9/9/9/4K4/9/9/9/1tt6 d", "the class is not solved"),
    ] {
        assert_eq!(value(&masters, position), None, "{why}");
    }
    assert_eq!(masters.summary("0v2".parse().unwrap()), None);
    let mut endgames = masters;
    endgames.forget("0v1".parse().unwrap());
    assert_eq!(value(&endgames, "9/9/9/9/4K4/9/9/9/1t7 d"), None, "the class is forgotten");
    let error = |endgames: &mut Endgames, material: &str| {
        endgames.solve(material.parse().unwrap()).expect_err("out of reach").to_string()
    };
    assert_eq!(error(&mut endgames, "9v1"), "9v1: there are at most 8 defenders and 16 attackers");
    assert!(error(&mut endgames, "2v4").starts_with("2v4 needs a table of "), "{}", error(&mut endgames, "2v4"));
}
