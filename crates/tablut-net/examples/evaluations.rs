//! Evaluates positions with the shipped net, to compare the bits and the speed of instruction sets.
//!
//! `evaluations 10000 7 9 11` prints positions from random games of all rule sets on these boards, a line of JSON each. `evaluations FILE ROUNDS`
//! evaluates such positions so often on one core, and prints a checksum of all outputs and the evaluations per second.
//! `evaluations FILE ROUNDS learn` does the forward and backward pass of learning instead.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use tablut_kernels::Kernels;
use tablut_net::lines::LineLearner;
use tablut_net::{Engine, InputBatch, Model, NetEvaluator, Simd, encode};
use tablut_rules::{BoardSize, Game, MoveList, Rules, Side, Situation};
use tablut_search::Evaluator;

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-rules.tablut");
const BATCH: usize = 16;
const MAX_PLIES: usize = 80;
/// The checksum of nothing.
const START: u64 = 0xcbf2_9ce4_8422_2325;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [n, widths @ ..] if n.parse::<usize>().is_ok() => print_positions(n.parse()?, widths),
        [file, rounds] => evaluate(&fs::read_to_string(file)?, rounds.parse()?),
        [file, rounds, learn] if learn == "learn" => learn_from(&fs::read_to_string(file)?, rounds.parse()?),
        _ => Err("expected: evaluations N WIDTH…, or evaluations FILE ROUNDS, or evaluations FILE ROUNDS learn".into()),
    }
}

/// Positions on boards of these sizes.
fn print_positions(n: usize, widths: &[String]) -> Result<(), Failure> {
    let (mut moves, mut state) = (MoveList::new(), 1_u64);
    let mut all = Vec::new();
    for width in widths {
        for name in Rules::names_on(BoardSize::of_width(width.parse()?)?) {
            all.push(Arc::new(Rules::named(name)?));
        }
    }
    for (at, rules) in all.iter().enumerate() {
        let mut left = n * (at + 1) / all.len() - n * at / all.len();
        while left > 0 {
            let mut game = Game::new(Arc::clone(rules), rules.set().first.side().unwrap_or(Side::Attackers));
            for _ in 0..MAX_PLIES {
                game.legal_moves(&mut moves);
                if game.outcome().is_some() || moves.is_empty() || left == 0 {
                    break;
                }
                println!("{{\"rules\":\"{}\",\"position\":\"{}\"}}", rules.name(), game.position());
                left -= 1;
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                game.play(moves[(state >> 33) as usize % moves.len()])?;
            }
        }
    }
    Ok(())
}

fn situations(text: &str) -> Result<Vec<Situation>, Failure> {
    let mut moves = MoveList::new();
    let mut rules: Option<Arc<Rules>> = None;
    let mut situation = |line: &str| -> Result<Situation, Failure> {
        let line: serde_json::Value = serde_json::from_str(line)?;
        let text = |name: &str| line[name].as_str().ok_or_else(|| format!("{line} has no {name}"));
        let name = text("rules")?;
        let known = rules.take().filter(|rules| rules.name() == name);
        let rules = rules.insert(known.map_or_else(|| Rules::named(name).map(Arc::new), Ok)?);
        let game = Game::from_position(Arc::clone(rules), text("position")?.parse()?)?;
        game.legal_moves(&mut moves);
        Ok(game.owned_situation(&moves))
    };
    text.lines().map(&mut situation).collect()
}

fn evaluate(text: &str, rounds: usize) -> Result<(), Failure> {
    let situations = situations(text)?;
    let engine = Engine::new(&Model::load(NET.as_ref())?.weights)?;
    let simd = engine.simd();
    let mut net = NetEvaluator::new(Box::new(engine));
    let (mut checksum, mut secs) = (0, Vec::new());
    for _ in 0..rounds {
        checksum = START;
        let began = Instant::now();
        for batch in situations.chunks(BATCH) {
            for evaluation in net.evaluate(batch)? {
                let outputs = evaluation.logits.iter().chain(&evaluation.wdl).chain([&evaluation.moves_left]);
                checksum = outputs.copied().fold(checksum, add);
            }
        }
        secs.push(began.elapsed().as_secs_f64());
    }
    print_speeds(simd, checksum, situations.len(), secs);
    Ok(())
}

fn learn_from(text: &str, rounds: usize) -> Result<(), Failure> {
    let weights = Model::load(NET.as_ref())?.weights;
    let kernels = Kernels::from_env()?;
    let mut learner = LineLearner::new(weights.architecture(), kernels);
    learner.set_weights(&weights.values());
    let mut input = InputBatch::default();
    for situation in situations(text)? {
        encode(&situation.borrowed(), &mut input);
    }
    let (mut checksum, mut secs) = (0, Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        let predictions = learner.forward(&input);
        let gradients = learner.backward(&input, &predictions);
        secs.push(began.elapsed().as_secs_f64());
        checksum = gradients.iter().flatten().copied().fold(START, add);
    }
    print_speeds(kernels.simd(), checksum, input.n, secs);
    Ok(())
}

/// The checksum with one more number.
fn add(checksum: u64, value: f32) -> u64 {
    (checksum ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3)
}

fn print_speeds(simd: Simd, checksum: u64, n: usize, mut secs: Vec<f64>) {
    secs.sort_by(f64::total_cmp);
    let speed = |secs: Option<&f64>| secs.map_or(0.0, |secs| (n as f64 / secs).round());
    let (best, median) = (speed(secs.first()), speed(secs.get(secs.len() / 2)));
    println!("{{\"simd\":\"{simd}\",\"checksum\":\"{checksum:016x}\",\"best\":{best},\"median\":{median}}}");
}
