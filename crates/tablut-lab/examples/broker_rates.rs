//! Throughput of a broker and a learner: games and bytes per second at the learner, and nets per second from the object
//! store.
//!
//! ```sh
//! nats-server -js -sd /tmp/rates &
//! cargo run --release -p tablut-lab --example broker_rates -- nats://127.0.0.1:4222
//! ```
//!
//! The games are self-play games of an untrained net. They are sent many times with different indices. The learner
//! unpacks, checks and replays each, as in a run. Workers are connections of this process.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, message::PublishMessage};
use futures_util::future::try_join_all;
use tablut_fleet::{
    Connection, FleetGames, FleetTrainer, Order, ResultHeader, ResultMessage, TrainerOptions, probe, result_subject,
};
use tablut_games::{CancelToken, Concurrency, Counters, GameOrder, GameRecord, GameSource, LocalGames, SelfPlayConfig};
use tablut_net::{Engine, Inference, Model, TrainingSummary, Weights};
use tablut_rules::Rules;
use tablut_search::SelfPlaySearch;
use tokio::io::AsyncReadExt;

type Failure = Box<dyn std::error::Error>;

/// Different games. They are sent many times with different indices.
const PLAYED: usize = 64;
/// Games of the generation that the learner collects.
const GAMES: usize = 20_000;
/// Games of a batch.
const PARCEL: usize = 32;
/// Connections that send games.
const SENDERS: usize = 8;
/// Connections that fetch a net at the same time.
const FETCHERS: [usize; 3] = [1, 8, 32];
/// How often each connection fetches the net.
const FETCHES: usize = 8;

fn main() -> Result<(), Failure> {
    let url = std::env::args().nth(1).ok_or("expected the broker's address, such as nats://127.0.0.1:4222")?;
    let mut out = std::io::stdout();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let played = played_games()?;
    let plies: usize = played.iter().map(|game| game.plies.len()).sum();
    writeln!(out, "{PLAYED} games of {} plies on average", plies / PLAYED)?;

    let trainer = trainer(&url)?;
    let mut games = FleetGames::new(&trainer, &engine);
    let order = order(GAMES);
    games.begin(&order)?;
    let parcels = parcels(&order, &played)?;
    let bytes: usize = parcels.iter().map(Vec::len).sum();
    let subject = result_subject(&Order::of_generation("rates", order.clone()).spec);
    let start = Instant::now();
    let sent = std::thread::scope(|scope| {
        let sender = scope.spawn(|| -> Result<f64, String> {
            runtime.block_on(send(&url, &subject, &parcels)).map_err(|error| error.to_string())?;
            Ok(start.elapsed().as_secs_f64())
        });
        let taken = games.collect(&order, &Counters::default(), &CancelToken::new(), &|_| {});
        let seconds = start.elapsed().as_secs_f64();
        taken.map_err(|error| error.to_string())?;
        let sent = sender.join().map_err(|_| "the sender has panicked")??;
        Ok::<_, String>((sent, seconds))
    })?;
    let mega = bytes as f64 / 1e6;
    writeln!(out, "{} bytes a game, {PARCEL} games a batch", bytes / GAMES)?;
    for (what, seconds) in [("broker takes", sent.0), ("learner takes", sent.1)] {
        writeln!(out, "{what}: {:.0} games/s, {:.1} MB/s", GAMES as f64 / seconds, mega / seconds)?;
    }
    games.stored(0)?;

    for shape in ["lines32x2", "lines64x3", "lines128x4"] {
        let weights = Weights::initial(&shape.parse()?, 1);
        let hash = weights.hash();
        let model = Model { weights, rules: Vec::new(), training: TrainingSummary::default(), card: None };
        games.publish(&model)?;
        for fetchers in FETCHERS {
            let (seconds, bytes) = runtime.block_on(fetch(&url, &hash, fetchers))?;
            let nets = (fetchers * FETCHES) as f64;
            writeln!(
                out,
                "{shape}, {:.2} MB, {fetchers} at once: {:.0} nets/s, {:.0} MB/s",
                bytes as f64 / 1e6,
                nets / seconds,
                nets * bytes as f64 / 1e6 / seconds
            )?;
        }
    }
    Ok(())
}

fn trainer(url: &str) -> Result<FleetTrainer, Failure> {
    let options = TrainerOptions {
        run: "rates".to_owned(),
        holder: "broker_rates".to_owned(),
        lease: Duration::from_secs(15),
        check_share: 0.0,
        concurrency: Concurrency::default(),
    };
    let connection = Connection { url: url.to_owned(), ..Connection::default() };
    let notes = Arc::new(|line: &str| {
        // A failure to write to stderr cannot be reported.
        let _ = writeln!(std::io::stderr(), "{line}");
    });
    Ok(FleetTrainer::start(connection, options, notes)?)
}

fn order(games: usize) -> GameOrder {
    GameOrder {
        seed: 1,
        generation: 0,
        games,
        rules: vec![Arc::new(Rules::named("kvasir").expect("it comes with the program"))],
        selfplay: SelfPlayConfig::default(),
        search: SelfPlaySearch::default(),
        simulations: 16,
        weights: Arc::new(Weights::initial(&"lines32x1".parse().expect("it is a small net"), 1)),
        handicaps: Vec::new(),
    }
}

fn engine(weights: &Weights) -> Box<dyn Inference> {
    Box::new(Engine::new(weights).expect("this machine runs nets"))
}

fn played_games() -> Result<Vec<GameRecord>, Failure> {
    let (counters, cancel) = (Counters::default(), CancelToken::new());
    let played =
        LocalGames::new(&engine, Concurrency::default()).collect(&order(PLAYED), &counters, &cancel, &|_| {})?;
    Ok(played.games)
}

/// All games of `order`, as a worker would send them.
fn parcels(order: &GameOrder, played: &[GameRecord]) -> Result<Vec<Vec<u8>>, Failure> {
    let spec = Order::of_generation("rates", order.clone()).spec;
    let header = ResultHeader {
        probe: probe(&spec, engine)?,
        worker: "sender".to_owned(),
        threads: 1,
        delivered: 1,
        ..ResultHeader::of(&spec)
    };
    let mut parcels = Vec::new();
    for first in (0..order.games).step_by(PARCEL) {
        let numbers = first..(first + PARCEL).min(order.games);
        let game = |index: usize| GameRecord { index: index as u64, ..played[index % played.len()].clone() };
        let games: Vec<GameRecord> = numbers.map(game).collect();
        parcels.extend(ResultMessage::pack(&header, &games, 1 << 20)?);
    }
    Ok(parcels)
}

/// Sends all batches over several connections. A connection sends its next batch when the broker has confirmed the
/// last.
async fn send(url: &str, subject: &str, parcels: &[Vec<u8>]) -> Result<(), Failure> {
    let senders = (0..SENDERS).map(|sender| async move {
        let jetstream = jetstream::new(async_nats::connect(url).await?);
        for parcel in parcels.iter().skip(sender).step_by(SENDERS) {
            let id = blake3::hash(parcel).to_hex()[..32].to_owned();
            let message = PublishMessage::build().payload(parcel.clone().into()).message_id(id);
            jetstream.send_publish(subject.to_owned(), message).await?.await?;
        }
        Ok::<_, Failure>(())
    });
    try_join_all(senders).await?;
    Ok(())
}

/// Fetches the net over `fetchers` connections at once. Returns the seconds and the net's size in bytes.
async fn fetch(url: &str, hash: &str, fetchers: usize) -> Result<(f64, usize), Failure> {
    let mut stores = Vec::new();
    for _ in 0..fetchers {
        let jetstream = jetstream::new(async_nats::connect(url).await?);
        let store = loop {
            let found = jetstream.get_object_store("tablut-nets").await;
            match found {
                Ok(store) if store.info(hash).await.is_ok() => break store,
                // The trainer uploads the net in the background.
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        stores.push(store);
    }
    let start = Instant::now();
    let fetchers = stores.into_iter().map(|store| async move {
        let mut bytes = Vec::new();
        for _ in 0..FETCHES {
            bytes.clear();
            store.get(hash).await?.read_to_end(&mut bytes).await?;
        }
        Ok::<_, Failure>(bytes.len())
    });
    let sizes = try_join_all(fetchers).await?;
    Ok((start.elapsed().as_secs_f64(), sizes[0]))
}
