//! Plays a net against itself in two precisions, to measure the effect of rounding on play.
//!
//! `cargo run --release -p tablut-lab --example precision_match -- MODEL RULES PAIRS bf16@64 f32@64`

use std::sync::Arc;

use tablut_arena::{MatchConfig, play_match};
use tablut_games::{CancelToken, Concurrency};
use tablut_net::{Engine, EngineOptions, Model, NetEvaluator, Precision};
use tablut_players::{Contestant, NetSearch};
use tablut_rules::Rules;
use tablut_search::{Evaluator, Limit, SearchConfig};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rules, pairs, first, second] = arguments.as_slice() else {
        return Err("expected MODEL RULES PAIRS PRECISION@SIMULATIONS PRECISION@SIMULATIONS".into());
    };
    let weights = Model::load(model.as_ref())?.weights;
    let players = [first, second].map(|text| player(text));
    let [first, second] = players;
    let (first, second) = (first?, second?);
    let engine = |precision| Engine::with_options(&weights, EngineOptions { precision, ..EngineOptions::default() });
    let engines = [engine(first.0)?, engine(second.0)?];
    let contestant = |evaluator: usize, player: &(Precision, u32)| {
        let search = NetSearch { evaluator, limit: Limit::of_simulations(player.1), config: SearchConfig::for_play() };
        Contestant::net(format!("{}@{}", player.0, player.1), search)
    };
    let config = MatchConfig {
        rules: Arc::new(Rules::load(rules)?),
        n_pairs: pairs.parse()?,
        opening_plies: 6,
        book: None,
        max_plies: Some(300),
        seed: 1,
        sequential_test: None,
        concurrency: Concurrency::default(),
    };
    let evaluators = || -> Vec<Box<dyn Evaluator>> {
        let share = |engine: &Engine| engine.share(1).expect("one thread is the caller's own");
        engines.iter().map(|engine| Box::new(NetEvaluator::new(Box::new(share(engine)))) as _).collect()
    };
    let contestants = [contestant(0, &first), contestant(1, &second)];
    let outcome = play_match(&config, &contestants, evaluators, &CancelToken::new(), |_| {})?;
    println!("{}", serde_json::to_string_pretty(&outcome.report)?);
    Ok(())
}

/// A precision and a number of simulations, from `bf16@64`.
fn player(text: &str) -> Result<(Precision, u32), Failure> {
    let (precision, simulations) = text.split_once('@').ok_or("expected PRECISION@SIMULATIONS, such as bf16@64")?;
    Ok((precision.parse()?, simulations.parse()?))
}
