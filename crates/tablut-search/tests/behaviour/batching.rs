//! A search without virtual loss finds the same result however its situations are gathered, and equal seeds give equal
//! results.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::Game;
use tablut_search::{Method, Search, SearchConfig, SearchResult};

use crate::fakes::{HashEvaluator, all_rules, finish, plain, random_game, search, sparse_game};

fn gathered(game: &Game, config: &SearchConfig, simulations: u32, limit: usize) -> (SearchResult, usize) {
    let mut search = Search::new(game.clone(), config, simulations, ChaCha8Rng::seed_from_u64(11));
    let result = finish(&mut search, &mut HashEvaluator, limit);
    (result, search.memory().bytes)
}

#[test]
fn gathering_together_is_gathering_one_by_one() {
    for (index, rules) in all_rules().enumerate() {
        let game = match index % 2 {
            0 => random_game(&rules, 30, index as u64),
            _ => sparse_game(&rules, 6, 3, index as u64),
        };
        for method in [Method::Gumbel, Method::Puct] {
            for simulations in [1, 7, 50, 333] {
                let config = SearchConfig { method, ..plain() };
                let alone = gathered(&game, &config, simulations, 1);
                for limit in [2, 3, 5, usize::MAX] {
                    assert_eq!(gathered(&game, &config, simulations, limit), alone, "{} limit {limit}", rules.name());
                }
            }
        }
    }
}

#[test]
fn a_halving_round_is_gathered_together() {
    let game = Game::new(crate::fakes::rules("kvasir"), tablut_rules::Side::Attackers);
    let mut search = Search::new(game, &plain(), 64, ChaCha8Rng::seed_from_u64(2));
    let mut situations = Vec::new();
    assert_eq!(search.gather(&mut situations), 1, "only the root");
    assert!(!situations[0].moves.is_empty());
    search.apply(&[tablut_search::Evaluation::uniform(situations[0].moves.len())]);
    situations.clear();
    assert_eq!(search.gather(&mut situations), 16, "one for each considered move");
}

#[test]
fn seeds_reproduce_and_differ() {
    let game = random_game(&crate::fakes::rules("masters"), 12, 3);
    let results: Vec<_> = (0..6).map(|seed| search(&game, &plain(), 40, &mut HashEvaluator, seed)).collect();
    for (seed, result) in results.iter().enumerate() {
        assert_eq!(*result, search(&game, &plain(), 40, &mut HashEvaluator, seed as u64));
    }
    assert!(results.iter().any(|result| result.moves != results[0].moves), "the seed must matter");
}

/// With virtual visits a search gathers more leaves at once, runs the same number of simulations, and keeps no virtual
/// visits in the tree.
#[test]
fn several_leaves_in_flight_spend_the_same_simulations() {
    for rules in all_rules() {
        let game = random_game(&rules, 24, 9);
        for method in [Method::Gumbel, Method::Puct] {
            let config = SearchConfig { method, leaves_in_flight: 8, stop_when_decided: false, ..plain() };
            let mut search = Search::new(game.clone(), &config, 200, ChaCha8Rng::seed_from_u64(4));
            let (mut situations, mut batches, mut asked) = (Vec::new(), 0, 0);
            loop {
                situations.clear();
                let n = search.gather(&mut situations);
                if n == 0 {
                    break;
                }
                (batches, asked) = (batches + 1, asked + n);
                let mut evaluator = HashEvaluator;
                search.apply(&tablut_search::Evaluator::evaluate(&mut evaluator, &situations).expect("a fake"));
            }
            let result = search.result();
            assert_eq!(result.simulations, 200, "{}", rules.name());
            assert_eq!(result.moves.iter().map(|root_move| root_move.visits).sum::<u32>(), 200);
            assert!(asked as f64 / f64::from(batches) > 3.0, "{asked} leaves in {batches} batches");
            // A search that is stopped in the middle undoes the simulations in flight.
            let mut search = Search::new(game.clone(), &config, 200, ChaCha8Rng::seed_from_u64(4));
            let mut evaluator = HashEvaluator;
            for _ in 0..5 {
                situations.clear();
                search.gather(&mut situations);
                search.apply(&tablut_search::Evaluator::evaluate(&mut evaluator, &situations).expect("a fake"));
            }
            let before = (search.result(), search.memory());
            search.gather(&mut Vec::new());
            search.stop();
            let after = (search.result(), search.memory());
            assert_eq!((after.0.moves, after.1), (before.0.moves, before.1));
        }
    }
}
