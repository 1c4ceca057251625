//! Tests that a search without a net finds wins in one ply and in a few plies, under every rule set.

use tablut_rules::{Move, Side};
use tablut_search::{Method, Proof, SearchConfig, Solver, Stop, UniformEvaluator};

use crate::exhaustive::Exhaustive;
use crate::fakes::{all_rules, game, plain, random_game, search, sparse_game};

/// Each entry is a rule set, a position, and a move that wins at once.
#[rustfmt::skip]
const WINS_IN_ONE: [(&str, &str, &str); 10] = [
    // The king escapes: to the edge, to a corner, to the edge outside the camps.
    ("kvasir",    "3ttt3/4t4/9/t8/t3T2tt/t3K4/9/9/3ttt3 d",  "e4-i4"),
    ("piecepack", "9/4t4/9/9/t6tt/4K4/9/9/3tt4 d",           "e4-a4"),
    ("ludoteka",  "9/9/9/9/K7t/9/9/9/9 d",                   "a5-a9"),
    ("masters",   "4K4/9/4t4/9/9/9/9/9/9 d",                 "e9-a9"),
    ("linnaeus",  "9/9/2K6/9/9/9/9/9/4t4 d",                 "c7-c9"),
    ("imperial",  "9/9/2K6/9/9/9/9/9/4t4 d",                 "c7-c9"),
    // The king is captured: between two attackers, by four, by three beside the throne.
    ("kvasir",    "9/9/2tK5/9/4t4/9/3t5/9/9 a",              ""),
    ("tartu",     "9/9/2tK5/9/4t4/4t4/9/9/9 a",              ""),
    ("masters",   "9/9/3t5/2tKt4/9/3t5/9/9/9 a",             "d4-d5"),
    ("ashton",    "9/9/9/3t5/2tK5/9/3t5/9/9 a",              ""),
];

#[test]
fn a_win_in_one_is_played_and_reported_proven_without_an_evaluation() {
    for (rules, position, expected) in WINS_IN_ONE {
        let game = game(rules, position);
        let side = game.position().side_to_move();
        let moves: Vec<Move> = {
            let mut list = tablut_rules::MoveList::new();
            game.legal_moves(&mut list);
            list.iter().copied().filter(|mv| game.rules().apply(game.position(), *mv).winner == Some(side)).collect()
        };
        let expected: Option<Move> = (!expected.is_empty()).then(|| expected.parse().expect("a move"));
        assert!(!moves.is_empty(), "{rules} {position}: not a win in one");
        assert!(expected.is_none_or(|mv| moves.contains(&mv)), "{rules} {position}");
        for method in [Method::Gumbel, Method::Puct] {
            let result = search(&game, &SearchConfig { method, ..plain() }, 16, &mut UniformEvaluator, 1);
            assert!(moves.contains(&result.chosen), "{rules} {position}: {}", result.chosen);
            assert_eq!(result.proven, Some(Proof { winner: Some(side), plies: 1, from_history: false }));
            assert_eq!((result.evaluations, result.stop), (0, Some(Stop::Proven)));
            for root_move in &result.moves {
                assert_eq!(
                    root_move.improved > 0.0,
                    moves.contains(&root_move.mv),
                    "the target is on the winning moves"
                );
            }
        }
    }
}

/// If a random game under any rule set has a win in one, the search finds it with any settings.
#[test]
fn no_win_in_one_is_missed_in_random_games() {
    let mut found = 0;
    for rules in all_rules() {
        for seed in 0..120 {
            let game = random_game(&rules, 60, seed);
            let side = game.position().side_to_move();
            let wins = rules.wins_at_once(game.position(), side);
            let result = search(&game, &plain(), 8, &mut UniformEvaluator, seed);
            let proven_in_one = result.proven.is_some_and(|proof| proof.plies == 1 && proof.winner == Some(side));
            assert_eq!(proven_in_one, wins, "{} seed {seed}", rules.name());
            if wins {
                found += 1;
                assert_eq!(rules.apply(game.position(), result.chosen).winner, Some(side));
            }
        }
    }
    assert!(found > 50, "only {found} positions tested anything");
}

#[test]
fn a_forced_loss_in_two_is_proven_and_every_move_is_equal() {
    // There are two open lines. If the attackers close one, the king escapes along the other.
    let game = game("kvasir", "9/9/9/2K6/9/9/9/9/t7t a");
    let result = search(&game, &plain(), 400, &mut UniformEvaluator, 3);
    assert_eq!(result.proven, Some(Proof { winner: Some(Side::Defenders), plies: 2, from_history: false }));
    assert_eq!((result.value, result.stop), (-1.0, Some(Stop::Proven)));
    assert!(result.moves.iter().all(|root_move| root_move.proven == result.proven));
    assert!((result.moves.iter().map(|root_move| root_move.improved).sum::<f32>() - 1.0).abs() < 1e-5);
}

/// Wins in three plies near the root are found before any evaluation. (The tree finds the rare ones without a threat,
/// where every reply harms the opponent.)
#[test]
fn wins_in_three_are_seen_before_any_evaluation() {
    let (mut puzzles, mut seen) = (0, 0);
    for rules in all_rules() {
        for seed in 0..40 {
            let game = sparse_game(&rules, 5, 2, 300 + seed);
            let side = game.position().side_to_move();
            if Exhaustive::new(&game, 400_000).shortest_win(side, 3) != Ok(Some(3)) {
                continue;
            }
            puzzles += 1;
            let result = search(&game, &plain(), 64, &mut UniformEvaluator, seed);
            if result.evaluations == 0 {
                seen += 1;
                assert_eq!(result.proven, Some(Proof { winner: Some(side), plies: 3, from_history: false }));
                let winning = Exhaustive::new(&game, 4_000_000).winning_moves(3).expect("a small question");
                assert!(winning.contains(&result.chosen), "{} seed {seed}: {}", rules.name(), result.chosen);
            }
        }
    }
    assert!(puzzles > 60 && seen * 100 >= puzzles * 95, "{seen} of {puzzles}");
}

/// With the deep solver the uniform evaluator finds wins in five plies. The positions come from games that the search
/// played against itself without a net. For each of them [`Exhaustive`] proved that the shortest win of the side to
/// move takes five plies.
#[test]
fn the_deep_solver_finds_wins_in_five() {
    let puzzles: Vec<_> = include_str!("../golden/wins_in_five.txt").lines().collect();
    let mut found = 0;
    for puzzle in &puzzles {
        let (rules, position) = puzzle.split_once(' ').expect("rules, then a position");
        let game = game(rules, position);
        let side = game.position().side_to_move();
        let mut config = SearchConfig { solver: Solver::Deep, ..plain() };
        config.gumbel.max_considered = 64;
        let result = search(&game, &config, 800, &mut UniformEvaluator, 1);
        if let Some(proof) = result.proven {
            assert!(proof.winner == Some(side) && proof.plies >= 5, "{puzzle}: {proof:?}");
            found += 1;
        }
    }
    assert!(puzzles.len() > 15 && found * 100 >= puzzles.len() * 85, "{found} of {}", puzzles.len());
}

/// Each entry is a rule set and a position. The side to move wins in three plies without a threat: the opponent has few
/// moves, and each one loses the king or leaves no further move.
const QUIET_WINS_IN_THREE: [(&str, &str); 4] = [
    ("linnaeus", "t8/2t6/5t3/4t4/t1t2t1t1/3t2t2/3t1K1t1/6t2/3t5 a"),
    ("linnaeus", "7t1/9/8t/4t4/3t5/2t3t2/tTtt5/tKt5t/Tt6T a"),
    ("masters", "9/5t1t1/3t5/ttt5t/Ttt6/TKt6/1ttt5/Tt5t1/9 a"),
    ("imperial", "9/9/3t5/2tTtt3/t1tTKttt1/1t2tt3/1Tt6/4t4/5t3 a"),
];

#[test]
fn a_quiet_win_in_three_is_seen_around_the_root() {
    for (rules, position) in QUIET_WINS_IN_THREE {
        let game = game(rules, position);
        let side = game.position().side_to_move();
        assert_eq!(Exhaustive::new(&game, 2_000_000).shortest_win(side, 3), Ok(Some(3)), "{rules} {position}");
        let result = search(&game, &plain(), 1, &mut UniformEvaluator, 1);
        let expected = Proof { winner: Some(side), plies: 3, from_history: false };
        assert_eq!(result.proven, Some(expected), "{rules} {position}");
    }
}
