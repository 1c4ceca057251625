//! The jobs that a worker holds. The players take their games one by one and finish them in any order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use tablut_games::{GameRecord, LeafRequest, Task, TaskSource};
use tablut_players::PlayerError;
use tablut_search::Evaluation;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use crate::order::{Order, OrderedGame};
use crate::wire::Job;

/// The time over which the speed is measured.
const RECENT: Duration = Duration::from_secs(30);

/// A job that the broker has given to this worker. The worker must renew the lease until the job is acknowledged.
pub(super) struct Lease {
    pub job: Job,
    pub order: Order,
    /// The evaluators' slots with the job's nets.
    pub slots: Vec<usize>,
    /// The broker's message, for renewals and the acknowledgement.
    pub message: jetstream::Message,
    /// The number of times that the broker has delivered the job.
    pub delivered: u64,
    pub games: Mutex<Vec<GameRecord>>,
}

impl Lease {
    /// Takes the games of a finished job, in the order of their indices.
    pub fn take_games(&self) -> Vec<GameRecord> {
        let mut games = std::mem::take(&mut *self.lock());
        games.sort_by_key(|game| game.index);
        games
    }

    fn lock(&self) -> MutexGuard<'_, Vec<GameRecord>> {
        self.games.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

pub(super) struct HeldJobs {
    state: Mutex<State>,
    closed: AtomicBool,
    finished: UnboundedSender<Arc<Lease>>,
    pub game_ended: Notify,
    /// The number of steps of all games. A step ends with a request to a net or with the move of a player without a
    /// net.
    pub steps: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    /// Jobs with games that have not begun, and the number of games that have.
    ready: VecDeque<(Arc<Lease>, usize)>,
    /// All jobs whose games are not at the broker yet.
    leases: Vec<Arc<Lease>>,
    /// Unfinished games of all jobs.
    holding: usize,
    games: u64,
    jobs: u64,
    ended: VecDeque<Instant>,
}

impl HeldJobs {
    pub fn new(finished: UnboundedSender<Arc<Lease>>) -> Self {
        Self {
            state: Mutex::default(),
            closed: AtomicBool::new(false),
            finished,
            game_ended: Notify::new(),
            steps: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn push(&self, lease: Lease) {
        let lease = Arc::new(lease);
        let mut state = self.lock();
        state.holding += lease.job.count;
        state.leases.push(Arc::clone(&lease));
        state.ready.push_back((lease, 0));
    }

    pub fn holding(&self) -> usize {
        self.lock().holding
    }

    /// All jobs whose games are not at the broker yet.
    pub fn leases(&self) -> Vec<Arc<Lease>> {
        self.lock().leases.clone()
    }

    pub fn remove(&self, lease: &Arc<Lease>) {
        let mut state = self.lock();
        state.jobs += 1;
        state.leases.retain(|other| !Arc::ptr_eq(other, lease));
    }

    /// Ends the players when they have no more games.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.game_ended.notify_one();
    }

    pub fn deliver(&self, lease: &Arc<Lease>, game: GameRecord) {
        let mut games = lease.lock();
        games.push(game);
        let is_complete = games.len() == lease.job.count;
        drop(games);
        let mut state = self.lock();
        state.holding -= 1;
        state.games += 1;
        state.ended.push_back(Instant::now());
        drop(state);
        if is_complete {
            // When the worker stops, the receiver is dropped and the job goes back to the queue.
            let _ = self.finished.send(Arc::clone(lease));
        }
        self.game_ended.notify_one();
    }

    /// The numbers of finished games and jobs.
    pub fn totals(&self) -> (u64, u64) {
        let state = self.lock();
        (state.games, state.jobs)
    }

    /// Games per second over the last half minute. `since` is the worker's start.
    pub fn games_per_second(&self, since: Instant) -> f64 {
        let mut state = self.lock();
        let now = Instant::now();
        while state.ended.front().is_some_and(|&ended| now.duration_since(ended) > RECENT) {
            state.ended.pop_front();
        }
        state.ended.len() as f64 / now.duration_since(since).min(RECENT).as_secs_f64().max(1.0)
    }
}

pub(super) struct JobGame {
    lease: Arc<Lease>,
    game: OrderedGame,
    steps: Arc<AtomicU64>,
}

impl Task for JobGame {
    type Output = (Arc<Lease>, GameRecord);
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<Self::Output>, PlayerError> {
        let before = requests.len();
        let ended = self.game.gather(requests)?;
        for (net, _) in &mut requests[before..] {
            *net = self.lease.slots[*net];
        }
        self.steps.fetch_add(1, Ordering::Relaxed);
        Ok(ended.map(|game| (Arc::clone(&self.lease), game)))
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        self.game.apply(evaluations);
    }
}

impl TaskSource for HeldJobs {
    type Task = JobGame;

    fn next(&self) -> Option<(usize, JobGame)> {
        let (lease, index) = {
            let mut state = self.lock();
            let (lease, begun) = state.ready.front_mut()?;
            let index = lease.job.first + *begun;
            *begun += 1;
            let (lease, all_begun) = (Arc::clone(lease), *begun == lease.job.count);
            if all_begun {
                state.ready.pop_front();
            }
            (lease, index)
        };
        let game = lease.order.game(index).expect("a job has the openings of its games");
        Some((index, JobGame { lease, game, steps: Arc::clone(&self.steps) }))
    }

    fn is_open(&self) -> bool {
        !self.closed.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_arena::MatchConfig;
    use tablut_games::Concurrency;
    use tablut_net::NetPool;
    use tablut_players::NamedPlayer;
    use tablut_rules::Rules;
    use tokio::sync::mpsc::unbounded_channel;

    /// A job of one game between players without a net. Its message is not connected to a broker.
    fn lease() -> Lease {
        let config = MatchConfig {
            rules: Arc::new(Rules::named("kvasir").unwrap()),
            n_pairs: 1,
            opening_plies: 2,
            book: None,
            max_plies: 400,
            seed: 3,
            sequential_test: None,
            concurrency: Concurrency::default(),
        };
        let player: NamedPlayer = "random".parse().unwrap();
        let openings = config.openings().unwrap();
        let nets = NetPool::default();
        let order = Order::of_match("run", 0, &config, [&player, &player], &nets, &openings).unwrap();
        let (spec, openings) = (order.spec.clone(), order.openings_of(0, 1));
        let job = Job { order: spec, first: 0, count: 1, openings, probe: String::new(), fleet_threads: 1 };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let options = async_nats::ConnectOptions::new().retry_on_initial_connect();
        let connected = async { jetstream::new(options.connect("127.0.0.1:1").await.unwrap()) };
        let context = runtime.block_on(connected);
        let message = async_nats::Message {
            subject: "job".into(),
            reply: None,
            payload: Vec::new().into(),
            headers: None,
            status: None,
            description: None,
            length: 0,
        };
        let message = jetstream::Message { message, context };
        Lease { job, order, slots: Vec::new(), message, delivered: 1, games: Mutex::default() }
    }

    #[test]
    fn every_move_of_a_player_without_a_net_is_a_step() {
        let (finished, _received) = unbounded_channel();
        let jobs = HeldJobs::new(finished);
        jobs.push(lease());
        let (_, mut game) = jobs.next().unwrap();
        for n_moves in 1..=3 {
            assert!(game.gather(&mut Vec::new()).unwrap().is_none());
            assert_eq!(jobs.steps.load(Ordering::Relaxed), n_moves);
        }
    }
}
