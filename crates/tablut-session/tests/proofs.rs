//! Proofs of analyses and verdicts of exercises agree with the exhaustive solver in thousands of positions.

#[allow(dead_code, reason = "other tests use other functions of it")]
#[path = "../../tablut-search/tests/behaviour/exhaustive.rs"]
mod exhaustive;

use exhaustive::{Exhaustive, Goal};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use std::time::Duration;
use tablut_rules::{Bitboard, Game, Move, MoveList, Position, Rules, Side, Square};
use tablut_search::UniformEvaluator;
use tablut_session::protocol::Event;
use tablut_session::{Exercise, Judgement, Players, Review, Session, Step, Sufficiency, Thinking, Update, Work};

/// Rule sets that differ in how the king escapes, is captured and captures.
const RULE_SETS: [&str; 5] = ["kvasir", "masters", "ludoteka", "linnaeus", "imperial"];
/// Positions of each rule set whose proofs are checked, and positions that are searched for exercises.
const CLAIMS: u64 = 600;
const EXERCISES: u64 = 250;
/// The exhaustive solver's maximum number of positions.
const BUDGET: u64 = 100_000;

/// A position with a king and a few other pieces anywhere, in which the game is not over.
fn ending(rules: &Arc<Rules>, seed: u64) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let mut squares: Vec<Square> = rules.size().squares().collect();
        let mut draw = |n: usize| -> Bitboard {
            (0..n).map(|_| squares.swap_remove(rng.random_range(0..squares.len()))).collect()
        };
        let king = draw(1);
        let (attackers, defenders) = (draw(4), draw(2));
        let side = if rng.random() { Side::Attackers } else { Side::Defenders };
        let text = text(attackers, defenders, king, side);
        let position: Position = text.parse().expect("a position");
        if let Ok(game) = Game::from_position(rules.clone(), position)
            && game.outcome().is_none()
        {
            return game;
        }
    }
}

/// The position as text: rows from the top and the side to move.
fn text(attackers: Bitboard, defenders: Bitboard, king: Bitboard, side: Side) -> String {
    let piece = |square: Square| {
        let on = |pieces: Bitboard| pieces.contains(square);
        if on(attackers) {
            't'
        } else if on(defenders) {
            'T'
        } else if on(king) {
            'K'
        } else {
            '1'
        }
    };
    let row = |number: usize| {
        ('a'..='i').map(|letter| piece(format!("{letter}{number}").parse().expect("a square"))).collect::<String>()
    };
    let rows: Vec<String> = (1..=9).rev().map(row).collect();
    format!("{} {}", rows.join("/"), if side == Side::Attackers { 'a' } else { 'd' })
}

fn legal_moves(game: &Game) -> Vec<Move> {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    moves.into_vec()
}

/// Whether the side forces a win within `plies` plies. `None` if the solver reaches its budget.
fn forces(game: &Game, side: Side, plies: u32) -> Option<bool> {
    Exhaustive::new(game, BUDGET).forces(side, Goal::Win, plies).ok()
}

fn after(game: &Game, mv: Move) -> Game {
    let mut game = game.clone();
    game.play(mv).expect("a legal move");
    game
}

/// Runs a check for each seed, on all cores. Returns the sum of the counts.
fn over_seeds(seeds: std::ops::Range<u64>, check: impl Fn(u64) -> u64 + Sync) -> u64 {
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let worker = || {
        let mut sum = 0;
        loop {
            let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if seed >= seeds.end {
                return sum;
            }
            sum += check(seed);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    })
}

#[test]
fn no_claim_of_proof_is_contradicted() {
    let mut claims = 0;
    for (index, name) in RULE_SETS.iter().enumerate() {
        let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
        let first = 10_000 * index as u64;
        claims += over_seeds(first..first + CLAIMS, |seed| {
            let game = ending(&rules, seed);
            let mut thinking = Thinking::by_simulations(&game, 48, seed);
            while thinking.step(&mut UniformEvaluator, Duration::ZERO).expect("it always answers") {}
            let analysis = thinking.analysis(usize::MAX);
            let what = || format!("{name}, seed {seed}, {}", game.position());
            if let Some(proven) = analysis.proven {
                assert_eq!(contradicted_by(&game, proven.winner, 3), None, "{}: {proven:?}", what());
                // The solver confirms a short proof and its number of plies.
                if let (Some(winner), 0..=3, false) = (proven.winner, proven.plies, proven.from_history) {
                    let forced = forces(&game, winner, u32::from(proven.plies));
                    assert_ne!(forced, Some(false), "{}: {proven:?}", what());
                }
            }
            for line in &analysis.lines {
                let (Some(proven), Some(mv)) = (line.proven, line.moves.first()) else { continue };
                assert_eq!(contradicted_by(&after(&game, *mv), proven.winner, 2), None, "{}, {mv}: {proven:?}", what());
            }
            u64::from(analysis.proven.is_some())
        });
    }
    assert!(claims > 500, "{claims} claims are too few to test anything");
}

/// The contradiction between a result and the exhaustive solver, if there is one.
fn contradicted_by(game: &Game, winner: Option<Side>, plies: u32) -> Option<String> {
    let others = Side::ALL.into_iter().filter(|side| Some(*side) != winner);
    others
        .filter(|side| forces(game, *side, plies) == Some(true))
        .map(|side| format!("but the {side} win within {plies} plies"))
        .next()
}

fn judged(exercise: &Exercise, mv: Move) -> Judgement {
    let mut work = exercise.judge(mv, 1);
    loop {
        if let Step::Done(updates) = work.step(&mut UniformEvaluator, Duration::ZERO).expect("it always answers") {
            match updates.into_iter().next() {
                Some(Update::Event(Event::Judgement(judgement))) => return *judgement,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Judges an answer, and fails if the exhaustive solver contradicts the verdict.
fn check_answer(exercise: &Exercise, game: &Game, mv: Move, what: &str) {
    let side = game.position().side_to_move();
    let judgement = judged(exercise, mv);
    let wins = forces(&after(game, mv), side, 2) == Some(true);
    let good = matches!(judgement.sufficiency, Sufficiency::Best | Sufficiency::Enough | Sufficiency::Slower);
    assert!(!wins || good, "{what}: {mv} wins, and is called {:?}: {}", judgement.sufficiency, judgement.words);
    let certain = judgement.chances.filter(|chances| chances.attackers == 1.0 || chances.defenders == 1.0);
    if let Some(chances) = certain {
        let winner = if chances.attackers == 1.0 { Side::Attackers } else { Side::Defenders };
        let by = contradicted_by(&after(game, mv), Some(winner), 2);
        assert_eq!(by, None, "{what}: {mv} is called a certain win of the {winner}");
    }
}

#[test]
fn every_move_that_keeps_a_proven_win_is_accepted() {
    let mut exercises = 0;
    for (index, name) in RULE_SETS.iter().enumerate() {
        let rules = Arc::new(Rules::named(name).expect("a built-in rule set"));
        let first = 100_000 + 10_000 * index as u64;
        exercises += over_seeds(first..first + EXERCISES, |seed| {
            let game = ending(&rules, seed);
            let side = game.position().side_to_move();
            let mut solver = Exhaustive::new(&game, BUDGET);
            let Ok(Some(plies)) = solver.shortest_win(side, 3) else { return 0 };
            let Ok(winning) = solver.winning_moves(3) else { return 0 };
            let session = Session::from_position(rules.clone(), *game.position(), Players::people()).expect("a game");
            // The exercise knows one solution and must accept the others too.
            let exercise = Exercise::of_puzzle(&session, plies.div_ceil(2), vec![winning[0]]);
            let what = format!("{name}, seed {seed}, {}", game.position());
            for mv in &winning {
                check_answer(&exercise, &game, *mv, &what);
            }
            // Any legal move, which may not win.
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            if let (0, Some(mv)) = (seed % 4, legal_moves(&game).choose(&mut rng)) {
                check_answer(&exercise, &game, *mv, &what);
            }
            1
        });
    }
    assert!(exercises > 250, "{exercises} exercises are too few to test anything");
}

#[test]
fn exercises_of_a_review_accept_what_wins() {
    let rules = Arc::new(Rules::named("kvasir").expect("a built-in rule set"));
    let answers = over_seeds(1..400, |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = *ending(&rules, 200_000 + seed).position();
        let mut session = Session::from_position(rules.clone(), start, Players::people()).expect("a game");
        for _ in 0..6 {
            let Ok(moves) = session.moves() else { break };
            session.play(*moves.choose(&mut rng).expect("the game is not over")).expect("a legal move");
        }
        let mut answers = 0;
        let review = Review::run(&mut session, 400, 1, &mut UniformEvaluator, &mut || {}).expect("it always answers");
        for exercise in review.exercises {
            let game = session.game_at(exercise.node).expect("a position of the game");
            for mv in Exhaustive::new(&game, BUDGET).winning_moves(3).unwrap_or_default() {
                check_answer(&exercise, &game, mv, &format!("seed {seed}, {}", game.position()));
                answers += 1;
            }
        }
        answers
    });
    assert!(answers > 200, "{answers} answers are too few to test anything");
}
