//! Plays two nets of the study against each other, or measures how fast they are.
//!
//! `line-nets match RULES PAIRS FIRST@LIMIT SECOND@LIMIT` plays pairs of games from the same opening with sides exchanged, each search
//! on one core. A net is a file of `train.py`; a limit is a number of simulations or a time. `line-nets speed RULES NET...` prints
//! evaluations a second of one core for batches of one, alone and in a search. `line-nets outputs RULES NET` prints outputs, which
//! `check.py` compares with PyTorch.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tablut_arena::{MatchConfig, play_match};
use tablut_games::{CancelToken, Concurrency};
use tablut_net::{Engine, Inference, InputBatch, NetEvaluator, OutputBatch, encode};
use tablut_players::{Contestant, NetSearch};
use tablut_rules::{Game, MoveList, Rules, Side};
use tablut_search::{Evaluator, SearchConfig};

mod line_net;
mod residual;
mod tensors;

type Failure = Box<dyn std::error::Error>;

/// A net on one core.
fn net(path: &str) -> Result<Box<dyn Inference>, Failure> {
    let tensors = tensors::read(Path::new(path))?;
    let name = Path::new(path).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let shape = name.split('-').nth(1).ok_or("expected a file RULES-NET-SEED.safetensors")?;
    if let Some(shape) = shape.strip_prefix("lines") {
        return Ok(match shape.split('x').next() {
            Some("16") => Box::new(line_net::LineNet::<16>::new(&tensors)),
            Some("32") => Box::new(line_net::LineNet::<32>::new(&tensors)),
            Some("48") => Box::new(line_net::LineNet::<48>::new(&tensors)),
            Some("64") => Box::new(line_net::LineNet::<64>::new(&tensors)),
            _ => return Err(format!("lines{shape}: expected 16, 32, 48 or 64 channels").into()),
        });
    }
    Ok(Box::new(Engine::new(&residual::weights(shape, tensors)?)?))
}

fn play(arguments: &[String]) -> Result<(), Failure> {
    let [rules, pairs, first, second] = arguments else {
        return Err("expected match RULES PAIRS FIRST@LIMIT SECOND@LIMIT".into());
    };
    let players = [first, second].map(|text| text.split_once('@').expect("FILE@LIMIT"));
    let contestant = |evaluator: usize| -> Result<_, Failure> {
        let (path, limit) = players[evaluator];
        let search = NetSearch { evaluator, limit: limit.parse()?, config: SearchConfig::for_play() };
        let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
        Ok(Contestant::net(format!("{name}@{limit}"), search))
    };
    let config = MatchConfig {
        rules: Arc::new(Rules::load(rules)?),
        n_pairs: pairs.parse()?,
        opening_plies: 6,
        book: None,
        max_plies: Some(300),
        seed: 1,
        sequential_test: None,
        concurrency: Concurrency { workers: std::thread::available_parallelism()?.get(), tasks_per_worker: 1 },
    };
    let evaluators = || -> Vec<Box<dyn Evaluator>> {
        players.iter().map(|(path, _)| Box::new(NetEvaluator::new(net(path).expect("a net"))) as _).collect()
    };
    let outcome = play_match(&config, &[contestant(0)?, contestant(1)?], evaluators, &CancelToken::new(), |_| {})?;
    println!("{}", serde_json::to_string(&outcome.report)?);
    Ok(())
}

/// Prints logits, chances and plies left along a fixed game, to compare with PyTorch.
fn outputs(arguments: &[String]) -> Result<(), Failure> {
    let [rules, path] = arguments else { return Err("expected outputs RULES NET".into()) };
    let mut net = net(path)?;
    let mut game = Game::new(Arc::new(Rules::load(rules)?), Side::Attackers);
    let (mut moves, mut output) = (MoveList::new(), OutputBatch::default());
    let mut rows = Vec::new();
    for ply in 0..30 {
        game.legal_moves(&mut moves);
        if moves.is_empty() || game.outcome().is_some() {
            break;
        }
        let mut input = InputBatch::default();
        encode(&game.owned_situation(&moves).borrowed(), &mut input);
        net.infer(&input, &mut output)?;
        rows.push(serde_json::json!({
            "planes": input.planes, "features": input.features,
            "entries": input.moves.iter().map(|index| index.entry).collect::<Vec<_>>(),
            "logits": output.logits, "wdl": output.wdl[0], "left": output.moves_left[0],
        }));
        game.play(moves[(ply * 37) % moves.len()])?;
    }
    println!("{}", serde_json::to_string(&rows)?);
    Ok(())
}

fn speed(arguments: &[String]) -> Result<(), Failure> {
    let [rules, paths @ ..] = arguments else { return Err("expected speed RULES NET...".into()) };
    let rules = Arc::new(Rules::load(rules)?);
    let (mut inputs, mut situations) = (Vec::new(), Vec::new());
    let mut moves = MoveList::new();
    for first in 0..60 {
        let mut game = Game::new(Arc::clone(&rules), Side::Attackers);
        for ply in 0..60 {
            game.legal_moves(&mut moves);
            if moves.is_empty() || game.outcome().is_some() {
                break;
            }
            let mut input = InputBatch::default();
            encode(&game.owned_situation(&moves).borrowed(), &mut input);
            inputs.push(input);
            situations.push(game.owned_situation(&moves));
            game.play(moves[(ply * 37 + first * 13) % moves.len()])?;
        }
    }
    let mut nets = paths.iter().map(|path| net(path)).collect::<Result<Vec<_>, _>>()?;
    let mut best = vec![f64::MAX; nets.len()];
    for round in 0..8 {
        for (net, best) in nets.iter_mut().zip(&mut best) {
            let mut output = OutputBatch::default();
            let begun = Instant::now();
            for input in &inputs {
                net.infer(input, &mut output)?;
            }
            let each = begun.elapsed().as_secs_f64() / inputs.len() as f64;
            if round > 0 {
                *best = best.min(each);
            }
        }
    }
    let timed = |work: &mut dyn FnMut()| {
        let mut best = f64::MAX;
        for _ in 0..8 {
            let begun = Instant::now();
            work();
            best = best.min(begun.elapsed().as_secs_f64() / inputs.len() as f64);
        }
        best * 1e6
    };
    let mut input = InputBatch::default();
    let encoding = timed(&mut || {
        for situation in &situations {
            input.clear();
            encode(&situation.borrowed(), &mut input);
        }
    });
    let listing = timed(&mut || {
        for situation in &situations {
            situation.rules.legal_moves(&situation.position, &mut moves);
        }
    });
    println!("encoding: {encoding:.2} µs, listing the moves: {listing:.2} µs");
    for (path, secs) in paths.iter().zip(best) {
        println!("{path}: {:.1} µs, {:.0} evaluations/s", secs * 1e6, 1.0 / secs);
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, rest)) if command == "match" => play(rest),
        Some((command, rest)) if command == "speed" => speed(rest),
        Some((command, rest)) if command == "outputs" => outputs(rest),
        _ => Err("expected match, speed or outputs".into()),
    }
}
