//! Matches between searches that differ only in their solver. Both sides use the uniform evaluator, so they have no
//! other knowledge.
//!
//! `cargo run --release -p tablut-lab --example solver_match -- deep threats kvasir 32 400` plays 400 games on
//! kvasir with 32 simulations per move. Openings are six random plies. Each opening is played twice, with sides
//! exchanged.

use std::error::Error;
use std::sync::Arc;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Game, MoveList, Rules, Side};
use tablut_search::{Evaluator, Search, SearchConfig, SearchResult, SelfPlaySearch, Solver, UniformEvaluator};

const OPENING_PLIES: u32 = 6;
const MAX_PLIES: u32 = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, second, rules, simulations, games] = arguments.as_slice() else {
        return Err("expected SOLVER SOLVER RULES SIMULATIONS GAMES".into());
    };
    let rules = Arc::new(Rules::load(rules)?);
    let simulations: u32 = simulations.parse()?;
    let configs = [config(first)?, config(second)?];
    let (mut wins, mut draws) = ([0_u32; 2], 0);
    let (mut evaluations, mut plies) = ([0_u64; 2], [0_u64; 2]);
    for number in 0..games.parse::<u64>()? {
        let mut rng = ChaCha8Rng::seed_from_u64(number / 2);
        let mut game = opening(&rules, &mut rng);
        let first_side = if number % 2 == 0 { Side::Attackers } else { Side::Defenders };
        let player = |side| usize::from(side != first_side);
        while game.outcome().is_none() {
            let mover = player(game.position().side_to_move());
            let result = think(&game, &configs[mover], simulations, ChaCha8Rng::seed_from_u64(rng.next_u64()))?;
            evaluations[mover] += u64::from(result.evaluations);
            plies[mover] += 1;
            game.play(result.chosen)?;
        }
        match game.outcome().and_then(|outcome| outcome.winner) {
            Some(side) => wins[player(side)] += 1,
            None => draws += 1,
        }
    }
    let per_move = |player: usize| evaluations[player] as f64 / plies[player].max(1) as f64;
    println!(
        "{first} v {second}, {}, {simulations} simulations: +{} ={draws} -{}, evaluations a move {:.1} and {:.1}",
        rules.name(),
        wins[0],
        wins[1],
        per_move(0),
        per_move(1)
    );
    Ok(())
}

fn config(solver: &str) -> Result<SearchConfig, String> {
    let solver = match solver {
        "off" => Solver::Off,
        "threats" => Solver::Threats,
        "deep" => Solver::Deep,
        _ => return Err(format!("solver {solver}: expected off, threats or deep")),
    };
    Ok(SelfPlaySearch { solver, ..SelfPlaySearch::default() }.config())
}

/// A game that is not over after a few random plies.
fn opening(rules: &Arc<Rules>, rng: &mut ChaCha8Rng) -> Game {
    let mut moves = MoveList::new();
    loop {
        let first = rules.set().first.side().unwrap_or(Side::Attackers);
        let mut game = Game::new(rules.clone(), first).with_max_plies(MAX_PLIES);
        for _ in 0..OPENING_PLIES {
            game.legal_moves(&mut moves);
            if !moves.is_empty() {
                game.play_trusted(moves[rng.next_u32() as usize % moves.len()]);
            }
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

fn think(
    game: &Game,
    config: &SearchConfig,
    simulations: u32,
    rng: ChaCha8Rng,
) -> Result<SearchResult, Box<dyn Error>> {
    let mut search = Search::new(game.clone(), config, simulations, rng);
    let mut queries = Vec::new();
    while !search.is_done() {
        search.gather(&mut queries);
        search.apply(&UniformEvaluator.evaluate(&queries)?);
        queries.clear();
    }
    Ok(search.result())
}
