//! Verification of workers: wrong results are refused, and the run gives the same bits as on one machine.

mod broker;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::{self, Message, object_store};
use broker::TestBroker;
use futures_util::StreamExt;
use tablut_fleet::{
    Connection, FleetGames, FleetTrainer, JOBS, Job, Log, Order, OrderedWork, ResultHeader, ResultMessage,
    TrainerOptions, WorkerOptions, result_subject, work,
};
use tablut_games::{
    CancelToken, Concurrency, Counters, GameOrder, GameRecord, GameSource, LocalGames, PlayedGames, PlyRecord,
    SelfPlayConfig,
};
use tablut_net::{Engine, Inference, Weights};
use tablut_rules::{Rules, Side};
use tablut_search::{Chances, SelfPlaySearch};

const ONE: Concurrency = Concurrency { workers: 1, tasks_per_worker: 4 };

fn order() -> GameOrder {
    GameOrder {
        seed: 11,
        generation: 0,
        games: 12,
        rules: ["kvasir", "masters"].map(|name| Arc::new(Rules::named(name).unwrap())).to_vec(),
        selfplay: SelfPlayConfig { max_plies: 16, ..SelfPlayConfig::default() },
        search: SelfPlaySearch::default(),
        simulations: 4,
        weights: Arc::new(Weights::initial(&"lines32x1".parse().unwrap(), 2)),
        handicaps: Vec::new(),
    }
}

fn engine(weights: &Weights) -> Box<dyn Inference> {
    Box::new(Engine::new(weights).unwrap())
}

fn on_one_machine(order: &GameOrder) -> PlayedGames {
    let (counters, cancel) = (Counters::default(), CancelToken::new());
    LocalGames::new(&engine, ONE).collect(order, &counters, &cancel, &|_| {}).unwrap()
}

fn connection(broker: &TestBroker) -> Connection {
    Connection { url: broker.url.clone(), ..Connection::default() }
}

/// Makes a forged result from the header and the true games of a job. `None` sends no result.
type Forge = fn(ResultHeader, Vec<GameRecord>) -> Option<Vec<u8>>;

fn packed(header: &ResultHeader, games: &[GameRecord]) -> Vec<u8> {
    ResultMessage::pack(header, games, 1 << 20).unwrap().remove(0)
}

/// Takes `n_jobs` jobs, sends a forged result for each, and acknowledges it.
async fn send_forged(url: &str, weights: &Arc<Weights>, n_jobs: usize, forge: Forge) {
    let client = async_nats::connect(url).await.unwrap();
    let jetstream = jetstream::new(client);
    let consumer = loop {
        let found =
            jetstream.get_consumer_from_stream::<jetstream::consumer::pull::Config, _, _>("workers", JOBS).await;
        if let Ok(consumer) = found {
            break consumer;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    };
    let mut jobs = consumer.stream().max_messages_per_batch(n_jobs).messages().await.unwrap().take(n_jobs);
    while let Some(message) = jobs.next().await {
        let message: Message = message.unwrap();
        let job = Job::from_bytes(&message.payload).unwrap();
        let opened = Order::open(job.order.clone(), vec![weights.clone()], &[], 0).unwrap();
        let OrderedWork::SelfPlay(order) = opened.work else { return };
        let header = ResultHeader {
            probe: job.probe.clone(),
            worker: "forger".to_owned(),
            threads: 1,
            delivered: 1,
            ..ResultHeader::of(&job.order)
        };
        let all = on_one_machine(&order);
        let games = all.games[job.first..job.first + job.count].to_vec();
        if let Some(bytes) = forge(header, games) {
            jetstream.publish(result_subject(&job.order), bytes.into()).await.unwrap().await.unwrap();
        }
        message.double_ack().await.unwrap();
    }
}

const RUN: &str = "0123456789abcdef";

/// A trainer, and its log.
fn trainer(broker: &TestBroker, holder: &str, check_share: f64) -> (FleetTrainer, Arc<Mutex<String>>) {
    let messages = Arc::new(Mutex::new(String::new()));
    let log: Log = {
        let messages = Arc::clone(&messages);
        Arc::new(move |line| messages.lock().unwrap().extend([line, "\n"]))
    };
    let options = TrainerOptions { holder: holder.to_owned(), check_share, ..options() };
    (FleetTrainer::start(connection(broker), options, log).unwrap(), messages)
}

fn options() -> TrainerOptions {
    TrainerOptions {
        run: RUN.to_owned(),
        holder: "test".to_owned(),
        lease: Duration::from_secs(1),
        check_share: 0.0,
        concurrency: ONE,
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A trainer that collects the order's games from a forger, who comes first, and an honest worker. Returns the games
/// and the trainer's log.
fn collect_with_forger(check_share: f64, forge: Forge) -> Option<(PlayedGames, String)> {
    let broker = TestBroker::start("")?;
    let order = order();
    let (trainer, messages) = trainer(&broker, "test", check_share);
    FleetGames::new(&trainer, &engine).begin(&order).unwrap();
    runtime().block_on(send_forged(&broker.url, &order.weights, 3, forge));
    let played = collect_with_honest_worker(&broker, &trainer);
    let messages = messages.lock().unwrap().clone();
    Some((played, messages))
}

/// The trainer's games, with an honest worker.
fn collect_with_honest_worker(broker: &TestBroker, trainer: &FleetTrainer) -> PlayedGames {
    let cancel = CancelToken::new();
    std::thread::scope(|scope| {
        let options = WorkerOptions { name: "honest".to_owned(), concurrency: ONE };
        let (connection, cancel, silent) = (connection(broker), cancel.clone(), Arc::new(|_: &str| {}) as Log);
        let stop = cancel.clone();
        scope.spawn(move || work(&connection, &options, &Counters::default(), &cancel, &silent).unwrap());
        let played =
            FleetGames::new(trainer, &engine).collect(&order(), &Counters::default(), &CancelToken::new(), &|_| {});
        stop.cancel();
        played.unwrap()
    })
}

#[track_caller]
fn the_result_is_refused(check_share: f64, forge: Forge, words: &str) {
    let Some((played, messages)) = collect_with_forger(check_share, forge) else { return };
    let expected = on_one_machine(&order());
    assert!(played.games == expected.games, "the games are others");
    assert_eq!(played.evaluations, expected.evaluations);
    assert!(messages.contains(words), "{messages:?}");
    let report = played.fleet.unwrap();
    assert!(report.workers.iter().all(|worker| worker.name == "honest"), "{report:?}");
    assert!(words.is_empty() || report.refused > 0, "{report:?}");
}

#[test]
fn garbage_is_refused() {
    the_result_is_refused(0.0, |_, _| Some(vec![0xff; 5000]), "refused a result of an unnamed worker");
}

#[test]
fn jobs_that_are_done_without_games_are_handed_out_again() {
    the_result_is_refused(0.0, |_, _| None, "");
}

#[test]
fn games_of_another_net_are_refused() {
    let forge: Forge = |header, games| Some(packed(&ResultHeader { net: "00".repeat(32), ..header }, &games));
    the_result_is_refused(0.0, forge, "the net 0000");
}

#[test]
fn games_of_a_machine_with_other_bits_are_refused() {
    let forge: Forge = |header, games| Some(packed(&ResultHeader { probe: "other".to_owned(), ..header }, &games));
    the_result_is_refused(0.0, forge, "the probe other");
}

#[test]
fn games_that_the_rules_do_not_allow_are_refused() {
    let forge: Forge = |header, mut games| {
        let plies = &mut games[0].plies;
        plies.swap(0, 1);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "refused a result of forger: game");
}

#[test]
fn games_with_another_winner_are_refused() {
    let forge: Forge = |header, mut games| {
        let outcome = &mut games[0].outcome;
        outcome.winner = Some(if outcome.winner == Some(Side::Attackers) { Side::Defenders } else { Side::Attackers });
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "its record says");
}

#[test]
fn values_and_policies_that_no_search_gives_are_refused() {
    fn search(games: &mut [GameRecord]) -> &mut tablut_games::SearchRecord {
        games[0].plies.iter_mut().find_map(|ply| ply.search.as_mut()).unwrap()
    }
    let policy: Forge = |header, mut games| {
        search(&mut games).policy.fill(u16::MAX);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, policy, "a policy that sums to");
    let simulations: Forge = |header, mut games| {
        search(&mut games).simulations = 1_000_000;
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, simulations, "1000000 simulations of 4");
    let evaluations: Forge = |header, mut games| {
        games[0].evaluations = u64::MAX;
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, evaluations, "evaluations, expected at most");
}

#[test]
fn games_under_other_conditions_than_their_numbers_say_are_refused() {
    let notes: Forge = |header, mut games| {
        games[0].handicap.simulations = Some([4, 1]);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, notes, "it has Handicap");
    let start: Forge = |header, mut games| {
        // The same game without its first two plies.
        let game = &mut games[0];
        let rules = Arc::new(Rules::named(&game.rules).ok()?);
        let mut later = game.start;
        game.replay(&rules, |state, _, _| {
            if state.ply() == 2 {
                later = *state.position();
            }
        })
        .ok()?;
        game.start = later;
        game.plies.drain(..2);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, start, "refused a result of forger: game");
}

#[test]
fn a_game_out_of_the_generation_is_refused() {
    let forge: Forge = |header, mut games| {
        games[0].index = 10_000_000_000;
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "game 10000000000 of a generation of 12");
}

#[test]
fn a_game_that_unpacks_to_gigabytes_is_refused_unread() {
    let forge: Forge = |header, games| {
        let mut bytes = packed(&header, &games);
        // The frame's plain length: after the header and the packed length.
        let at = header_bytes(&bytes) + 4;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        Some(bytes)
    };
    the_result_is_refused(0.0, forge, "a length of 4294967295 bytes");
}

/// The length of a message's header, with the number before it.
fn header_bytes(message: &[u8]) -> usize {
    4 + u32::from_le_bytes(*message.first_chunk().unwrap()) as usize
}

#[test]
fn a_small_message_that_unpacks_to_a_hundred_million_moves_is_refused() {
    let forge: Forge = |header, mut games| {
        let game = &mut games[0];
        game.plies = vec![PlyRecord { search: None, ..game.plies[0].clone() }; 52_000];
        let mut bytes = packed(&header, &games[..1]);
        let frame = bytes.split_off(header_bytes(&bytes));
        bytes.extend(frame.repeat(2_600));
        assert!(bytes.len() < 1 << 20, "{} bytes", bytes.len());
        Some(bytes)
    };
    the_result_is_refused(0.0, forge, "refused a result of forger: game: a length of");
}

#[test]
fn copies_of_a_game_are_refused() {
    let forge: Forge = |header, games| Some(packed(&header, &[games[0].clone(), games[0].clone()]));
    the_result_is_refused(0.0, forge, "is not in the order of the games' indices");
}

#[test]
fn a_result_that_ends_the_trainer_does_not_end_the_next_one() {
    let Some(broker) = TestBroker::start("") else { return };
    let order = order();
    let (sender, ended) = std::sync::mpsc::channel();
    let log: Log = Arc::new(move |line| {
        if line.contains("refused a result") {
            sender.send(()).unwrap();
            panic!("the test ends the trainer while it reads the result");
        }
    });
    let first = FleetTrainer::start(connection(&broker), options(), log).unwrap();
    FleetGames::new(&first, &engine).begin(&order).unwrap();
    runtime().block_on(send_forged(&broker.url, &order.weights, 1, |_, _| Some(vec![0xff; 5000])));
    ended.recv().unwrap();
    drop(first);
    let (second, messages) = trainer(&broker, "test", 0.0);
    let played = collect_with_honest_worker(&broker, &second);
    assert!(played.games == on_one_machine(&order).games, "the games are others");
    assert_eq!(played.fleet.unwrap().refused, 0);
    let messages = messages.lock().unwrap();
    assert!(messages.contains("removed the result that this run's last trainer was reading"), "{messages}");
}

/// A result that only names an object.
fn pointing_to(header: ResultHeader, object: &str) -> Vec<u8> {
    let header = ResultHeader { object: Some(object.to_owned()), games: 0, ..header };
    let json = serde_json::to_vec(&header).unwrap();
    [&(json.len() as u32).to_le_bytes()[..], &json].concat()
}

/// Stores the information of an object `forged` of `n_bytes`, without the bytes.
async fn put_hollow_object(jetstream: &jetstream::Context, n_bytes: usize) {
    let config = object_store::Config { bucket: "tablut-nets".to_owned(), ..object_store::Config::default() };
    let store = jetstream.create_object_store(config).await.unwrap();
    let info = store.put("forged", &mut &vec![7; n_bytes][..]).await.unwrap();
    let stream = jetstream.get_stream("OBJ_tablut-nets").await.unwrap();
    stream.purge().filter(format!("$O.tablut-nets.C.{}", info.nuid)).await.unwrap();
}

#[test]
fn an_object_whose_bytes_never_come_stalls_neither_the_run_nor_its_claim() {
    let Some(broker) = TestBroker::start("") else { return };
    let (order, runtime) = (order(), runtime());
    let jetstream = runtime.block_on(async { jetstream::new(async_nats::connect(&broker.url).await.unwrap()) });
    runtime.block_on(put_hollow_object(&jetstream, 5_000));
    let (first, _) = trainer(&broker, "test", 0.0);
    FleetGames::new(&first, &engine).begin(&order).unwrap();
    let forge: Forge = |header, _| Some(pointing_to(header, "forged"));
    runtime.block_on(send_forged(&broker.url, &order.weights, 1, forge));
    // The claim is renewed while the trainer waits for the object.
    runtime.block_on(async {
        let runs = jetstream.get_key_value("tablut-runs").await.unwrap();
        let mut renewals = runs.watch(RUN).await.unwrap();
        for _ in 0..3 {
            renewals.next().await.unwrap().unwrap();
        }
    });
    let (second, _) = trainer(&broker, "another", 0.0);
    let refused = FleetGames::new(&second, &engine).collect(&order, &Counters::default(), &CancelToken::new(), &|_| {});
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("is already being trained"), "{error}");
    let played = collect_with_honest_worker(&broker, &first);
    assert!(played.games == on_one_machine(&order).games, "the games are others");
    // The run did not wait for the object's time limit, after which the result would be refused.
    assert_eq!(played.fleet.unwrap().refused, 0);
}

#[test]
fn an_object_that_is_larger_than_a_game_can_be_is_refused_unread() {
    let Some(broker) = TestBroker::start("") else { return };
    let (order, runtime) = (order(), runtime());
    let jetstream = runtime.block_on(async { jetstream::new(async_nats::connect(&broker.url).await.unwrap()) });
    // The object has no bytes, so only its size can be the reason for the refusal.
    runtime.block_on(put_hollow_object(&jetstream, 1 << 20));
    let (trainer, messages) = trainer(&broker, "test", 0.0);
    FleetGames::new(&trainer, &engine).begin(&order).unwrap();
    let forge: Forge = |header, _| Some(pointing_to(header, "forged"));
    runtime.block_on(send_forged(&broker.url, &order.weights, 1, forge));
    let played = collect_with_honest_worker(&broker, &trainer);
    assert!(played.games == on_one_machine(&order).games, "the games are others");
    let messages = messages.lock().unwrap();
    assert!(messages.contains("1048576 bytes, expected at most"), "{messages}");
}

#[test]
fn an_object_that_was_read_and_removed_is_not_held_against_its_worker() {
    // A trainer reads all results again after a lost connection.
    let forge: Forge = |header, _| Some(pointing_to(ResultHeader { worker: "honest".to_owned(), ..header }, "removed"));
    let Some((played, messages)) = collect_with_forger(0.0, forge) else { return };
    assert!(played.games == on_one_machine(&order()).games, "the games are others");
    assert_eq!((played.fleet.unwrap().refused, messages.as_str()), (0, ""));
}

#[test]
fn a_plausible_forgery_is_found_by_playing_the_game_again() {
    let forge: Forge = |header, mut games| {
        let search = games[0].plies.iter_mut().find_map(|ply| ply.search.as_mut())?;
        search.chances = Chances::new(-search.chances.value() * 0.5 + 0.01, 0.0);
        Some(packed(&header, &games))
    };
    the_result_is_refused(1.0, forge, "worker forger sent a game");
}
