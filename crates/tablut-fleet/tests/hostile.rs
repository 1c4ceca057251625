//! Workers that lie: their games do not count, and the others' give the bits of a run alone.

mod broker;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::{self, Message};
use broker::TestBroker;
use futures_util::StreamExt;
use tablut_fleet::{
    Connection, FleetGames, FleetTrainer, JOBS, Job, Notes, Order, Parcel, ParcelGame, ParcelHeader, TrainerOptions,
    WorkerOptions, result_subject, work,
};
use tablut_games::{
    CancelToken, Concurrency, Counters, GameOrder, GameSource, LocalGames, PlayedGames, SelfPlayConfig, SpecialGames,
};
use tablut_net::{Architecture, Engine, Inference, Precision, Weights};
use tablut_rules::{Rules, Side};
use tablut_search::SelfPlaySearch;

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
        special: SpecialGames::default(),
    }
}

fn engine(weights: &Weights) -> Box<dyn Inference> {
    Box::new(Engine::new(weights).unwrap())
}

fn alone(order: &GameOrder) -> PlayedGames {
    let (counters, cancel) = (Counters::default(), CancelToken::new());
    LocalGames::new(&engine, ONE).collect(order, &counters, &cancel, &|_| {}).unwrap()
}

fn connection(broker: &TestBroker) -> Connection {
    Connection { url: broker.url.clone(), ..Connection::default() }
}

/// What a liar publishes for a job, if anything; the header and the true games are given.
type Lie = fn(ParcelHeader, Vec<ParcelGame>) -> Option<Vec<u8>>;

fn packed(header: &ParcelHeader, games: &[ParcelGame]) -> Vec<u8> {
    Parcel::pack(header, games, 1 << 20).unwrap().remove(0)
}

/// Takes `n_jobs` jobs, lies about each, and takes it off the queue.
async fn lie(url: &str, weights: &Arc<Weights>, n_jobs: usize, lie: Lie) {
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
        let header = ParcelHeader {
            probe: job.probe.clone(),
            worker: "liar".to_owned(),
            threads: 1,
            delivered: 1,
            ..ParcelHeader::of(&job.order)
        };
        let all = alone(&order);
        let games = all.games[job.first..job.first + job.count].iter();
        let games = games.map(|game| ParcelGame { game: game.clone(), evaluations: game.plies.len() as u64 }).collect();
        if let Some(bytes) = lie(header, games) {
            jetstream.publish(result_subject(&job.order), bytes.into()).await.unwrap().await.unwrap();
        }
        message.double_ack().await.unwrap();
    }
}

/// A trainer that collects the order's games, a liar that is there first, and an honest worker; gives what the trainer
/// got and what it said.
fn collect_among_liars(check_share: f64, lies: Lie) -> Option<(PlayedGames, String)> {
    let broker = TestBroker::start("")?;
    let order = order();
    let said = Arc::new(Mutex::new(String::new()));
    let notes: Notes = {
        let said = Arc::clone(&said);
        Arc::new(move |line| said.lock().unwrap().extend([line, "\n"]))
    };
    let options = TrainerOptions {
        run: "0123456789abcdef".to_owned(),
        holder: "test".to_owned(),
        lease: Duration::from_secs(1),
        check_share,
        concurrency: ONE,
    };
    let trainer = FleetTrainer::start(connection(&broker), options, notes).unwrap();
    let mut games = FleetGames::new(&trainer, &engine);
    games.begin(&order).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(lie(&broker.url, &order.weights, 3, lies));
    let cancel = CancelToken::new();
    let played = std::thread::scope(|scope| {
        let options = WorkerOptions { name: "honest".to_owned(), concurrency: ONE };
        let (connection, cancel, silent) = (connection(&broker), cancel.clone(), Arc::new(|_: &str| {}) as Notes);
        let stop = cancel.clone();
        scope.spawn(move || work(&connection, &options, &Counters::default(), &cancel, &silent).unwrap());
        let played = games.collect(&order, &Counters::default(), &CancelToken::new(), &|_| {});
        stop.cancel();
        played
    });
    let said = said.lock().unwrap().clone();
    Some((played.unwrap(), said))
}

#[track_caller]
fn the_lie_is_refused(check_share: f64, lies: Lie, words: &str) {
    let Some((played, said)) = collect_among_liars(check_share, lies) else { return };
    let alone = alone(&order());
    assert!(played.games == alone.games, "the games are others");
    assert_eq!(played.evaluations, alone.evaluations);
    assert!(said.contains(words), "{said:?}");
    let report = played.fleet.unwrap();
    assert!(report.workers.iter().all(|worker| worker.name == "honest"), "{report:?}");
    assert!(words.is_empty() || report.refused > 0, "{report:?}");
}

#[test]
fn garbage_is_refused() {
    the_lie_is_refused(0.0, |_, _| Some(vec![0xff; 5000]), "refused what a worker that does not say its name sent");
}

#[test]
fn jobs_that_are_done_without_games_are_handed_out_again() {
    the_lie_is_refused(0.0, |_, _| None, "");
}

#[test]
fn games_of_another_net_are_refused() {
    let lies: Lie = |header, games| Some(packed(&ParcelHeader { net: "00".repeat(32), ..header }, &games));
    the_lie_is_refused(0.0, lies, "the net 0000");
}

#[test]
fn games_of_a_machine_with_other_bits_are_refused() {
    let lies: Lie = |header, games| Some(packed(&ParcelHeader { probe: "other".to_owned(), ..header }, &games));
    the_lie_is_refused(0.0, lies, "the probe other");
}

#[test]
fn games_that_the_rules_do_not_allow_are_refused() {
    let lies: Lie = |header, mut games| {
        let plies = &mut games[0].game.plies;
        plies.swap(0, 1);
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, lies, "refused what liar sent: game");
}

#[test]
fn games_with_another_winner_are_refused() {
    let lies: Lie = |header, mut games| {
        let outcome = &mut games[0].game.outcome;
        outcome.winner = Some(if outcome.winner == Some(Side::Attackers) { Side::Defenders } else { Side::Attackers });
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, lies, "its record says");
}

#[test]
fn values_and_policies_that_no_search_gives_are_refused() {
    fn search(games: &mut [ParcelGame]) -> &mut tablut_games::SearchRecord {
        games[0].game.plies.iter_mut().find_map(|ply| ply.search.as_mut()).unwrap()
    }
    let policy: Lie = |header, mut games| {
        search(&mut games).policy.fill(u16::MAX);
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, policy, "a policy that sums to");
    let simulations: Lie = |header, mut games| {
        search(&mut games).simulations = 1_000_000;
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, simulations, "1000000 simulations of 4");
    let evaluations: Lie = |header, mut games| {
        games[0].evaluations = u64::MAX;
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, evaluations, "evaluations, at most");
}

#[test]
fn games_under_other_conditions_than_their_numbers_say_are_refused() {
    let notes: Lie = |header, mut games| {
        games[0].game.notes.simulations = Some([4, 1]);
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, notes, "its notes are");
    let start: Lie = |header, mut games| {
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
    the_lie_is_refused(0.0, start, "refused what liar sent: game");
}

#[test]
fn a_game_out_of_the_generation_is_refused() {
    let lies: Lie = |header, mut games| {
        games[0].game.index = 10_000_000_000;
        Some(packed(&header, &games))
    };
    the_lie_is_refused(0.0, lies, "game 10000000000 of a generation of 12");
}

#[test]
fn a_game_that_unpacks_to_gigabytes_is_refused_unread() {
    let lies: Lie = |header, games| {
        let mut bytes = packed(&header, &games);
        // The frame's plain length: after the header, the evaluations, the frame's length and the packed length.
        let at = 4 + u32::from_le_bytes(*bytes.first_chunk()?) as usize + 8 + 4 + 4;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        Some(bytes)
    };
    the_lie_is_refused(0.0, lies, "a length of 4294967295 bytes");
}

#[test]
fn a_plausible_lie_is_found_by_playing_the_game_again() {
    let lies: Lie = |header, mut games| {
        let search = games[0].game.plies.iter_mut().find_map(|ply| ply.search.as_mut())?;
        search.value = -search.value * 0.5 + 0.01;
        Some(packed(&header, &games))
    };
    the_lie_is_refused(1.0, lies, "worker liar sent another game");
}
