//! Evaluators and positions for tests.

use std::sync::Arc;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use tablut_rules::{Bitboard, BoardSize, Game, MoveList, Position, RULE_SET_NAMES, Rules, Side, Symmetry};
use tablut_search::{
    DrawValues, EvaluateError, Evaluation, Evaluator, GumbelConfig, Method, PuctConfig, Repeats, Search, SearchConfig,
    SearchResult, Situation, Solver,
};

/// An evaluator whose logits and values are hashes of positions. They are the same for the eight symmetric versions of
/// a position. Its evaluations are decided but arbitrary.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashEvaluator;

impl Evaluator for HashEvaluator {
    fn evaluate(&mut self, situations: &[Situation]) -> Result<Vec<Evaluation>, EvaluateError> {
        Ok(situations.iter().map(hashed).collect())
    }
}

fn hashed(situation: &Situation) -> Evaluation {
    let after = |mv| unit(symmetric_hash(&situation.rules.apply(&situation.position, mv).position));
    let logits = situation.moves.iter().map(|mv| 3.0 * after(*mv)).collect();
    // The history counts too, as it does for a net.
    let seed = symmetric_hash(&situation.position) ^ u64::from(situation.occurrences) << 40;
    let decided = 0.1 + 0.8 * unit(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    // The chance of a draw does not change the value, so trees are the same as without draws.
    let draw = (1.0 - (2.0 * decided - 1.0).abs()) * unit(seed.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    Evaluation { logits, wdl: [decided - draw / 2.0, draw, 1.0 - decided - draw / 2.0], moves_left: 30.0 }
}

/// A number from 0 to 1.
fn unit(hash: u64) -> f32 {
    (hash.wrapping_mul(0xd134_2543_de82_ef95) >> 40) as f32 / (1 << 24) as f32
}

fn symmetric_hash(position: &Position) -> u64 {
    Symmetry::ALL.iter().map(|symmetry| symmetry.position(position).hash()).min().expect("eight symmetries")
}

/// Runs a search to its end, gathering at most `limit` situations at a time.
pub fn finish(search: &mut Search, evaluator: &mut impl Evaluator, limit: usize) -> SearchResult {
    let mut situations = Vec::new();
    while !search.is_done() {
        search.gather_at_most(&mut situations, limit);
        search.apply(&evaluator.evaluate(&situations).expect("fakes do not fail"));
        situations.clear();
    }
    search.result()
}

/// A search from the game's current position, run to its end.
pub fn search(
    game: &Game,
    config: &SearchConfig,
    simulations: u32,
    evaluator: &mut impl Evaluator,
    seed: u64,
) -> SearchResult {
    finish(&mut Search::new(game.clone(), config, simulations, ChaCha8Rng::seed_from_u64(seed)), evaluator, usize::MAX)
}

/// The paper's Gumbel search with noise. With another method it is a PUCT search with the net's own priors.
pub fn plain() -> SearchConfig {
    let gumbel = GumbelConfig { noise: true, simulations_per_considered: 1, ..SearchConfig::for_play().gumbel };
    SearchConfig {
        method: Method::Gumbel,
        gumbel,
        puct: PuctConfig { policy_temperature: 1.0, ..PuctConfig::default() },
        moves_left: 0.0,
        repeats: Repeats::Evaluated,
        draw_value: DrawValues::default(),
        solver: Solver::Threats,
        ..SearchConfig::for_play()
    }
}

/// The same without noise.
pub fn quiet() -> SearchConfig {
    SearchConfig { gumbel: GumbelConfig { noise: false, ..plain().gumbel }, ..plain() }
}

pub fn rules(name: &str) -> Arc<Rules> {
    Arc::new(Rules::named(name).expect("a built-in rule set"))
}

pub fn game(rules_name: &str, position: &str) -> Game {
    Game::from_position(rules(rules_name), position.parse().expect("a position")).expect("a king")
}

/// All built-in rule sets.
pub fn all_rules() -> impl Iterator<Item = Arc<Rules>> {
    RULE_SET_NAMES.iter().map(|name| rules(name))
}

/// The built-in rule sets on Tablut's board. On the others, few simulations or few pieces leave ties between moves.
pub fn tablut_rules() -> impl Iterator<Item = Arc<Rules>> {
    all_rules().filter(|rules| rules.size() == BoardSize::Nine)
}

/// The game after `plies` random moves, or fewer. It is never over.
pub fn random_game(rules: &Arc<Rules>, plies: u32, seed: u64) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(rules.clone(), Side::Attackers);
    let mut moves = MoveList::new();
    for _ in 0..plies {
        game.legal_moves(&mut moves);
        game.play(moves[rng.next_u32() as usize % moves.len()]).expect("a legal move");
        if game.outcome().is_some() {
            game.undo();
            break;
        }
    }
    game
}

/// A game from a random position with few pieces, which has short lines and ends soon. It is never over.
pub fn sparse_game(rules: &Arc<Rules>, n_attackers: usize, n_defenders: usize, seed: u64) -> Game {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = rules.size();
    loop {
        let mut taken = Bitboard::default();
        let mut place = |n: usize| {
            let mut placed = Bitboard::default();
            while placed.len() < n {
                let square = size.square(rng.next_u32() as usize % size.n_squares());
                let special = rules.corners().contains(square) || rules.throne().contains(square);
                if !special && !taken.contains(square) {
                    taken.insert(square);
                    placed.insert(square);
                }
            }
            placed
        };
        let (attackers, defenders) = (place(n_attackers), place(n_defenders));
        let king = place(1).iter().next();
        let side = if rng.next_u32() % 2 == 0 { Side::Attackers } else { Side::Defenders };
        let Ok(position) = Position::from_parts(size, attackers, defenders, king, side) else { continue };
        let Ok(game) = Game::from_position(rules.clone(), position) else { continue };
        if game.outcome().is_none() {
            return game;
        }
    }
}
