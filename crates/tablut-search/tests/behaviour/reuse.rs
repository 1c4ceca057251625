//! Tests that playing a move keeps its subtree, and that memory is bounded.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Side};
use tablut_search::{Method, PuctConfig, RootMove, Search, SearchConfig, Solver, Stop, UniformEvaluator};

use crate::fakes::{HashEvaluator, all_rules, finish, plain, quiet, random_game, rules, sparse_game};

#[test]
fn a_kept_subtree_saves_evaluations_and_keeps_its_visits() {
    for method in [Method::Gumbel, Method::Puct] {
        let config = SearchConfig { method, stop_when_decided: false, ..plain() };
        let (mut with, mut without) = (0, 0);
        for seed in 0..10 {
            let game = random_game(&rules("kvasir"), 16, seed);
            let mut search = Search::new(game, &config, 200, ChaCha8Rng::seed_from_u64(seed));
            let first = finish(&mut search, &mut HashEvaluator, usize::MAX);
            assert_eq!((first.simulations, first.kept_visits), (200, 0));
            let visits = first.moves.iter().find(|root_move| root_move.mv == first.chosen).expect("it is legal").visits;
            search.advance(first.chosen);
            if search.game().outcome().is_some() {
                continue;
            }
            // One of the visits was the move's own evaluation.
            let kept = search.result().kept_visits;
            assert!(kept == visits - 1 || kept == 0, "kept {kept} of {visits}");
            let mut anew = Search::new(search.game().clone(), &config, 200, ChaCha8Rng::seed_from_u64(seed));
            without += finish(&mut anew, &mut HashEvaluator, usize::MAX).evaluations;
            let second = finish(&mut search, &mut HashEvaluator, usize::MAX);
            with += second.evaluations;
            let total: u32 = second.moves.iter().map(|root_move| root_move.visits).sum();
            assert_eq!(total, second.kept_visits + second.simulations);
        }
        assert!(with < without, "{method:?}: {with} evaluations, {without} without a kept tree");
    }
}

#[test]
fn whole_games_are_played_with_one_tree() {
    for (index, rules) in all_rules().enumerate() {
        let game = Game::new(rules.clone(), Side::Attackers).with_max_plies(60);
        let method = if index % 2 == 0 { Method::Gumbel } else { Method::Puct };
        let config = SearchConfig { method, ..plain() };
        let mut search = Search::new(game, &config, 24, ChaCha8Rng::seed_from_u64(index as u64));
        while search.game().outcome().is_none() {
            let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
            assert!((result.moves.iter().map(|root_move| root_move.improved).sum::<f32>() - 1.0).abs() < 1e-4);
            assert!(
                result.moves.iter().all(|root_move| (-1.0..=1.0).contains(&root_move.q) && root_move.improved >= 0.0)
            );
            search.advance(result.chosen);
        }
        assert!(search.is_done());
        assert_eq!(search.gather(&mut Vec::new()), 0, "there is nothing to search in a game that is over");
    }
}

#[test]
fn a_full_tree_ends_the_search() {
    for method in [Method::Gumbel, Method::Puct] {
        let config = SearchConfig { max_nodes: 100, method, ..plain() };
        let game = random_game(&rules("kvasir"), 16, 2);
        let mut search = Search::new(game, &config, 1000, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
        assert_eq!(result.stop, Some(Stop::Memory));
        let memory = search.memory();
        assert_eq!(memory.nodes, 100);
        assert!(memory.bytes < 100 * 1000, "{memory:?}");
        assert!(result.simulations >= 99 && result.moves.iter().any(|root_move| root_move.mv == result.chosen));
    }
}

#[test]
fn a_search_stops_when_its_decision_is_certain() {
    // The king has only one move.
    let boxed = crate::fakes::game("masters", "9/9/9/9/t8/Tt7/Kt7/Tt7/t8 d");
    let mut moves = tablut_rules::MoveList::new();
    boxed.legal_moves(&mut moves);
    if moves.len() == 1 {
        let mut search = Search::new(boxed, &plain(), 64, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut UniformEvaluator, usize::MAX);
        assert!(matches!(result.stop, Some(Stop::Decided | Stop::Proven)));
    }
    // PUCT: the leader cannot be overtaken, and the plies in which moves are drawn are over.
    let puct = PuctConfig { temperature: 1.0, temperature_plies: 0, ..plain().puct };
    let config = SearchConfig { method: Method::Puct, puct, solver: Solver::Off, ..plain() };
    let whole = SearchConfig { stop_when_decided: false, ..config.clone() };
    let mut saved = 0;
    for seed in 0..20 {
        let game = sparse_game(&rules("kvasir"), 5, 2, seed);
        let run = |config: &SearchConfig| {
            let mut search = Search::new(game.clone(), config, 400, ChaCha8Rng::seed_from_u64(seed));
            finish(&mut search, &mut HashEvaluator, usize::MAX)
        };
        let (short, long) = (run(&config), run(&whole));
        assert_eq!(short.chosen, long.chosen, "seed {seed}");
        saved += long.simulations - short.simulations;
    }
    assert!(saved > 0, "no simulation was saved");
}

#[test]
fn a_refuted_leader_does_not_end_a_puct_search() {
    let config = SearchConfig { method: Method::Puct, ..plain() };
    let mut refuted_leaders = 0;
    for seed in 0..300 {
        let game = sparse_game(&rules("kvasir"), 6, 3, seed);
        let mover = game.position().side_to_move();
        let mut search = Search::new(game, &config, 100, ChaCha8Rng::seed_from_u64(seed));
        let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
        let lost = |root_move: &&RootMove| root_move.proven.is_some_and(|proof| proof.winner == Some(mover.opponent()));
        let mut open: Vec<u32> =
            result.moves.iter().filter(|root_move| !lost(root_move)).map(|root_move| root_move.visits).collect();
        open.sort_unstable_by(|a, b| b.cmp(a));
        let left = 100 - result.simulations;
        if let (Some(Stop::Decided), [first, second, ..]) = (result.stop, open.as_slice()) {
            assert!(*first > second + left, "seed {seed}: {first} visits, {second} visits, {left} simulations left");
        }
        if result.proven.is_none() {
            refuted_leaders +=
                u32::from(result.moves.iter().filter(lost).any(|root_move| open.first() < Some(&root_move.visits)));
        }
    }
    assert!(refuted_leaders > 0, "no leader was refuted in any of these games");
}

#[test]
fn a_search_with_no_simulations_plays_by_the_policy() {
    for method in [Method::Gumbel, Method::Puct] {
        let config = SearchConfig { method, ..quiet() };
        let game = random_game(&rules("tartu"), 8, 3);
        let mut search = Search::new(game, &config, 0, ChaCha8Rng::seed_from_u64(1));
        let result = finish(&mut search, &mut HashEvaluator, usize::MAX);
        assert_eq!((result.simulations, result.evaluations), (0, 1));
        let best = result.moves.iter().max_by(|a, b| a.prior.total_cmp(&b.prior)).expect("a move");
        assert_eq!(result.chosen, best.mv);
        assert!((result.value - result.raw_value).abs() < 1e-6);
    }
}
