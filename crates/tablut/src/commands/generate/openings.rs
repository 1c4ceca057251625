//! `tablut generate openings`: makes a book of balanced openings.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use tablut_arena::{BookConfig, Judge, Look, OpeningBook, Opinion, make_book};
use tablut_games::Concurrency;
use tablut_net::NetPool;
use tablut_players::alphabeta::AlphaBeta;
use tablut_players::{NetSearch, PlayerSpec, SearchLimit, Searcher};
use tablut_rules::{Game, Rules, Side};
use tablut_search::{DrawValues, EvaluateError, Limit, SearchConfig};

use crate::console::Console;
use crate::interrupt::{Interrupted, cancelled_by_interrupt};
use crate::nets::{load_nets, told};
use crate::outputs::Overwrite;
use crate::progress::{Progress, left};

/// Simulations of a net's short look. A full look begins with a short one.
const SHORT_LOOK: u32 = 32;
/// The full look has this many times the simulations of the middle look. An opening is even if both looks say so.
const MIDDLE_SHARE: u32 = 4;
/// A short look is enough if its value is outside the band by this much.
const SHORT_LOOK_ERROR: f64 = 0.4;

/// Make a book of balanced openings for matches
#[derive(clap::Args)]
pub struct Args {
    /// The file to write: JSON, a header and one opening per line
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Rule set, by name or TOML file [default: kvasir, or the judge's if it was not trained on kvasir]
    #[arg(long, value_name = "R")]
    rules: Option<String>,
    /// Openings in the book. A match of N games needs N/2 openings
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// Plies of each opening. They are random without --steer
    #[arg(long, default_value_t = 6, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=40))]
    plies: u32,
    /// Steer openings: the side that is behind plays the judge's best move, the other side plays random moves. Use it
    /// for one-sided rules, under which hardly any random opening is even
    #[arg(long)]
    steer: bool,
    /// The judge that evaluates openings: alphabeta:DEPTH or net:FILE@SIMULATIONS
    #[arg(long, default_value = "alphabeta:4", value_name = "PLAYER")]
    judge: PlayerSpec,
    /// The largest absolute value of an opening: for alphabeta in hundredths of a defender [default: 50], for nets from
    /// 0 (even) to 1 (won) [default: 0.3]
    #[arg(long, value_name = "X")]
    band: Option<f64>,
    /// Seed. The same seed gives the same book
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    overwrite: Overwrite,
}

pub fn run(args: &Args, console: &mut Console) -> anyhow::Result<()> {
    args.overwrite.check(&args.out)?;
    let nets = load_nets([&args.judge], None)?;
    let rules = told(nets.choose_rules(args.rules.as_deref())?, console.voice);
    let default_band = if args.judge.model_file().is_some() { 0.3 } else { 50.0 };
    let band = args.band.unwrap_or(default_band);
    if !(band >= 0.0 && band.is_finite()) {
        bail!("--band {band}: expected a number from 0");
    }
    // This makes a judge to report an unsuitable player before the work begins.
    drop(judge(&args.judge, band, &rules, &nets)?);
    let config = BookConfig {
        rules: rules.clone(),
        n_openings: args.count as usize,
        plies: args.plies,
        steered: args.steer,
        band,
        seed: args.seed,
        n_threads: args.threads.map_or(Concurrency::default().workers, usize::from),
    };
    let cancel = cancelled_by_interrupt()?;
    let what = format!("Openings of {} plies under the {} rules, judged by {}", args.plies, rules.name(), args.judge);
    console.voice.say(&what);
    let progress = Progress::new(console.voice, "openings", "openings", 0, u64::from(args.count));
    let begin = Instant::now();
    let made = make_book(
        &config,
        || judge(&args.judge, band, &rules, &nets).expect("a judge was made before"),
        |found, tried| {
            let (found, count) = (found as u64, u64::from(args.count));
            progress.show(found, &format!("{tried} attempts, {} left", left(begin.elapsed(), found, count)));
            !cancel.is_cancelled()
        },
    );
    drop(progress);
    if cancel.is_cancelled() {
        console.voice.say("Stopped. No book was written, because it is not complete.");
        return Err(Interrupted::now().into());
    }
    let openings = made?;
    let net = args.judge.model_file().and_then(|file| nets.get(file)).map(|net| net.hash.clone());
    let book = OpeningBook::new(&config, args.judge.to_string(), net, openings);
    book.write(&args.out)?;
    writeln!(
        console,
        "{}: {} openings of {} plies under the {} rules, within {band} of even by {}",
        args.out.display(),
        book.openings.len(),
        book.plies,
        rules.name(),
        args.judge
    )?;
    Ok(())
}

/// A judge that evaluates as the player of `spec` does. A net's short look is enough if its value is far outside
/// `band`.
fn judge(spec: &PlayerSpec, band: f64, rules: &Arc<Rules>, nets: &NetPool) -> anyhow::Result<Judge> {
    match spec {
        PlayerSpec::AlphaBeta(limit @ SearchLimit::Depth(_)) => {
            let mut engine = AlphaBeta::new(rules, *limit, ChaCha8Rng::seed_from_u64(0));
            Ok(Box::new(move |game: &Game, _| {
                let found = engine.analyse(game);
                Ok(Opinion { value: f64::from(for_attackers(game) * found.score), best: found.best[0] })
            }))
        }
        PlayerSpec::Net { options, .. } if spec.is_reproducible() => {
            let search = NetSearch::of(spec, nets).context("the model file of the judge is not loaded")?;
            let limit = search.limit;
            // A net in play prefers other results to draws. For a judge a draw is even, unless its options change that.
            let even = SearchConfig { draw_value: DrawValues::default(), ..SearchConfig::for_play() };
            let config = options.apply(even);
            let evaluator = nets.evaluators().swap_remove(0);
            let mut player = Searcher::new(evaluator, 0);
            // Under some rules few openings are even. A short look rejects most of the others.
            let short =
                limit.simulations().filter(|&n| n > SHORT_LOOK).map_or(limit, |_| Limit::of_simulations(SHORT_LOOK));
            let middle = limit.simulations().map(|n| n / MIDDLE_SHARE).filter(|&n| n > SHORT_LOOK);
            let middle = middle.map(Limit::of_simulations);
            Ok(Box::new(move |game: &Game, look| {
                let mut see = |limit| -> Result<Opinion, EvaluateError> {
                    let found = player.think(game, &config, limit)?;
                    Ok(Opinion { value: f64::from(found.value), best: found.chosen })
                };
                let first = see(short)?;
                if look == Look::Short || short == limit || first.value.abs() > band + SHORT_LOOK_ERROR {
                    return Ok(first);
                }
                if let Some(middle) = middle {
                    let second = see(middle)?;
                    if second.value.abs() > band {
                        return Ok(second);
                    }
                }
                see(limit)
            }))
        }
        _ => bail!("--judge {spec}: expected alphabeta:DEPTH or net:FILE@SIMULATIONS"),
    }
}

/// 1 if the attackers are to move, −1 if the defenders are. It converts scores of the side to move.
fn for_attackers(game: &Game) -> i32 {
    match game.position().side_to_move() {
        Side::Attackers => 1,
        Side::Defenders => -1,
    }
}
