//! The program's puzzles. A search without a net solves those with a short win, and none of its proofs is false.

use std::path::PathBuf;
use std::sync::Arc;
use tablut_arena::puzzles::{Puzzle, PuzzleSet, SolveConfig, SolveReport, solve};
use tablut_rules::{Game, Rules, Side};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{SearchConfig, UniformEvaluator};

const RULES: [&str; 6] = ["piecepack", "imperial", "ludoteka", "linnaeus", "masters", "kvasir"];

fn read(rules: &str) -> (Arc<Rules>, PuzzleSet) {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../tablut-play/puzzles"].iter().collect();
    let set = PuzzleSet::read(&folder.join(format!("{rules}.jsonl"))).unwrap();
    (set.rules.rules(), set)
}

/// Every `every`-th puzzle of a set.
fn some(set: &PuzzleSet, every: usize) -> Vec<Puzzle> {
    set.puzzles.iter().step_by(every).cloned().collect()
}

#[test]
fn sets_have_the_same_number_of_puzzles_of_each_distance_and_of_both_sides() {
    for name in RULES {
        let (_, set) = read(name);
        let of = |distance| set.puzzles.iter().filter(|puzzle| puzzle.distance == distance).count();
        assert_eq!((1..=4).map(of).collect::<Vec<_>>(), [50; 4], "{name}");
        for side in Side::ALL {
            let n = set.puzzles.iter().filter(|puzzle| puzzle.position.side_to_move() == side).count();
            // Under ludoteka's rules the attackers rarely won.
            let least = if name == "ludoteka" { 8 } else { 100 };
            assert!(n >= least, "{name}: {n} of the {side}");
        }
    }
}

#[test]
fn the_solver_still_finds_the_shortest_wins() {
    for name in RULES {
        let (rules, set) = read(name);
        for puzzle in some(&set, 20) {
            let game = Game::from_position(rules.clone(), puzzle.position).unwrap();
            let mut solver = WinSolver::new(&game, puzzle.position.side_to_move(), 5_000_000);
            assert_eq!(solver.shortest_win(puzzle.plies()), Ok(Some(puzzle.plies())), "{name} {}", puzzle.position);
            assert_eq!(
                solver.winning_moves(puzzle.plies()).as_ref(),
                Ok(&puzzle.solutions),
                "{name} {}",
                puzzle.position
            );
        }
    }
}

#[test]
fn a_search_without_a_net_wins_in_one_and_two_and_proves_nothing_false() {
    let config = SolveConfig { search: SearchConfig::for_play(), simulations: 800, seed: 1 };
    let report = RULES.map(|name| {
        let (rules, set) = read(name);
        let near: Vec<Puzzle> = some(&set, 4).into_iter().filter(|puzzle| puzzle.distance <= 3).collect();
        solve(&rules, &near, &config, &|| Box::new(UniformEvaluator)).unwrap()
    });
    let report = report.into_iter().fold(SolveReport::default(), SolveReport::with);
    let [one, two, three, _] = report.by_distance[..] else { panic!("four distances: {report:?}") };
    assert!(one.puzzles >= 60 && one.shortest == one.puzzles && one.proven == one.puzzles, "{one:?}");
    assert!(two.puzzles >= 60 && two.shortest == two.puzzles && two.proven == two.puzzles, "{two:?}");
    assert!(2 * three.winning >= three.puzzles, "{three:?}");
    assert!(report.confirmed > 1000 && report.contradicted.is_empty(), "{:?}", report.contradicted);
}
