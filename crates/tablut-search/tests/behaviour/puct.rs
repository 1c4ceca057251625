//! PUCT's temperatures.

use rand::{SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::Move;
use tablut_search::{Method, PuctConfig, Search, SearchConfig, SearchResult};

use crate::fakes::{HashEvaluator, finish, plain, random_game, rules, search};

fn config(puct: PuctConfig) -> SearchConfig {
    SearchConfig { method: Method::Puct, puct, stop_when_decided: false, ..plain() }
}

fn chosen(config: &SearchConfig, plies: u32) -> Vec<Move> {
    let game = random_game(&rules("kvasir"), plies, 12);
    (0..30).map(|seed| search(&game, config, 60, &mut HashEvaluator, seed).chosen).collect()
}

fn n_different(mut moves: Vec<Move>) -> usize {
    moves.sort();
    moves.dedup();
    moves.len()
}

#[test]
fn without_a_temperature_the_seed_does_not_matter() {
    let plain = chosen(&config(PuctConfig::default()), 12);
    assert_eq!(n_different(plain.clone()), 1);
    // The most visited move is played too.
    let game = random_game(&rules("kvasir"), 12, 12);
    let result = search(&game, &config(PuctConfig::default()), 60, &mut HashEvaluator, 1);
    let most = result.moves.iter().map(|root_move| root_move.visits).max();
    assert_eq!(result.moves.iter().find(|root_move| root_move.mv == plain[0]).map(|root_move| root_move.visits), most);
    // The target is the share of visits.
    for root_move in &result.moves {
        assert!((root_move.improved - root_move.visits as f32 / 60.0).abs() < 1e-6);
    }
}

#[test]
fn temperature_draws_moves_until_its_ply() {
    let drawn = PuctConfig { temperature: 1.0, temperature_plies: 13, ..PuctConfig::default() };
    assert!(n_different(chosen(&config(drawn.clone()), 12)) > 3);
    assert_eq!(n_different(chosen(&config(drawn), 13)), 1, "from ply 13 on the most visited move is played");
}

#[test]
fn the_policys_temperature_changes_the_search_and_not_the_priors_that_are_shown() {
    let game = random_game(&rules("kvasir"), 12, 12);
    let result = |policy_temperature| {
        let config = config(PuctConfig { policy_temperature, ..PuctConfig::default() });
        search(&game, &config, 60, &mut HashEvaluator, 1)
    };
    let (sharp, even) = (result(0.5), result(4.0));
    for (a, b) in sharp.moves.iter().zip(&even.moves) {
        assert!((a.prior - b.prior).abs() < 1e-5, "{}: {} and {}", a.mv, a.prior, b.prior);
    }
    let visits = |result: &SearchResult| result.moves.iter().map(|root_move| root_move.visits).collect::<Vec<_>>();
    assert_ne!(visits(&sharp), visits(&even));
}

#[test]
fn another_temperature_begins_another_tree() {
    let game = random_game(&rules("kvasir"), 12, 12);
    let with = |policy_temperature| config(PuctConfig { policy_temperature, ..PuctConfig::default() });
    let mut kept = Search::new(game.clone(), &with(1.0), 60, ChaCha8Rng::seed_from_u64(1));
    finish(&mut kept, &mut HashEvaluator, usize::MAX);
    kept.configure(&with(1.0), 60);
    assert_eq!(finish(&mut kept, &mut HashEvaluator, usize::MAX).kept_visits, 60);
    kept.configure(&with(3.0), 60);
    let fresh = search(&game, &with(3.0), 60, &mut HashEvaluator, 1);
    assert_eq!(finish(&mut kept, &mut HashEvaluator, usize::MAX), fresh);
}
