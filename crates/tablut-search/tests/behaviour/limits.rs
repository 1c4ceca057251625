//! A search under a limit, with a clock that the test controls.

use std::time::Duration;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Side};
use tablut_search::{Evaluator, Limit, Method, Search, SearchConfig, Solver, Stop};

use crate::fakes::{HashEvaluator, finish, game, plain, random_game, rules};

/// Searches under a limit while each gathering takes a millisecond. Also returns the total simulations and the number
/// of gatherings.
fn think(game: &Game, config: &SearchConfig, limit: &str) -> (Search, u32, u64) {
    let limit: Limit = limit.parse().expect("a limit");
    let mut search = Search::new(game.clone(), config, limit, ChaCha8Rng::seed_from_u64(3));
    let (mut situations, mut gatherings) = (Vec::new(), 0);
    while search.goes_on(Duration::from_millis(gatherings)) {
        search.gather(&mut situations);
        search.apply(&HashEvaluator.evaluate(&situations).expect("a fake"));
        situations.clear();
        gatherings += 1;
    }
    assert!(search.is_done());
    let simulations = search.simulations();
    (search, simulations, gatherings)
}

fn config(method: Method) -> SearchConfig {
    SearchConfig { method, stop_when_decided: false, ..plain() }
}

#[test]
fn a_limit_of_simulations_is_one_plain_search() {
    let game = random_game(&rules("masters"), 12, 3);
    for method in [Method::Gumbel, Method::Puct] {
        let mut search = Search::new(game.clone(), &config(method), 90, ChaCha8Rng::seed_from_u64(3));
        let expected = finish(&mut search, &mut HashEvaluator, usize::MAX);
        let (search, simulations, _) = think(&game, &config(method), "90");
        assert_eq!((search.result(), simulations), (expected, 90));
    }
}

#[test]
fn time_runs_out_even_if_no_simulation_needs_an_evaluation() {
    // The next ply ends the game. Without a solver nothing is proven, so only the clock ends the search.
    let game = Game::new(rules("kvasir"), Side::Attackers).with_max_plies(1);
    for method in [Method::Puct, Method::Gumbel, Method::Auto] {
        let config = SearchConfig { solver: Solver::Off, ..config(method) };
        let (search, simulations, gatherings) = think(&game, &config, "20ms");
        assert_eq!((gatherings, search.result().stop), (20, Some(Stop::Asked)), "{method:?}");
        assert!(simulations > 1000, "{method:?}: {simulations}");
    }
}

#[test]
fn under_a_clock_a_search_grows_until_its_time_is_up() {
    let game = random_game(&rules("kvasir"), 12, 3);
    for method in [Method::Gumbel, Method::Puct] {
        let mut before = 0;
        for ms in [1, 10, 100, 1000] {
            let (search, simulations, gatherings) = think(&game, &config(method), &format!("{ms}ms"));
            assert_eq!((gatherings, search.result().stop), (ms, Some(Stop::Asked)), "{method:?}");
            assert!(simulations > before || ms == 1, "{method:?} {ms} ms: {simulations} after {before}");
            assert_eq!(search.result().moves.iter().map(|root_move| root_move.visits).sum::<u32>(), simulations);
            before = simulations;
        }
        assert!(before > 900, "{method:?}: {before} simulations in 1000 gatherings");
    }
}

#[test]
fn of_two_bounds_the_first_one_counts() {
    let game = random_game(&rules("kvasir"), 12, 3);
    for method in [Method::Gumbel, Method::Puct] {
        let (_, simulations, gatherings) = think(&game, &config(method), "200/1h");
        // Leaves that are gathered together may exceed the limit a little.
        assert!((200..216).contains(&simulations), "{method:?}: {simulations} in {gatherings} gatherings");
        let (_, simulations, gatherings) = think(&game, &config(method), "100000/20ms");
        assert!(gatherings == 20 && simulations < 1000, "{method:?}: {simulations} in {gatherings} gatherings");
    }
}

#[test]
fn a_root_is_evaluated_however_short_the_time_and_a_proven_one_needs_none() {
    let (search, simulations, gatherings) =
        think(&random_game(&rules("kvasir"), 12, 3), &config(Method::Gumbel), "0/1ms");
    assert_eq!((search.result().evaluations, simulations, gatherings), (1, 0, 1));
    let won = game("kvasir", "9/9/9/2K6/9/9/9/9/t7t d");
    let (search, _, gatherings) = think(&won, &plain(), "24h");
    assert_eq!((search.result().stop, gatherings), (Some(Stop::Proven), 0));
}

#[test]
fn a_tree_stays_within_its_bound_in_bytes() {
    let config = SearchConfig { max_nodes: 3000, ..config(Method::Puct) };
    for (name, seed) in [("kvasir", 1), ("ludoteka", 2), ("piecepack", 3)] {
        let (search, _, _) = think(&random_game(&rules(name), 10, seed), &config, "6000");
        let (memory, most) = (search.memory(), Search::most_bytes(config.max_nodes, 150));
        assert!(memory.bytes as u64 <= most, "{name}: {memory:?}, at most {most} bytes");
        assert_eq!(memory.nodes, 3000, "{name}: the bound on nodes was not reached: {memory:?}");
    }
}
