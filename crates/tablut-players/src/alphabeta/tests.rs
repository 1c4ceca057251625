//! Compares the engine with a plain minimax, and tests positions with one answer.

use super::evaluation::{Evaluation, INFINITE, WIN};
use super::ordering::Ordering;
use super::table::Table;
use super::tree::Tree;
use super::{AlphaBeta, line_of};
use crate::player::{Player, pick};
use crate::spec::SearchLimit;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Game, Move, MoveList, Position, RULE_SET_NAMES, Rules, Side};

fn engine(rules: &Arc<Rules>, limit: SearchLimit, seed: u64) -> AlphaBeta {
    AlphaBeta::new(rules, limit, ChaCha8Rng::seed_from_u64(seed))
}

fn choose(engine: &mut AlphaBeta, game: &Game) -> Move {
    engine.poll(game, &mut Vec::new()).unwrap().unwrap()
}

fn game(rules: &str, position: &str) -> (Arc<Rules>, Game) {
    let rules = Arc::new(Rules::named(rules).unwrap());
    let position: Position = position.parse().unwrap();
    let game = Game::from_position(rules.clone(), position).unwrap();
    (rules, game)
}

/// A game after this many random plies. It is not over.
fn after_random_plies(rules: &Arc<Rules>, plies: usize) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut moves = MoveList::new();
    loop {
        let mut game = Game::new(rules.clone(), Side::Attackers);
        while game.outcome().is_none() && game.moves().count() < plies {
            game.legal_moves(&mut moves);
            game.play(pick(&moves, &mut rng)).unwrap();
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

/// The score from a full search, with the engine's own quiescence at the leaves.
fn minimax(tree: &mut Tree<'_>, position: &Position, depth: u32, ply: i32) -> i32 {
    if depth == 0 {
        return tree.negamax(position, 0, ply, -INFINITE, INFINITE);
    }
    if tree.line.contains(&position.hash()) {
        return 0;
    }
    let mut moves = MoveList::new();
    tree.rules.legal_moves(position, &mut moves);
    tree.line.push(position.hash());
    let mut best = ply - WIN;
    for &mv in &moves {
        let applied = tree.rules.apply(position, mv);
        let score = match applied.winner {
            Some(_) => WIN - ply - 1,
            None => -minimax(tree, &applied.position, depth - 1, ply + 1),
        };
        best = best.max(score);
    }
    tree.line.pop();
    best
}

#[test]
fn pruning_changes_no_score() {
    for name in RULE_SET_NAMES {
        let rules = Arc::new(Rules::named(name).unwrap());
        let game = after_random_plies(&rules, 7);
        let analysis = engine(&rules, SearchLimit::Depth(2), 0).analyse(&game);
        let evaluation = Evaluation::new(&rules);
        let (mut table, mut ordering) = (Table::new(4), Ordering::new());
        let mut tree = Tree {
            rules: &rules,
            evaluation: &evaluation,
            table: &mut table,
            ordering: &mut ordering,
            line: line_of(&game)[1..].to_vec(),
            deadline: None,
            stopped: false,
            nodes: 0,
        };
        let score = minimax(&mut tree, game.position(), 2, 0);
        assert_eq!(analysis.score, score, "{name}: {}", game.position());
        assert!(!analysis.best.is_empty());
    }
}

#[test]
fn takes_the_win_and_says_how_far_it_is() {
    let (rules, game) = game("kvasir", "9/9/9/4t4/9/2K6/9/9/3t5 d");
    let mut engine = engine(&rules, SearchLimit::Depth(3), 1);
    let analysis = engine.analyse(&game);
    assert_eq!(analysis.score, WIN - 1, "a win in one ply");
    let mv = choose(&mut engine, &game);
    assert_eq!(rules.apply(game.position(), mv).winner, Some(tablut_rules::Side::Defenders), "{mv}");
}

#[test]
fn closes_the_only_route() {
    // The king threatens to escape along row 3 to the east. In the other directions attackers block him.
    let (rules, game) = game("kvasir", "9/2t6/9/8t/9/1tK6/2t6/9/9 a");
    let analysis = engine(&rules, SearchLimit::Depth(2), 1).analyse(&game);
    for mv in &analysis.best {
        let after = rules.apply(game.position(), *mv);
        assert!(after.winner.is_some() || rules.routes(&after.position) == 0, "{mv} leaves a route open");
    }
}

#[test]
fn same_seed_same_move_and_other_seeds_choose_among_equals() {
    let rules = Arc::new(Rules::named("masters").unwrap());
    let game = Game::new(rules.clone(), tablut_rules::Side::Attackers);
    let choose = |seed| choose(&mut engine(&rules, SearchLimit::Depth(1), seed), &game);
    assert_eq!(choose(1), choose(1));
    let mut player = engine(&rules, SearchLimit::Depth(1), 2);
    let best = player.analyse(&game).best;
    // The start position has eight symmetries, so the best move is never unique.
    assert!(best.len() > 1);
    let chosen: std::collections::HashSet<_> = (0..30).map(choose).collect();
    assert!(chosen.len() > 1 && chosen.iter().all(|mv| best.contains(mv)));
}

#[test]
fn a_search_by_time_gives_a_legal_move_however_short() {
    let rules = Arc::new(Rules::named("ashton").unwrap());
    let game = Game::new(rules.clone(), tablut_rules::Side::Defenders);
    for limit in [Duration::ZERO, Duration::from_millis(5)] {
        let mv = choose(&mut engine(&rules, SearchLimit::Time(limit), 3), &game);
        assert!(rules.check_legal(game.position(), mv).is_ok(), "{mv}");
    }
}
