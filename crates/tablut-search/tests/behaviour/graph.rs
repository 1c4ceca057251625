//! Paths that meet in one node: what this saves, and what it must not change.

use std::collections::HashMap;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Move, Position};
use tablut_search::{EvaluateError, Evaluation, Evaluator, GumbelConfig, Method, Query, Search, SearchConfig};

use crate::fakes::{Habits, HashEvaluator, all_rules, finish, random_game, rules, search, sparse_game};

/// Counts the queries for each position.
#[derive(Default)]
struct Counting {
    asked: HashMap<(Position, u32), u32>,
}

impl Counting {
    fn n_asked(&self) -> u32 {
        self.asked.values().sum()
    }

    fn n_asked_again(&self) -> u32 {
        self.asked.iter().filter(|((_, occurrences), _)| *occurrences == 0).map(|(_, times)| times - 1).sum()
    }
}

impl Evaluator for Counting {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        for query in queries {
            *self.asked.entry((query.position, query.occurrences)).or_default() += 1;
        }
        Habits.evaluate(queries)
    }
}

pub fn config(method: Method, simulations: u32) -> SearchConfig {
    let gumbel = GumbelConfig { gumbel_scale: 0.0, ..GumbelConfig::default() };
    SearchConfig { simulations, method, gumbel, stop_early: false, transpositions: true, ..SearchConfig::default() }
}

/// The same settings for a tree.
pub fn tree(config: &SearchConfig) -> SearchConfig {
    SearchConfig { transpositions: false, ..config.clone() }
}

#[test]
fn no_position_is_asked_for_twice_unless_it_recurs() {
    let (mut saved, mut meetings) = (0, 0);
    for name in ["kvasir", "masters", "tartu"] {
        for seed in 0..6 {
            let game =
                if seed % 2 == 0 { random_game(&rules(name), 10, seed) } else { sparse_game(&rules(name), 5, 2, seed) };
            for method in [Method::Gumbel, Method::Puct] {
                let config = config(method, 600);
                let (mut in_graph, mut in_tree) = (Counting::default(), Counting::default());
                let graph = search(&game, &config, &mut in_graph, 1);
                let tree = search(&game, &tree(&config), &mut in_tree, 1);
                // (After a repeated position a new position may follow. It has a node of this path.)
                assert!(in_graph.n_asked_again() * 20 <= in_graph.n_asked(), "{name} {seed}");
                assert_eq!(graph.simulations, tree.simulations);
                saved += tree.evaluations.saturating_sub(graph.evaluations);
                meetings += in_tree.n_asked_again();
            }
        }
    }
    assert!(meetings > 300 && saved * 2 > meetings, "{meetings} positions twice in trees, {saved} evaluations saved");
}

/// Two pieces move in either order: one node, one evaluation.
#[test]
fn two_orders_of_moves_meet() {
    let start = Game::new(rules("kvasir"), tablut_rules::Side::Attackers);
    let line = |moves: [&str; 3]| moves.map(|text| text.parse::<Move>().expect("a move"));
    let (one, other) = (line(["d1-d3", "c5-c8", "f1-f3"]), line(["f1-f3", "c5-c8", "d1-d3"]));
    let (mut counting, mut followed) = (Counting::default(), Vec::new());
    // An evaluator that considers only these lines.
    let mut narrow = Narrow { inner: &mut counting, lines: vec![one.to_vec(), other.to_vec()], start: start.clone() };
    for transpositions in [false, true] {
        let config = SearchConfig { transpositions, ..config(Method::Puct, 60) };
        let mut search = Search::new(start.clone(), &config, ChaCha8Rng::seed_from_u64(1));
        finish(&mut search, &mut narrow, usize::MAX);
        let mut after = start.clone();
        for mv in one {
            after.play(mv).expect("a legal line");
        }
        followed.push(narrow.inner.asked.remove(&(*after.position(), 0)).unwrap_or(0));
        narrow.inner.asked.clear();
        // Both paths show what is below.
        let below = |line: &[Move]| {
            let mut branches = search.branches(5);
            let mut visits = 0;
            for mv in line {
                let branch = branches.into_iter().find(|branch| branch.mv == *mv).expect("a visited line");
                (branches, visits) = (branch.replies, branch.visits);
            }
            (branches, visits)
        };
        let (first, second) = (below(&one), below(&other));
        assert!(first.1 > 0 && second.1 > 0);
        assert!(!transpositions || (first.0 == second.0 && !first.0.is_empty()), "what was found out is shared");
    }
    assert_eq!(followed, [2, 1]);
}

/// Gives almost all of its prior to the moves of a few lines.
struct Narrow<'a> {
    inner: &'a mut Counting,
    lines: Vec<Vec<Move>>,
    start: Game,
}

impl Evaluator for Narrow<'_> {
    fn evaluate(&mut self, queries: &[Query]) -> Result<Vec<Evaluation>, EvaluateError> {
        let mut evaluations = self.inner.evaluate(queries)?;
        for (query, evaluation) in queries.iter().zip(&mut evaluations) {
            evaluation.logits = vec![0.0; query.moves.len()];
            for line in &self.lines {
                let mut game = self.start.clone();
                for mv in line {
                    if *game.position() == query.position {
                        let at = query.moves.iter().position(|of| of == mv).expect("a legal move");
                        evaluation.logits[at] = 12.0;
                    }
                    game.play(*mv).expect("a legal line");
                }
            }
        }
        Ok(evaluations)
    }
}

#[test]
fn where_nothing_meets_the_graph_is_the_tree_to_the_bit() {
    let (mut equal, mut shared) = (0, 0);
    for rules in all_rules() {
        for seed in 0..6 {
            for (method, simulations) in [(Method::Gumbel, 40), (Method::Puct, 25), (Method::Puct, 400)] {
                let game = random_game(&rules, 14, seed);
                let config = config(method, simulations);
                let run = |config: &SearchConfig| {
                    let mut search = Search::new(game.clone(), config, ChaCha8Rng::seed_from_u64(seed));
                    let result = finish(&mut search, &mut Habits, usize::MAX);
                    (result, search.branches(30), search.lines(5), search.memory().nodes)
                };
                let (graph, tree) = (run(&config), run(&tree(&config)));
                // Each meeting of two paths saves a node.
                if graph.3 == tree.3 {
                    assert_eq!(graph, tree, "{} seed {seed}", rules.name());
                    equal += 1;
                } else {
                    shared += 1;
                }
            }
        }
    }
    assert!(equal > 100 && shared > 30, "{equal} searches without a meeting, {shared} with one");
}

/// Under ashton's rule a position that occurs twice is a draw. So every path forbids different moves, and nothing is
/// shared.
#[test]
fn where_the_first_recurrence_ends_a_game_the_graph_is_a_tree() {
    for method in [Method::Gumbel, Method::Puct] {
        let config = config(method, 600);
        let differs = |name: &str| {
            let game = random_game(&rules(name), 10, 4);
            search(&game, &config, &mut Habits, 1) != search(&game, &tree(&config), &mut Habits, 1)
        };
        assert!(!differs("ashton") && differs("masters"), "{method:?}");
    }
}

#[test]
fn a_kept_graph_is_not_asked_for_again() {
    for method in [Method::Gumbel, Method::Puct] {
        let mut counting = Counting::default();
        let config = SearchConfig { count_kept_visits: false, ..config(method, 200) };
        let mut search = Search::new(random_game(&rules("kvasir"), 8, 5), &config, ChaCha8Rng::seed_from_u64(1));
        let mut before = 0;
        for ply in 0..12 {
            if search.game().outcome().is_some() {
                break;
            }
            let result = finish(&mut search, &mut counting, usize::MAX);
            assert_eq!(result.evaluations, counting.n_asked() - before, "ply {ply}");
            before = counting.n_asked();
            let nodes = search.memory().nodes;
            search.advance(result.chosen);
            let kept = search.memory().nodes;
            assert!(kept <= nodes, "ply {ply}: {kept} of {nodes} nodes");
        }
        // Positions that are asked for again were cut off when a move was played, and were reached by another path
        // later.
        let again = counting.n_asked_again();
        assert!(again * 20 < counting.n_asked(), "{method:?}: {again} of {} again", counting.n_asked());
    }
}

/// Paths that meet share one node, so a graph with the same number of simulations is smaller.
#[test]
fn memory_is_counted_with_the_table() {
    let game = random_game(&rules("kvasir"), 10, 2);
    let run = |config: &SearchConfig| {
        let mut search = Search::new(game.clone(), config, ChaCha8Rng::seed_from_u64(1));
        finish(&mut search, &mut HashEvaluator, usize::MAX);
        search.memory()
    };
    let config = config(Method::Puct, 3000);
    let (graph, tree) = (run(&config), run(&tree(&config)));
    assert!(graph.nodes < tree.nodes, "{graph:?} {tree:?}");
    let per_edge = |memory: tablut_search::Memory| memory.bytes as f64 / memory.edges as f64;
    assert!(per_edge(graph) > per_edge(tree) && per_edge(graph) < 16.0, "{graph:?} {tree:?}");
    // With a limit on nodes, no graph exceeds it.
    let bounded = run(&SearchConfig { max_nodes: 100, ..config });
    assert_eq!(bounded.nodes, 100);
}
