//! The solver's time per leaf in nanoseconds, over positions of self-play games.
//!
//! `cargo run --release -p tablut-lab --example leaf_cost -- kvasir,masters 40` plays 40 games under each rule set and
//! then runs the solver on all their positions repeatedly. For comparison it prints the time to list the legal moves,
//! and the time of a solver that applies every move ([`look_at_every_move`]).

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Move, MoveList, Rules, Side};
use tablut_search::{Evaluator, LeafSolver, Search, SelfPlaySearch, Solver, UniformEvaluator};

const OPENING_PLIES: u32 = 6;
const MAX_PLIES: u32 = 120;
const ROUNDS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [names, games] = arguments.as_slice() else {
        return Err("expected RULES,... GAMES".into());
    };
    let n_games: u64 = games.parse()?;
    for name in names.split(',') {
        let rules = Arc::new(Rules::load(name)?);
        let mut leaves = Vec::new();
        for seed in 0..n_games {
            play(&rules, seed, &mut leaves)?;
        }
        let (mut solver, mut replies) = (LeafSolver::default(), MoveList::new());
        let listing = measure(&mut leaves, |_, _| false);
        let looking = measure(&mut leaves, |game, moves| solver.look(game, moves, Solver::Deep).is_some());
        let every = measure(&mut leaves, |game, moves| look_at_every_move(game, moves, &mut replies));
        assert_eq!(looking.1, every.1, "both solvers prove as many leaves");
        println!(
            "{name}: {} leaves, {:.0} ns a look, {:.0} ns one at every move, {:.0} ns to list the moves, {} proven",
            leaves.len(),
            looking.0 - listing.0,
            every.0 - listing.0,
            listing.0,
            looking.1
        );
    }
    Ok(())
}

/// Plays one game and keeps the positions that a search would give to the solver.
fn play(rules: &Arc<Rules>, seed: u64, leaves: &mut Vec<Game>) -> Result<(), Box<dyn Error>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(rules.clone(), rules.set().first.side().unwrap_or(Side::Attackers));
    let mut moves = MoveList::new();
    let config = SelfPlaySearch::default().config();
    while game.outcome().is_none() && game.ply() < MAX_PLIES {
        if game.ply() < OPENING_PLIES {
            game.legal_moves(&mut moves);
            game.play(moves[rng.next_u32() as usize % moves.len()])?;
            continue;
        }
        let mut search = Search::new(game.clone(), &config, 16, ChaCha8Rng::seed_from_u64(rng.next_u64()));
        let mut queries = Vec::new();
        while !search.is_done() {
            search.gather(&mut queries);
            search.apply(&UniformEvaluator.evaluate(&queries)?);
            queries.clear();
        }
        // A leaf is a few moves away from the game.
        let mut leaf = game.clone();
        for _ in 0..=(rng.next_u32() % 2) {
            leaf.legal_moves(&mut moves);
            if !moves.is_empty() {
                leaf.play(moves[rng.next_u32() as usize % moves.len()])?;
            }
        }
        let side = leaf.position().side_to_move();
        if leaf.outcome().is_none() && !rules.wins_at_once(leaf.position(), side) {
            leaves.push(leaf);
        }
        game.play(search.result().chosen)?;
    }
    Ok(())
}

/// Nanoseconds per leaf to list its moves and run `look`, and the number of leaves that `look` proves.
fn measure(leaves: &mut [Game], mut look: impl FnMut(&mut Game, &[Move]) -> bool) -> (f64, usize) {
    let (mut moves, mut n_proven, mut fastest) = (MoveList::new(), 0, f64::INFINITY);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        n_proven = 0;
        for game in leaves.iter_mut() {
            game.legal_moves(&mut moves);
            black_box(moves.len());
            n_proven += usize::from(look(game, &moves));
        }
        fastest = fastest.min(begin.elapsed().as_secs_f64() * 1e9 / leaves.len().max(1) as f64);
    }
    (fastest, n_proven)
}

/// A solver that applies every move and tests who wins at once. Returns whether it proves a result.
fn look_at_every_move(game: &mut Game, moves: &[Move], replies: &mut MoveList) -> bool {
    let mover = game.position().side_to_move();
    let mut n_lost = 0;
    for &mv in moves {
        let rules = game.rules();
        let after = rules.apply(game.position(), mv).position;
        let (lost, threat) = (rules.wins_at_once(&after, mover.opponent()), rules.wins_at_once(&after, mover));
        if !lost && !threat {
            continue;
        }
        game.play_trusted(mv);
        let goes_on = game.outcome().is_none();
        let wins = goes_on && !lost && {
            game.legal_moves(replies);
            replies.iter().all(|reply| {
                let rules = game.rules();
                if !rules.wins_at_once(&rules.apply(game.position(), *reply).position, mover) {
                    return false;
                }
                game.play_trusted(*reply);
                let wins = game.outcome().is_none() && game.rules().wins_at_once(game.position(), mover);
                game.undo();
                wins
            })
        };
        game.undo();
        if wins {
            return true;
        }
        n_lost += usize::from(goes_on && lost);
    }
    n_lost == moves.len()
}
