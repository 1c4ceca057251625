//! Proofs in games that end by their history agree with an independent solver, and proven wins can be won.

use std::sync::Arc;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, Move, MoveList, RepetitionResult, RuleSet, Rules};
use tablut_search::{Method, Search, SearchConfig, Solver, UniformEvaluator};

use crate::exhaustive::{Exhaustive, Verdict};
use crate::fakes::{HashEvaluator, finish, game, quiet, rules, search, sparse_game};

/// Rule sets in which games soon end by their history, and positions with few pieces that move back and forth.
fn short_rules() -> Vec<Arc<Rules>> {
    let mut all = Vec::new();
    for base in ["kvasir", "masters", "tartu"] {
        let with = |change: &dyn Fn(&mut RuleSet)| {
            let mut set = rules(base).set().clone();
            // A king with a short reach cannot escape at once.
            set.king.reach = 2;
            change(&mut set);
            Arc::new(Rules::new(set).expect("a sound rule set"))
        };
        for result in [RepetitionResult::Draw, RepetitionResult::MoverLoses, RepetitionResult::AggressorLoses] {
            all.push(with(&|set| set.repetition.result = result));
        }
        all.push(with(&|set| set.repetition.start_counts = false));
        all.push(with(&|set| set.repetition.result = RepetitionResult::Ignored));
        all.push(with(&|set| set.no_capture_plies = Some(5)));
        all.push(with(&|set| (set.no_capture_plies, set.max_plies) = (None, Some(6))));
        all.push(with(&|set| set.repetition.occurrences = 2));
    }
    all
}

fn name(rules: &Rules) -> String {
    let set = rules.set();
    format!("{} {:?} {:?} {:?}", rules.name(), set.repetition, set.no_capture_plies, set.max_plies)
}

fn config(method: Method) -> SearchConfig {
    SearchConfig { method, stop_when_decided: false, ..quiet() }
}

/// An independent solver agrees with what a search proves, in games with a history.
#[test]
fn search_and_solver_agree() {
    let (mut solved, mut by_history) = (0, 0);
    for rules in short_rules() {
        for seed in 0..10 {
            let mut game = sparse_game(&rules, 2 + seed as usize % 4, seed as usize % 3, 40 + seed);
            wander(&mut game, 2 * (seed as u32 % 4), &mut ChaCha8Rng::seed_from_u64(seed));
            let method = if seed % 2 == 0 { Method::Gumbel } else { Method::Puct };
            let result = search(&game, &config(method), 1500, &mut HashEvaluator, seed);
            let what = format!("{} in\n{}", name(&rules), game.position());
            let Some(proof) = result.proven.filter(|proof| proof.plies <= 5) else { continue };
            let Ok(verdict) = Exhaustive::new(&game, 200_000).solve(proof.plies.into()) else { continue };
            match proof.winner {
                Some(winner) => assert!(
                    matches!(verdict, Verdict::Win(side, plies) if side == winner && plies <= proof.plies.into()),
                    "{proof:?} is {verdict:?}, {what}"
                ),
                None => assert_eq!(verdict, Verdict::Draw, "{proof:?} {what}"),
            }
            solved += 1;
            by_history += usize::from(proof.from_history);
        }
    }
    assert!(solved > 50 && by_history > 10, "{solved} solved, {by_history} of them by history");
}

/// A proven win is won within the proven plies, even if the loser moves back and forth.
#[test]
fn proven_wins_are_won_in_time() {
    let (mut wins, mut longest, mut recurrences) = (0, 0, 0);
    let mut play = |start: &Game, method, solver, seed| {
        let mut config = SearchConfig { solver, ..config(method) };
        config.gumbel.max_considered = 64;
        if let Some((plies, recurred)) = win_out(start, &config, seed) {
            (wins, longest, recurrences) = (wins + 1, longest.max(plies), recurrences + recurred);
        }
    };
    for rules in short_rules() {
        for seed in 0..12 {
            let mut start = sparse_game(&rules, 3 + seed as usize % 4, seed as usize % 3, 900 + seed);
            wander(&mut start, 2 * (seed as u32 % 4), &mut ChaCha8Rng::seed_from_u64(seed));
            let method = if seed % 2 == 0 { Method::Puct } else { Method::Gumbel };
            play(&start, method, Solver::Threats, seed);
        }
    }
    for (seed, puzzle) in include_str!("../golden/wins_in_five.txt").lines().enumerate() {
        let (rules, position) = puzzle.split_once(' ').expect("rules, then a position");
        let start = game(rules, position);
        let mut later = start.clone();
        // Pieces go out and back, so that the position has occurred before.
        wander(&mut later, 4, &mut ChaCha8Rng::seed_from_u64(seed as u64));
        for start in [&start, &later] {
            play(start, Method::Gumbel, Solver::Deep, seed as u64);
        }
    }
    assert!(wins > 150 && longest >= 5, "{wins} wins, the longest in {longest}, {recurrences} recurrences");
}

/// Plays a proven win to the end. Returns the plies within which it was proven, and how often a position repeated.
fn win_out(start: &Game, config: &SearchConfig, seed: u64) -> Option<(u16, u32)> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut search = Search::new(start.clone(), config, 800, ChaCha8Rng::seed_from_u64(seed));
    let result = finish(&mut search, &mut UniformEvaluator, usize::MAX);
    let proof = result.proven.filter(|proof| proof.winner.is_some())?;
    let what = format!("{}: {proof:?} in\n{}", name(start.rules()), start.position());
    let mut recurrences = 0;
    for left in (0..proof.plies).rev() {
        let ours = Some(search.game().position().side_to_move()) == proof.winner;
        let mv = if ours { search.result().chosen } else { reply(&search, &mut dice) };
        search.advance(mv);
        recurrences += u32::from(search.game().occurrences() > 0);
        if let Some(outcome) = search.game().outcome() {
            assert_eq!(outcome.winner, proof.winner, "{what}");
            return Some((proof.plies, recurrences));
        }
        let next = finish(&mut search, &mut UniformEvaluator, usize::MAX).proven;
        let holds = next.is_some_and(|next| next.winner == proof.winner && next.plies <= left);
        assert!(holds, "{next:?} with {left} plies left: {what}");
    }
    panic!("not won in time: {what}")
}

/// A few plies in which pieces mostly go back where they came from, so that positions have occurred before.
fn wander(game: &mut Game, plies: u32, dice: &mut ChaCha8Rng) {
    for _ in 0..plies {
        let mv = reply_to(game, dice);
        game.play(mv).expect("a legal move");
        if game.outcome().is_some() {
            game.undo();
            return;
        }
    }
}

/// A reply that makes the loss long, or one that repeats a position.
fn reply(search: &Search, dice: &mut ChaCha8Rng) -> Move {
    if dice.next_u32().is_multiple_of(2) { search.result().chosen } else { reply_to(search.game(), dice) }
}

fn reply_to(game: &Game, dice: &mut ChaCha8Rng) -> Move {
    let mut moves = MoveList::new();
    game.legal_moves(&mut moves);
    let played: Vec<Move> = game.moves().collect();
    let back = played.len().checked_sub(2).map(|at| played[at]);
    let returning = moves.iter().find(|mv| back.is_some_and(|back| mv.from == back.to && mv.to == back.from));
    returning.copied().unwrap_or_else(|| moves[dice.next_u32() as usize % moves.len()])
}

/// In these positions one side threatens to win with every move and the other prevents it, until a position has
/// occurred three times. The methods prove the same results, and a side that wins by the rule can carry it out.
#[test]
fn results_by_repetition_are_proven() {
    let mut by_history = 0;
    for line in include_str!("../golden/repetitions.txt").lines() {
        let (base, position) = line.split_once(' ').expect("rules, then a position");
        for result in [RepetitionResult::Draw, RepetitionResult::MoverLoses, RepetitionResult::AggressorLoses] {
            let mut set = rules(base).set().clone();
            set.repetition.result = result;
            let rules = Arc::new(Rules::new(set).expect("a sound rule set"));
            let game = Game::from_position(rules, position.parse().expect("a position")).expect("a king");
            let found = [Method::Gumbel, Method::Puct].map(|method| {
                let config = config(method);
                let proof = search(&game, &config, 800, &mut UniformEvaluator, 1).proven;
                if proof.is_some_and(|proof| proof.winner.is_some()) {
                    assert!(win_out(&game, &config, 1).is_some(), "{line} {result:?} {method:?}");
                }
                proof
            });
            if let [Some(one), Some(other)] = found {
                assert_eq!(one.winner, other.winner, "{line} {result:?}");
            }
            by_history += found.iter().flatten().filter(|proof| proof.from_history).count();
        }
    }
    assert!(by_history > 12, "only {by_history} results rest on history");
}
