//! PUCT's root noise and temperature.

use tablut_rules::Move;
use tablut_search::{Method, PuctConfig, SearchConfig};

use crate::fakes::{HashEvaluator, random_game, rules, search};

fn config(puct: PuctConfig) -> SearchConfig {
    SearchConfig { simulations: 60, method: Method::Puct, puct, stop_early: false, ..SearchConfig::default() }
}

fn chosen(config: &SearchConfig, plies: u32) -> Vec<Move> {
    let game = random_game(&rules("kvasir"), plies, 12);
    (0..30).map(|seed| search(&game, config, &mut HashEvaluator, seed).chosen).collect()
}

fn n_different(mut moves: Vec<Move>) -> usize {
    moves.sort();
    moves.dedup();
    moves.len()
}

#[test]
fn without_noise_and_temperature_the_seed_does_not_matter() {
    let plain = chosen(&config(PuctConfig::default()), 12);
    assert_eq!(n_different(plain.clone()), 1);
    // The most visited move is played too.
    let game = random_game(&rules("kvasir"), 12, 12);
    let result = search(&game, &config(PuctConfig::default()), &mut HashEvaluator, 1);
    let most = result.moves.iter().map(|of| of.visits).max();
    assert_eq!(result.moves.iter().find(|of| of.mv == plain[0]).map(|of| of.visits), most);
    // The target is the share of visits.
    for of in &result.moves {
        assert!((of.improved - of.visits as f32 / 60.0).abs() < 1e-6);
    }
}

#[test]
fn temperature_draws_moves_until_its_ply() {
    let drawn = PuctConfig { temperature: 1.0, temperature_plies: 13, ..PuctConfig::default() };
    assert!(n_different(chosen(&config(drawn.clone()), 12)) > 3);
    assert_eq!(n_different(chosen(&config(drawn), 13)), 1, "from ply 13 on the most visited move is played");
}

#[test]
fn noise_moves_visits_but_not_the_reported_prior() {
    let noisy = config(PuctConfig { noise_fraction: 0.5, ..PuctConfig::default() });
    let game = random_game(&rules("kvasir"), 12, 12);
    let (a, b) = (search(&game, &noisy, &mut HashEvaluator, 1), search(&game, &noisy, &mut HashEvaluator, 2));
    let visits = |result: &tablut_search::SearchResult| result.moves.iter().map(|of| of.visits).collect::<Vec<_>>();
    let priors = |result: &tablut_search::SearchResult| result.moves.iter().map(|of| of.prior).collect::<Vec<_>>();
    assert_ne!(visits(&a), visits(&b));
    assert_eq!(priors(&a), priors(&b));
}
