//! An independent solver never contradicts the tree's proofs.

use tablut_rules::{Game, Move};
use tablut_search::{Method, Proof, SearchConfig, Solver, UniformEvaluator};

use crate::exhaustive::{Exhaustive, Goal};
use crate::fakes::{HashEvaluator, all_rules, plain, random_game, search, sparse_game};

/// The exhaustive solver would take too long for longer proofs.
const MAX_PLIES: u16 = 4;
const MAX_POSITIONS: u64 = 300_000;

/// Checks a proof that the tree gave for the game's current position. Returns false if the proof is too long to check.
fn holds(game: &Game, proof: Proof, what: &str) -> bool {
    if proof.plies > MAX_PLIES {
        return false;
    }
    let mut solver = Exhaustive::new(game, MAX_POSITIONS);
    let plies = u32::from(proof.plies);
    let forced = match proof.winner {
        Some(winner) => solver.forces(winner, Goal::Win, plies).map(|won| vec![won]),
        None => [tablut_rules::Side::Attackers, tablut_rules::Side::Defenders]
            .into_iter()
            .map(|side| solver.forces(side, Goal::NotLose, plies))
            .collect(),
    };
    let Ok(forced) = forced else { return false };
    assert!(forced.iter().all(|forced| *forced), "{what}: {proof:?} is contradicted in\n{}", game.position());
    true
}

/// Checks all proofs of a search. Returns their number.
fn check(game: &Game, config: &SearchConfig, simulations: u32, seed: u64) -> usize {
    let what = format!("{} seed {seed}", game.rules().name());
    let result = if seed.is_multiple_of(2) {
        search(game, config, simulations, &mut UniformEvaluator, seed)
    } else {
        search(game, config, simulations, &mut HashEvaluator, seed)
    };
    let mut checked = 0;
    let of_moves = result.moves.iter().filter_map(|root_move| Some((root_move.mv, root_move.proven?)));
    for (mv, proof) in of_moves {
        let mut after: Game = game.clone();
        after.play(mv).expect("a legal move");
        let proof = Proof { plies: proof.plies - 1, ..proof };
        checked += usize::from(holds(&after, proof, &what));
        if !proof.from_history {
            // It must hold without the game's history too. (A finished game has no position to start from.)
            if let Ok(fresh) = Game::from_position(after.rules().clone(), *after.position()) {
                holds(&fresh, proof, &what);
            }
        }
    }
    if let Some(proof) = result.proven {
        checked += usize::from(holds(game, proof, &what));
        let side = game.position().side_to_move();
        let best: Move = result.chosen;
        let of_best = result.moves.iter().find(|root_move| root_move.mv == best).and_then(|root_move| root_move.proven);
        assert_eq!(
            of_best.map(|best| best.rank_for(side).0),
            Some(proof.rank_for(side).0),
            "{what}: {best} is not best"
        );
    }
    checked
}

#[test]
fn proofs_in_sparse_positions_hold_under_every_rule_set() {
    let mut checked = 0;
    for rules in all_rules() {
        for seed in 0..12 {
            let method = if seed % 3 == 0 { Method::Puct } else { Method::Gumbel };
            let solver = if seed % 2 == 0 { Solver::Deep } else { Solver::Threats };
            let config = SearchConfig { method, solver, ..plain() };
            let game = sparse_game(&rules, 4 + seed as usize % 3, seed as usize % 3, seed);
            checked += check(&game, &config, 300, seed);
        }
    }
    assert!(checked > 1000, "only {checked} proofs were checked");
}

#[test]
fn proofs_in_random_games_hold_under_every_rule_set() {
    let mut checked = 0;
    for rules in all_rules() {
        for seed in 0..8 {
            let solver = if seed % 3 == 0 { Solver::Deep } else { Solver::Threats };
            let stop_when_decided = seed % 2 == 0;
            let config = SearchConfig { stop_when_decided, solver, ..plain() };
            checked += check(&random_game(&rules, 40 + 10 * seed as u32, seed), &config, 120, seed);
        }
    }
    assert!(checked > 100, "only {checked} proofs were checked");
}

/// With the ply limit a few plies away, every line ends, and draws are proven too.
#[test]
fn proofs_near_the_ply_limit_hold_and_rest_on_history() {
    let (mut checked, mut draws) = (0, 0);
    for rules in all_rules() {
        for seed in 0..6 {
            let game = sparse_game(&rules, 3, 1, 100 + seed).with_max_plies(2);
            let config = SearchConfig { method: Method::Puct, ..plain() };
            checked += check(&game, &config, 3000, seed);
            let result = search(&game, &config, 3000, &mut UniformEvaluator, seed);
            if let Some(proof) = result.proven.filter(|proof| proof.winner.is_none()) {
                draws += 1;
                assert!(proof.from_history, "a draw always depends on the history");
            }
        }
    }
    assert!(checked > 200 && draws > 10, "only {checked} proofs, {draws} draws");
}

/// Tests proofs by repetition. The games have long histories, because both sides move back and forth.
#[test]
fn proofs_after_repetitions_hold() {
    let mut by_history = 0;
    for rules in all_rules() {
        for seed in 0..16 {
            let mut game = sparse_game(&rules, 2, 0, 200 + seed);
            shuffle(&mut game, 4 + seed as usize % 4);
            if game.outcome().is_some() {
                continue;
            }
            let config = SearchConfig { stop_when_decided: false, ..plain() };
            check(&game, &config, 400, seed);
            let result = search(&game, &config, 400, &mut UniformEvaluator, seed);
            by_history += result
                .moves
                .iter()
                .filter(|root_move| root_move.proven.is_some_and(|proof| proof.from_history))
                .count();
        }
    }
    assert!(by_history > 10, "only {by_history} proofs rested on repetition");
}

/// Each side plays a move that undoes its last one whenever it can. The game stops before it is over.
pub fn shuffle(game: &mut Game, plies: usize) {
    let mut moves = tablut_rules::MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        let played: Vec<Move> = game.moves().collect();
        let back = played.len().checked_sub(2).map(|at| played[at]);
        let mv = moves
            .iter()
            .copied()
            .find(|mv| back.is_some_and(|back| mv.from == back.to && mv.to == back.from))
            .or_else(|| moves.iter().copied().find(|mv| game.rules().apply(game.position(), *mv).winner.is_none()));
        let Some(mv) = mv else { return };
        game.play(mv).expect("a legal move");
        if game.outcome().is_some() {
            game.undo();
            return;
        }
    }
}
