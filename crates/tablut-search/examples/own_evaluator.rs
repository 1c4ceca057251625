//! Searches with a custom evaluator, which counts pieces instead of using a net: `cargo run -p tablut-search --example
//! own_evaluator`.

use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_rules::{Game, Rules, Side};
use tablut_search::{EvaluateError, Evaluation, Evaluator, Search, SearchConfig, Situation};

/// Values a position by its pieces: two attackers are worth a defender.
struct CountsPieces;

impl Evaluator for CountsPieces {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        let value = |situation: &Situation| {
            let count = |side| situation.position.pieces(side).len() as f32;
            // The king is one of the defenders' pieces.
            let lead = count(Side::Attackers) / 2.0 - (count(Side::Defenders) - 1.0);
            // Chances of an attackers' win, a draw and a defenders' win. They sum to 1.
            let attackers = 1.0 / (1.0 + (-lead).exp());
            [attackers, 0.0, 1.0 - attackers]
        };
        // All moves have the same logit, so they have equal priors.
        let evaluation =
            |situation: &Situation| Evaluation { wdl: value(situation), ..Evaluation::uniform(situation.moves.len()) };
        Ok(situations.iter().map(evaluation).collect())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = Game::new(Arc::new(Rules::named("kvasir")?), Side::Attackers);
    let mut search = Search::new(game, &SearchConfig::for_analysis(), 2000, ChaCha8Rng::seed_from_u64(1));
    let mut evaluator = CountsPieces;
    let mut situations = Vec::new();
    // The search has no threads and no clock. It returns positions, and this loop evaluates them.
    while !search.is_done() {
        search.gather(&mut situations);
        search.apply(&evaluator.evaluate(&situations)?);
        situations.clear();
    }
    let result = search.result();
    println!("best move {}, value {:+.2} (+1 if the attackers win)", result.chosen, result.value);
    println!("{} simulations, {} evaluations", result.simulations, result.evaluations);
    let mut moves = result.moves;
    moves.sort_by_key(|entry| std::cmp::Reverse(entry.visits));
    for entry in moves.iter().take(5) {
        println!("{}: {} visits, value {:+.2}", entry.mv, entry.visits, entry.q);
    }
    Ok(())
}
