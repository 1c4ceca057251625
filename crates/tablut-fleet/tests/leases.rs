//! A worker keeps the jobs that its players play, also if the players are slow and ask no net.

mod broker;

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::{self, consumer::pull};
use broker::TestBroker;
use tablut_arena::MatchConfig;
use tablut_fleet::{Connection, FleetMatches, FleetTrainer, JOBS, Log, TrainerOptions, WorkerOptions, work};
use tablut_games::{CancelToken, Concurrency, Counters};
use tablut_net::{Engine, Inference, Weights};
use tablut_players::{NamedPlayer, Nets};
use tablut_rules::Rules;

const ONE: Concurrency = Concurrency { workers: 1, tasks_per_worker: 1 };

fn engine(weights: &Weights) -> Box<dyn Inference> {
    Box::new(Engine::new(weights).unwrap())
}

#[test]
fn jobs_of_players_without_a_net_are_given_out_once() {
    let Some(broker) = TestBroker::start("") else { return };
    let connection = Connection { url: broker.url.clone(), ..Connection::default() };
    let silent: Log = Arc::new(|_| {});
    let options = TrainerOptions {
        run: "0123456789abcdef".to_owned(),
        holder: "test".to_owned(),
        lease: Duration::from_secs(2),
        check_share: 0.0,
        concurrency: ONE,
    };
    let trainer = FleetTrainer::start(connection.clone(), options, silent.clone()).unwrap();
    // A game takes some seconds, which is longer than a lease.
    let config = MatchConfig {
        rules: Arc::new(Rules::named("kvasir").unwrap()),
        n_pairs: 1,
        opening_plies: 2,
        book: None,
        max_plies: Some(100),
        seed: 3,
        sequential_test: None,
        concurrency: ONE,
    };
    let player: NamedPlayer = "rollouts:200".parse().unwrap();
    let nets = Nets::default();
    let mut matches = FleetMatches::new(&trainer, &engine, &config, &nets);
    let cancel = CancelToken::new();
    let outcome = std::thread::scope(|scope| {
        // Two play one game each, and the third one takes what a lease that has run out gives back.
        for number in 0..3 {
            let options = WorkerOptions { name: format!("worker {number}"), concurrency: ONE };
            let (connection, silent, cancel) = (&connection, &silent, &cancel);
            scope.spawn(move || work(connection, &options, &Counters::default(), cancel, silent).unwrap());
        }
        let outcome = matches.play(0, [&player, &player], Vec::new(), &CancelToken::new(), |_| {});
        cancel.cancel();
        outcome
    });
    assert!(outcome.is_ok());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let delivered = runtime.block_on(async {
        let jetstream = jetstream::new(async_nats::connect(&broker.url).await.unwrap());
        let consumer = jetstream.get_consumer_from_stream::<pull::Config, _, _>("workers", JOBS).await.unwrap();
        consumer.cached_info().delivered.clone()
    });
    assert_eq!(delivered.consumer_sequence, delivered.stream_sequence, "a job was given out again");
}
