//! Plays a net of lines as it is, in integers, against the same net in f32, to measure what rounding costs in play.
//!
//! `cargo run --release -p tablut-lab --example rounding_match -- MODEL RULES PAIRS SIMULATIONS`

use std::sync::Arc;

use tablut_arena::{MatchConfig, play_match};
use tablut_games::{CancelToken, Concurrency};
use tablut_net::lines::LineLearner;
use tablut_net::{Engine, Inference, InputBatch, MOVES_LEFT_UNIT, Model, NetError, NetEvaluator};
use tablut_net::{OutputBatch, Weights};
use tablut_players::{Contestant, NetSearch};
use tablut_rules::Rules;
use tablut_search::{Evaluator, Limit, SearchConfig};

type Failure = Box<dyn std::error::Error>;

/// A net in f32, by the forward pass of learning.
struct Unrounded(LineLearner);

impl Unrounded {
    fn new(weights: &Weights) -> Result<Self, Failure> {
        let mut net = LineLearner::new(weights.architecture(), tablut_kernels::Kernels::from_env()?);
        net.set_weights(&weights.values());
        Ok(Self(net))
    }
}

impl Inference for Unrounded {
    fn infer(&mut self, input: &InputBatch, output: &mut OutputBatch) -> Result<(), NetError> {
        let predictions = self.0.forward(input);
        output.logits = predictions.logits;
        output.wdl = predictions.wdl.chunks_exact(3).map(|logits| chances([logits[0], logits[1], logits[2]])).collect();
        output.moves_left = predictions.moves_left.iter().map(|left| left * MOVES_LEFT_UNIT).collect();
        Ok(())
    }
}

fn chances(logits: [f32; 3]) -> [f32; 3] {
    let max = logits[0].max(logits[1]).max(logits[2]);
    let shares = logits.map(|logit| (logit - max).exp());
    shares.map(|share| share / shares.iter().sum::<f32>())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, rules, pairs, simulations] = arguments.as_slice() else {
        return Err("expected MODEL RULES PAIRS SIMULATIONS".into());
    };
    let weights = Model::load(model.as_ref())?.weights;
    let limit = Limit::of_simulations(simulations.parse()?);
    let engine = Engine::new(&weights)?;
    Unrounded::new(&weights)?;
    let contestant = |name: &str, evaluator: usize| {
        let search = NetSearch { evaluator, limit, config: SearchConfig::for_play() };
        Contestant::net(format!("{name}@{simulations}"), search)
    };
    let config = MatchConfig {
        rules: Arc::new(Rules::load(rules)?),
        n_pairs: pairs.parse()?,
        opening_plies: 6,
        book: None,
        max_plies: 300,
        seed: 1,
        sequential_test: None,
        concurrency: Concurrency::default(),
    };
    let evaluators = || -> Vec<Box<dyn Evaluator>> {
        let integers = engine.share(1).expect("one thread is the caller's own");
        let unrounded = Unrounded::new(&weights).expect("a net of lines, as above");
        vec![Box::new(NetEvaluator::new(Box::new(integers))), Box::new(NetEvaluator::new(Box::new(unrounded)))]
    };
    let contestants = [contestant("integers", 0), contestant("f32", 1)];
    let outcome = play_match(&config, &contestants, Vec::new(), evaluators, &CancelToken::new(), |_| {})?;
    println!("{}", serde_json::to_string_pretty(&outcome.report)?);
    Ok(())
}
