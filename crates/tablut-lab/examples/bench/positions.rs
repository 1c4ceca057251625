//! Evaluations per second of positions: each evaluation lists the moves, encodes the position and runs the net.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use serde::Serialize;
use tablut_games::load_net;
use tablut_net::{Engine, EngineOptions, Inference, InputBatch, OutputBatch, encode};
use tablut_rules::{Game, MoveList};

use super::{all_rules, print, random_game};

#[derive(clap::Args)]
pub struct Args {
    /// The model file
    #[arg(long, default_value = "models/all-rules.tablut")]
    model: PathBuf,
    /// Positions in a batch
    #[arg(long, default_value_t = 64)]
    batch: usize,
    /// Threads that share each batch
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[arg(long, default_value_t = 2.0)]
    secs: f64,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Figures {
    evals_per_sec: f64,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    let sets = all_rules()?;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut games: Vec<Game> = Vec::new();
    while games.len() < args.batch {
        let plies = rng.next_u32() % 60;
        games.extend(
            Some(random_game(&sets[games.len() % sets.len()], plies, &mut rng)).filter(|g| g.outcome().is_none()),
        );
    }
    let options = EngineOptions { n_threads: args.threads, ..EngineOptions::default() };
    let mut engine = Engine::with_options(&load_net(&args.model)?.weights, options)?;
    let (mut input, mut output, mut moves) = (InputBatch::default(), OutputBatch::default(), MoveList::new());
    let (start, mut n) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < args.secs {
        input.clear();
        for game in &games {
            game.legal_moves(&mut moves);
            encode(&game.situation(&moves), &mut input);
        }
        engine.infer(&input, &mut output)?;
        n += games.len();
    }
    print(&Figures { evals_per_sec: n as f64 / start.elapsed().as_secs_f64() }, args.json)
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} evaluations/s", self.evals_per_sec)
    }
}
