//! The automatic choice of the method, and the rules inside a Gumbel tree.

use std::time::Duration;

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_search::{Anytime, Evaluator, GumbelConfig, Interior, Limit, Method, Search, SearchConfig};

use crate::fakes::{HashEvaluator, finish, random_game, rules, search};

fn config(method: Method, simulations: u32) -> SearchConfig {
    SearchConfig { simulations, method, gumbel_up_to: 40, stop_early: false, ..SearchConfig::default() }
}

#[test]
fn few_simulations_are_spent_by_gumbel_and_many_by_puct() {
    let game = random_game(&rules("kvasir"), 12, 3);
    for (simulations, method) in [(0, Method::Gumbel), (40, Method::Gumbel), (41, Method::Puct), (300, Method::Puct)] {
        let automatic = search(&game, &config(Method::Auto, simulations), &mut HashEvaluator, 5);
        assert_eq!(automatic, search(&game, &config(method, simulations), &mut HashEvaluator, 5), "{simulations}");
    }
    let [gumbel, puct] =
        [Method::Gumbel, Method::Puct].map(|method| search(&game, &config(method, 300), &mut HashEvaluator, 5).moves);
    assert_ne!(gumbel, puct, "the methods must differ for the test to tell them apart");
}

/// A clock that the test controls: each gathering takes a millisecond.
#[test]
fn under_a_clock_puct_goes_on_where_gumbel_has_begun() {
    let game = random_game(&rules("kvasir"), 12, 3);
    let limit: Limit = "600ms".parse().expect("a limit");
    let mut anytime = Anytime::new(limit, &config(Method::Auto, 0));
    let mut search = Search::new(game, anytime.config(), ChaCha8Rng::seed_from_u64(3));
    let (mut queries, mut gatherings, mut methods) = (Vec::new(), 0, Vec::new());
    while anytime.goes_on(&mut search, Duration::from_millis(gatherings)) {
        search.gather(&mut queries);
        search.apply(&HashEvaluator.evaluate(&queries).expect("a fake"));
        queries.clear();
        methods.push(search.config().method);
        gatherings += 1;
    }
    assert_eq!((methods.first(), methods.last()), (Some(&Method::Gumbel), Some(&Method::Puct)));
    methods.dedup();
    assert_eq!(methods.len(), 2, "once it has changed it stays");
    assert_eq!(search.result().moves.iter().map(|of| of.visits).sum::<u32>(), anytime.simulations(&search));
    // PUCT plays the most visited move of the whole tree.
    let result = search.result();
    let most = result.moves.iter().max_by_key(|of| of.visits).expect("legal moves");
    assert_eq!(result.chosen, most.mv);
}

#[test]
fn puct_inside_a_gumbel_tree_does_not_mind_how_it_is_gathered() {
    for seed in 0..4 {
        let game = random_game(&rules("masters"), 16, seed);
        let found = |interior, limit| {
            let gumbel = GumbelConfig { interior, ..GumbelConfig::default() };
            let config = SearchConfig { gumbel, ..config(Method::Gumbel, 200) };
            let mut search = Search::new(game.clone(), &config, ChaCha8Rng::seed_from_u64(7));
            let result = finish(&mut search, &mut HashEvaluator, limit);
            (result, search.branches(6))
        };
        let alone = found(Interior::Puct, 1);
        assert_eq!(found(Interior::Puct, usize::MAX), alone);
        assert_ne!(found(Interior::ImprovedPolicy, 1).1, alone.1, "seed {seed}: the rules must differ");
    }
}
