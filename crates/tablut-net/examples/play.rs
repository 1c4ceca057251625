//! Loads a model file and plays a game against itself: `cargo run --release -p tablut-net --example play --
//! models/quickstart.tablut kvasir 64`.

use std::path::PathBuf;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_net::{Engine, Model, NetEvaluator};
use tablut_rules::{Game, Rules, Side};
use tablut_search::{Evaluator, Search, SearchConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/quickstart.tablut")),
        PathBuf::from,
    );
    let rules = words.next().unwrap_or_else(|| "kvasir".to_owned());
    let simulations: u32 = words.next().unwrap_or_else(|| "64".to_owned()).parse()?;

    let model = Model::load(&file)?;
    let architecture = model.weights.architecture();
    println!("{architecture} with {} parameters", architecture.parameters());
    let mut evaluator = NetEvaluator::new(Box::new(Engine::new(&model.weights)?));

    let game = Game::new(Arc::new(Rules::load(&rules)?), Side::Attackers).with_max_plies(200);
    let mut search = Search::new(game, &SearchConfig::for_play(), simulations, ChaCha8Rng::seed_from_u64(1));
    let mut queries = Vec::new();
    while search.game().outcome().is_none() {
        while !search.is_done() {
            search.gather(&mut queries);
            search.apply(&evaluator.evaluate(&queries)?);
            queries.clear();
        }
        let result = search.result();
        println!("{} (value {:+.2}, {} visits kept)", result.chosen, result.value, result.kept_visits);
        // The subtree of the move is kept for the next search.
        search.advance(result.chosen);
    }
    let game = search.game();
    println!("{} after {} plies", game.outcome().expect("the game is over"), game.moves().len());
    Ok(())
}
