//! Verification of workers: wrong results are refused, and the run gives the same bits as on one machine.

mod broker;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::{self, Message};
use broker::TestBroker;
use futures_util::StreamExt;
use tablut_fleet::{
    Connection, FleetGames, FleetTrainer, JOBS, Job, Log, Order, ResultGame, ResultHeader, ResultMessage,
    TrainerOptions, WorkerOptions, result_subject, work,
};
use tablut_games::{
    CancelToken, Concurrency, Counters, GameOrder, GameSource, LocalGames, PlayedGames, SelfPlayConfig,
};
use tablut_net::{Architecture, Engine, Inference, Precision, Weights};
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
        precision: Precision::F32,
        weights: Arc::new(Weights::initial(&Architecture::standard(1, 16).unwrap(), 2)),
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
type Forge = fn(ResultHeader, Vec<ResultGame>) -> Option<Vec<u8>>;

fn packed(header: &ResultHeader, games: &[ResultGame]) -> Vec<u8> {
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
        tokio::task::yield_now().await;
    };
    let mut jobs = consumer.stream().max_messages_per_batch(n_jobs).messages().await.unwrap().take(n_jobs);
    while let Some(message) = jobs.next().await {
        let message: Message = message.unwrap();
        let job = Job::from_bytes(&message.payload).unwrap();
        let Order::SelfPlay(order) = Order::open(&job.order, vec![weights.clone()], &[], 0).unwrap() else { return };
        let header = ResultHeader {
            probe: job.probe.clone(),
            worker: "forger".to_owned(),
            threads: 1,
            delivered: 1,
            ..ResultHeader::of(&job.order)
        };
        let all = on_one_machine(&order);
        let games = all.games[job.first..job.first + job.count].iter();
        let games = games.map(|game| ResultGame { game: game.clone(), evaluations: game.plies.len() as u64 }).collect();
        if let Some(bytes) = forge(header, games) {
            jetstream.publish(result_subject(&job.order), bytes.into()).await.unwrap().await.unwrap();
        }
        message.double_ack().await.unwrap();
    }
}

/// A trainer that collects the order's games from a forger, who comes first, and an honest worker. Returns the games and
/// the trainer's log.
fn collect_with_forger(check_share: f64, forge: Forge) -> Option<(PlayedGames, String)> {
    let broker = TestBroker::start("")?;
    let order = order();
    let messages = Arc::new(Mutex::new(String::new()));
    let log: Log = {
        let messages = Arc::clone(&messages);
        Arc::new(move |line| messages.lock().unwrap().extend([line, "\n"]))
    };
    let options = TrainerOptions {
        run: "0123456789abcdef".to_owned(),
        holder: "test".to_owned(),
        lease: Duration::from_secs(1),
        check_share,
        concurrency: ONE,
    };
    let trainer = FleetTrainer::start(connection(&broker), options, log).unwrap();
    let mut games = FleetGames::new(&trainer, &engine);
    games.begin(&order).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(send_forged(&broker.url, &order.weights, 3, forge));
    let cancel = CancelToken::new();
    let played = std::thread::scope(|scope| {
        let options = WorkerOptions { name: "honest".to_owned(), concurrency: ONE };
        let (connection, cancel, silent) = (connection(&broker), cancel.clone(), Arc::new(|_: &str| {}) as Log);
        let stop = cancel.clone();
        scope.spawn(move || work(&connection, &options, &Counters::default(), &cancel, &silent).unwrap());
        let played = games.collect(&order, &Counters::default(), &CancelToken::new(), &|_| {});
        stop.cancel();
        played
    });
    let messages = messages.lock().unwrap().clone();
    Some((played.unwrap(), messages))
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
        let plies = &mut games[0].game.plies;
        plies.swap(0, 1);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "refused a result of forger: game");
}

#[test]
fn games_with_another_winner_are_refused() {
    let forge: Forge = |header, mut games| {
        let outcome = &mut games[0].game.outcome;
        outcome.winner = Some(if outcome.winner == Some(Side::Attackers) { Side::Defenders } else { Side::Attackers });
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "its record says");
}

#[test]
fn values_and_policies_that_no_search_gives_are_refused() {
    fn search(games: &mut [ResultGame]) -> &mut tablut_games::SearchRecord {
        games[0].game.plies.iter_mut().find_map(|ply| ply.search.as_mut()).unwrap()
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
    the_result_is_refused(0.0, evaluations, "evaluations, at most");
}

#[test]
fn games_under_other_conditions_than_their_numbers_say_are_refused() {
    let notes: Forge = |header, mut games| {
        games[0].game.handicap.simulations = Some([4, 1]);
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, notes, "it has Handicap");
    let start: Forge = |header, mut games| {
        // The same game without its first two plies.
        let game = &mut games[0].game;
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
        games[0].game.index = 10_000_000_000;
        Some(packed(&header, &games))
    };
    the_result_is_refused(0.0, forge, "game 10000000000 of a generation of 12");
}

#[test]
fn a_game_that_unpacks_to_gigabytes_is_refused_unread() {
    let forge: Forge = |header, games| {
        let mut bytes = packed(&header, &games);
        // The frame's plain length: after the header, the evaluations, the frame's length and the packed length.
        let at = 4 + u32::from_le_bytes(*bytes.first_chunk()?) as usize + 8 + 4 + 4;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        Some(bytes)
    };
    the_result_is_refused(0.0, forge, "a length of 4294967295 bytes");
}

#[test]
fn a_plausible_forgery_is_found_by_playing_the_game_again() {
    let forge: Forge = |header, mut games| {
        let search = games[0].game.plies.iter_mut().find_map(|ply| ply.search.as_mut())?;
        search.chances = Chances::new(-search.chances.value() * 0.5 + 0.01, 0.0);
        Some(packed(&header, &games))
    };
    the_result_is_refused(1.0, forge, "worker forger sent a game");
}
