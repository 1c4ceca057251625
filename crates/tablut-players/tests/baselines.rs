//! Tests the moves of the baseline players.

use std::collections::HashSet;
use std::sync::Arc;

use tablut_players::{Baseline, PlayerSpec};
use tablut_rules::{Game, Move, Position, RULE_SET_NAMES, Rules, Side};

fn choose(player: &str, game: &Game, seed: u64) -> Move {
    Baseline::new(&player.parse::<PlayerSpec>().unwrap(), game.rules(), seed).unwrap().choose(game)
}

/// A game after this many random plies.
fn after_random_plies(rules: &Arc<Rules>, plies: u32) -> Game {
    let played = |seed| {
        let mut game = Game::new(rules.clone(), Side::Attackers);
        for ply in 0..plies {
            if game.outcome().is_none() {
                game.play(choose("random", &game, seed + u64::from(ply))).unwrap();
            }
        }
        game
    };
    (0..1000).map(|n| played(100 * n)).find(|game| game.outcome().is_none()).unwrap()
}

fn at(rules: &str, position: &str) -> Game {
    let rules = Arc::new(Rules::named(rules).unwrap());
    Game::from_position(rules, position.parse::<Position>().unwrap()).unwrap()
}

#[test]
fn all_players_play_legal_moves_under_every_rule_set_and_repeat_them_from_one_seed() {
    for name in RULE_SET_NAMES {
        let rules = Arc::new(Rules::named(name).unwrap());
        let game = after_random_plies(&rules, 5);
        for player in ["random", "greedy", "alphabeta:1", "alphabeta:2", "rollouts:20"] {
            let mv = choose(player, &game, 8);
            assert!(rules.check_legal(game.position(), mv).is_ok(), "{name} {player}: {mv}");
            assert_eq!(choose(player, &game, 8), mv, "{name} {player}");
        }
    }
}

#[test]
fn random_plays_every_move_sooner_or_later() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    let game = Game::new(rules, Side::Attackers);
    let seen: HashSet<Move> = (0..2000).map(|seed| choose("random", &game, seed)).collect();
    assert_eq!(seen.len(), 80);
}

#[test]
fn greedy_prefers_the_win_to_a_capture_and_a_capture_to_anything() {
    // The king on c4 can escape along row 4. The defender on g5 could capture on f4.
    let game = at("kvasir", "9/9/9/9/6T2/2K2t3/5T3/9/t8 d");
    for seed in 0..20 {
        let mv = choose("greedy", &game, seed);
        assert_eq!(game.rules().apply(game.position(), mv).winner, Some(Side::Defenders), "{mv}");
    }
    // The enclosed king cannot escape, so the next choice is the capture of f4.
    let game = at("kvasir", "9/9/9/2t6/1t1t1T3/1tKt1t3/2t6/5T3/9 d");
    for seed in 0..20 {
        let applied = game.rules().apply(game.position(), choose("greedy", &game, seed));
        assert_eq!(applied.captured.len(), 1, "{}", applied.position);
    }
}

#[test]
fn playouts_find_a_win_in_one() {
    // The king, who would escape along his column, can be captured between c4 and e4.
    let game = at("kvasir", "9/9/9/4t4/9/2tK1t3/9/9/9 a");
    for seed in 0..5 {
        let applied = game.rules().apply(game.position(), choose("rollouts:400", &game, seed));
        assert_eq!(applied.winner, Some(Side::Attackers), "{}", applied.position);
    }
}

#[test]
fn a_net_is_no_baseline() {
    let rules = Arc::new(Rules::named("kvasir").unwrap());
    assert!(Baseline::new(&"net:x.tablut@8".parse().unwrap(), &rules, 0).is_none());
}
