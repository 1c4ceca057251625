//! The automatic choice of the method, and the rules inside a Gumbel tree.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_search::{Anytime, GumbelConfig, Interior, Limit, Method, Search, SearchConfig};

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

#[test]
fn under_a_clock_it_is_puct_unless_the_simulations_are_few() {
    for (limit, method) in [("600ms", Method::Puct), ("41/1s", Method::Puct), ("40/1s", Method::Gumbel)] {
        let limit: Limit = limit.parse().expect("a limit");
        assert_eq!(Anytime::new(limit, &config(Method::Auto, 0)).config().method, method, "{limit}");
    }
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
