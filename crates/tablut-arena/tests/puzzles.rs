//! The program's puzzles. A search without a net solves those with a short win, and none of its proofs is false.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tablut_arena::puzzles::{DISTANCES, Puzzle, PuzzleSet, SolveConfig, SolveReport, solve};
use tablut_net::Model;
use tablut_rules::{Game, Position, Rules, Symmetry};
use tablut_search::exhaustive::WinSolver;
use tablut_search::{SearchConfig, UniformEvaluator};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../tablut-play/puzzles"].iter().collect()
}

fn read(rules: &str) -> (Arc<Rules>, PuzzleSet) {
    let set = PuzzleSet::read(&folder().join(format!("{rules}.jsonl"))).unwrap();
    (set.rules.rules(), set)
}

/// Every `every`-th puzzle of a set.
fn some(set: &PuzzleSet, every: usize) -> Vec<Puzzle> {
    set.puzzles.iter().step_by(every).cloned().collect()
}

#[test]
fn every_rule_set_has_puzzles_with_one_solution_each() {
    assert_eq!(folder().read_dir().unwrap().count(), Rules::names().len());
    for name in Rules::names() {
        let (rules, set) = read(name);
        assert_eq!(*rules.set(), *Rules::named(name).unwrap().set(), "{name}: other rules");
        // Exit forts, shield walls and encirclement make proofs slow under these two.
        let least = if ["copenhagen", "fetlar"].contains(&name) { 40 } else { 200 };
        assert!(set.puzzles.len() >= least, "{name}: {} puzzles", set.puzzles.len());
        assert!(set.puzzles.iter().all(|puzzle| DISTANCES.contains(&puzzle.distance)), "{name}");
        assert!(set.puzzles.iter().all(|puzzle| puzzle.solutions.len() == 1), "{name}");
        let image = |position: &Position| {
            let images = Symmetry::ALL.into_iter().map(|symmetry| symmetry.position(position).to_string());
            images.min().unwrap()
        };
        let images: HashSet<String> = set.puzzles.iter().map(|puzzle| image(&puzzle.position)).collect();
        assert_eq!(images.len(), set.puzzles.len(), "{name}: mirror images");
    }
}

#[test]
fn the_puzzles_come_from_games_of_the_shipped_net() {
    let net = tablut_games::shipped_net().expect("the tests are built with the net");
    let hash = Model::from_bytes(net).unwrap().weights.hash();
    for name in Rules::names() {
        assert_eq!(read(name).1.net, hash, "{name}: make the puzzles again as experiments/puzzles says");
    }
}

#[test]
fn the_solver_still_finds_the_shortest_wins() {
    for name in Rules::names() {
        let (rules, set) = read(name);
        for puzzle in some(&set, 40) {
            let game = Game::from_position(rules.clone(), puzzle.position).unwrap();
            let mut solver = WinSolver::new(&game, puzzle.position.side_to_move(), 1_000_000);
            assert_eq!(solver.shortest_win(puzzle.plies()), Ok(Some(puzzle.plies())), "{name} {}", puzzle.position);
            let winning = solver.winning_moves(puzzle.plies());
            assert_eq!(winning.as_ref(), Ok(&puzzle.solutions), "{name} {}", puzzle.position);
        }
    }
}

#[test]
fn a_search_without_a_net_wins_in_two_and_proves_nothing_false() {
    let config = SolveConfig { search: SearchConfig::for_play(), simulations: 800, seed: 1 };
    let mut report = SolveReport::default();
    for name in Rules::names() {
        let (rules, set) = read(name);
        let near: Vec<Puzzle> = some(&set, 8).into_iter().filter(|puzzle| puzzle.distance <= 3).collect();
        report = report.with(solve(&rules, &near, &config, &|| Box::new(UniformEvaluator)).unwrap());
    }
    let [two, three] = report.by_distance[..2] else { panic!("four distances: {report:?}") };
    assert!(two.puzzles >= 60 && two.solved + 1 >= two.puzzles && two.proven + 1 >= two.puzzles, "{two:?}");
    assert!(three.puzzles >= 60 && 2 * three.solved >= three.puzzles, "{three:?}");
    assert!(report.confirmed > 1000 && report.contradicted.is_empty(), "{:?}", report.contradicted);
}
