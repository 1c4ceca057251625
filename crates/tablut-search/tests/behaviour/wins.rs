//! The strong win solver agrees with the plain one, which plays everything on the game itself.

use std::sync::Arc;

use tablut_rules::{Game, MoveList, RepetitionResult, RuleSet, Rules, Side};
use tablut_search::exhaustive::WinSolver;

use crate::exhaustive::{Exhaustive, Goal, Verdict};
use crate::fakes::{all_rules, game, random_game, sparse_game};
use crate::soundness::shuffle;

/// The plain solver would take too long for more positions.
const MAX_POSITIONS: u64 = 200_000;

/// Compares the two solvers' wins of both sides within up to `max_plies`, until the plain solver reaches its limit.
/// Returns the number of wins and the number of open positions, each ply counted separately.
fn compare(game: &Game, max_plies: u32, what: &str) -> [usize; 2] {
    let mut counts = [0; 2];
    for side in Side::ALL {
        let mut strong = WinSolver::new(game, side, u64::MAX);
        let mut plain = Exhaustive::new(game, MAX_POSITIONS);
        for plies in 0..=max_plies {
            let Ok(expected) = plain.forces(side, Goal::Win, plies) else { break };
            let found = strong.wins_within(plies).expect("no bound");
            assert_eq!(found, expected, "{what}: {side} within {plies} in\n{}", game.position());
            counts[usize::from(!expected)] += 1;
            if expected && side == game.position().side_to_move() && game.outcome().is_none() {
                let moves = strong.winning_moves(plies).expect("no bound");
                if let Ok(expected) = Exhaustive::new(game, 10 * MAX_POSITIONS).winning_moves(plies) {
                    assert_eq!(moves, expected, "{what}: moves within {plies} in\n{}", game.position());
                }
                break;
            }
        }
    }
    counts
}

fn sum(counts: impl Iterator<Item = [usize; 2]>) -> [usize; 2] {
    counts.fold([0; 2], |[wins, open], [more_wins, more_open]| [wins + more_wins, open + more_open])
}

#[test]
fn sparse_positions_of_all_rule_sets() {
    let compared = |rules: &Arc<Rules>| {
        let seeds = 0..20;
        let count = |seed: u64| {
            let (n_attackers, n_defenders) = (2 + seed as usize % 5, seed as usize % 4);
            let game = sparse_game(rules, n_attackers, n_defenders, 7000 + seed);
            compare(&game, 5, &format!("{} seed {seed}", rules.name()))
        };
        sum(seeds.map(count))
    };
    let [wins, open] = sum(all_rules().map(|rules| compared(&rules)));
    assert!(wins > 500 && open > 1000, "{wins} wins, {open} open");
}

#[test]
fn positions_of_random_games_with_their_histories() {
    let compared = |rules: &Arc<Rules>| {
        let count = |seed: u64| {
            let game = random_game(rules, 20 + 10 * seed as u32, 900 + seed);
            compare(&game, 4, &format!("{} seed {seed}", rules.name()))
        };
        sum((0..12).map(count))
    };
    let [wins, open] = sum(all_rules().map(|rules| compared(&rules)));
    assert!(wins > 100 && open > 1000, "{wins} wins, {open} open");
}

/// The rule set with another repetition rule and a limit on plies without a capture.
fn with_history_rules(name: &str, result: RepetitionResult, occurrences: u32, no_captures: Option<u32>) -> Arc<Rules> {
    let mut set = RuleSet::named(name).expect("a built-in rule set");
    set.repetition.result = result;
    set.repetition.occurrences = occurrences;
    set.no_capture_plies = no_captures;
    Arc::new(Rules::new(set).expect("a sound rule set"))
}

/// Games in which pieces moved back and forth, so that the next plies may repeat a position once too often.
#[test]
fn repetitions_decide_as_the_game_says() {
    let results = [RepetitionResult::Draw, RepetitionResult::MoverLoses, RepetitionResult::AggressorLoses];
    let mut counts = [0; 2];
    for name in ["kvasir", "ashton", "tartu", "masters"] {
        for (result, occurrences) in results.into_iter().flat_map(|result| [(result, 2), (result, 3)]) {
            let rules = with_history_rules(name, result, occurrences, None);
            for seed in 0..8 {
                let mut game = sparse_game(&rules, 2 + seed as usize % 2, seed as usize % 2, 40 + seed);
                shuffle(&mut game, 2 + seed as usize % 6);
                let what = format!("{name} {result:?} {occurrences} seed {seed}");
                counts = sum([counts, compare(&game, 5, &what)].into_iter());
            }
        }
    }
    assert!(counts[0] > 100 && counts[1] > 500, "{counts:?}");
}

#[test]
fn limits_near_at_hand() {
    let mut counts = [0; 2];
    for name in ["kvasir", "imperial", "tartu"] {
        for limit in 2..7 {
            let rules = with_history_rules(name, RepetitionResult::Draw, 3, Some(limit));
            for seed in 0..4 {
                let game = sparse_game(&rules, 3, 1, 80 + seed);
                let what = format!("{name} limit {limit} seed {seed}");
                let limited = game.clone().with_max_plies(limit + 1);
                counts = sum([counts, compare(&game, 5, &what), compare(&limited, 5, &what)].into_iter());
            }
        }
    }
    assert!(counts[0] > 50 && counts[1] > 200, "{counts:?}");
}

/// With few pieces a side sometimes has no move left, or no piece.
#[test]
fn blockades_are_wins() {
    let mut blockades = 0;
    for rules in all_rules() {
        for seed in 0..200 {
            let game = sparse_game(&rules, 1 + seed as usize % 2, 0, 500 + seed);
            blockades += usize::from(is_blockaded_in_one(&game));
            compare(&game, 1, rules.name());
        }
    }
    assert!(blockades > 20, "{blockades}");
}

/// Whether a move leaves the opponent without any.
fn is_blockaded_in_one(game: &Game) -> bool {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    moves.iter().any(|mv| {
        let after = game.rules().apply(game.position(), *mv);
        after.winner.is_none() && !game.rules().has_legal_move(&after.position)
    })
}

#[test]
fn the_bound_on_work_is_kept() {
    let game = game("kvasir", "3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3 a");
    let mut solver = WinSolver::new(&game, Side::Attackers, 1000);
    let error = solver.shortest_win(7).expect_err("far more than 1000 positions");
    assert_eq!(error.to_string(), "the solver needs more than 1000 positions");
    assert_eq!(solver.shortest_win(1), Ok(None), "each question has the whole bound");
}

#[test]
fn an_open_line_wins_in_one_and_the_fork_behind_it_in_three() {
    // The king has an open row, so he escapes at once.
    let mut solver = Exhaustive::new(&game("kvasir", "9/9/9/2K6/9/9/9/9/t7t d"), 100_000);
    assert_eq!(solver.solve(1), Ok(Verdict::Win(Side::Defenders, 1)));
    assert_eq!(solver.winning_moves(1).expect("few positions").len(), 4);
    // The attackers to move cannot close two lines in different directions.
    let mut solver = Exhaustive::new(&game("kvasir", "9/9/9/2K6/9/9/9/9/t7t a"), 100_000);
    assert_eq!(solver.solve(1), Ok(Verdict::Open));
    assert_eq!(solver.solve(2), Ok(Verdict::Win(Side::Defenders, 2)));
}

#[test]
fn a_ply_limit_makes_a_draw() {
    let short = game("masters", "9/9/9/3tKt3/9/9/9/9/9 a").with_max_plies(2);
    assert_eq!(Exhaustive::new(&short, 100_000).solve(1), Ok(Verdict::Open));
    assert_eq!(Exhaustive::new(&short, 100_000).solve(2), Ok(Verdict::Draw));
}

#[test]
fn the_plain_solver_keeps_its_bound_too() {
    let start = Game::new(Arc::new(Rules::named("kvasir").expect("a built-in rule set")), Side::Attackers);
    let error = Exhaustive::new(&start, 100).solve(4).expect_err("far more than 100 positions");
    assert_eq!(error.to_string(), "the solver needs more than 100 positions");
}
