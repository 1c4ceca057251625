//! The automatic choice of the method.

use tablut_search::{Anytime, Limit, Method, SearchConfig};

use crate::fakes::{HashEvaluator, random_game, rules, search};

fn config(method: Method, simulations: u32) -> SearchConfig {
    SearchConfig { simulations, method, stop_when_decided: false, ..SearchConfig::default() }
}

#[test]
fn few_simulations_are_spent_by_gumbel_and_many_by_puct() {
    let game = random_game(&rules("kvasir"), 12, 3);
    for (simulations, method) in [(0, Method::Gumbel), (32, Method::Gumbel), (33, Method::Puct), (300, Method::Puct)] {
        let automatic = search(&game, &config(Method::Auto, simulations), &mut HashEvaluator, 5);
        assert_eq!(automatic, search(&game, &config(method, simulations), &mut HashEvaluator, 5), "{simulations}");
    }
    let [gumbel, puct] =
        [Method::Gumbel, Method::Puct].map(|method| search(&game, &config(method, 300), &mut HashEvaluator, 5).moves);
    assert_ne!(gumbel, puct, "the methods must differ for the test to tell them apart");
}

#[test]
fn under_a_clock_it_is_puct_unless_the_simulations_are_few() {
    for (limit, method) in [("600ms", Method::Puct), ("33/1s", Method::Puct), ("32/1s", Method::Gumbel)] {
        let limit: Limit = limit.parse().expect("a limit");
        assert_eq!(Anytime::new(limit, &config(Method::Auto, 0)).config().method, method, "{limit}");
    }
}
