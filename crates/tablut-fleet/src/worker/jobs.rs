//! The jobs in a worker's hands: their games go to the players one by one, and come back in any order.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_nats::jetstream;
use tablut_games::{GameRecord, LeafRequest, Task, TaskSource};
use tablut_players::PlayerError;
use tablut_search::Evaluation;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use crate::counted_game::CountedGame;
use crate::order::Order;
use crate::parcel::ParcelGame;
use crate::wire::Job;

/// Over how long the games a second are counted.
const RECENT: Duration = Duration::from_secs(30);

/// A job that a worker has taken.
pub(super) struct InHand {
    pub job: Job,
    pub order: Order,
    /// The players' slots with its nets.
    pub slots: Vec<usize>,
    /// The message, for the acknowledgement.
    pub message: jetstream::Message,
    /// How often the job has been handed out.
    pub delivered: u64,
    games: Mutex<Vec<ParcelGame>>,
    /// Its games are at the broker.
    sent: AtomicBool,
}

impl InHand {
    pub fn new(job: Job, order: Order, slots: Vec<usize>, message: jetstream::Message, delivered: u64) -> Self {
        let games = Mutex::new(Vec::with_capacity(job.count));
        Self { job, order, slots, message, delivered, games, sent: AtomicBool::new(false) }
    }

    /// The games, by number, once all have ended.
    pub fn games(&self) -> Vec<ParcelGame> {
        let mut games = std::mem::take(&mut *self.lock());
        games.sort_by_key(|entry| entry.game.index);
        games
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ParcelGame>> {
        self.games.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// All jobs of a worker.
pub(super) struct Jobs {
    state: Mutex<State>,
    closed: AtomicBool,
    /// Jobs whose games have all ended.
    done: UnboundedSender<Arc<InHand>>,
    /// Told whenever a game has ended.
    pub wanted: Notify,
}

#[derive(Default)]
struct State {
    /// Jobs with games that no player has begun, and the number of the next one.
    ready: VecDeque<(Arc<InHand>, usize)>,
    /// All jobs whose games are not at the broker.
    in_hand: Vec<Arc<InHand>>,
    /// Games of all jobs in hand that have not ended.
    holding: usize,
    games: u64,
    jobs: u64,
    ended: VecDeque<Instant>,
}

impl Jobs {
    pub fn new(done: UnboundedSender<Arc<InHand>>) -> Self {
        Self { state: Mutex::default(), closed: AtomicBool::new(false), done, wanted: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Takes a job in hand.
    pub fn push(&self, in_hand: Arc<InHand>) {
        let mut state = self.lock();
        state.holding += in_hand.job.count;
        state.in_hand.push(Arc::clone(&in_hand));
        state.ready.push_back((in_hand, 0));
    }

    /// Games in hand that have not ended.
    pub fn holding(&self) -> usize {
        self.lock().holding
    }

    /// All jobs whose games are not at the broker.
    pub fn in_hand(&self) -> Vec<Arc<InHand>> {
        self.lock().in_hand.clone()
    }

    /// Says that a job's games are at the broker.
    pub fn sent(&self, in_hand: &Arc<InHand>) {
        in_hand.sent.store(true, Ordering::Relaxed);
        let mut state = self.lock();
        state.jobs += 1;
        state.in_hand.retain(|other| !Arc::ptr_eq(other, in_hand));
    }

    /// Ends the players once they have nothing to do.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.wanted.notify_one();
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Takes a game that has ended.
    pub fn deliver(&self, in_hand: &Arc<InHand>, game: GameRecord, evaluations: u64) {
        let mut games = in_hand.lock();
        games.push(ParcelGame { game, evaluations });
        let complete = games.len() == in_hand.job.count;
        drop(games);
        let mut state = self.lock();
        state.holding -= 1;
        state.games += 1;
        state.ended.push_back(Instant::now());
        drop(state);
        if complete {
            // Nobody listens any more once the worker stops: the job goes back to the queue.
            let _ = self.done.send(Arc::clone(in_hand));
        }
        self.wanted.notify_one();
    }

    /// Games and jobs done so far.
    pub fn totals(&self) -> (u64, u64) {
        let state = self.lock();
        (state.games, state.jobs)
    }

    /// Games a second over the last half minute.
    pub fn games_per_second(&self, since: Instant) -> f64 {
        let mut state = self.lock();
        let now = Instant::now();
        while state.ended.front().is_some_and(|&ended| now.duration_since(ended) > RECENT) {
            state.ended.pop_front();
        }
        state.ended.len() as f64 / now.duration_since(since).min(RECENT).as_secs_f64().max(1.0)
    }
}

/// A game of a job.
pub(super) struct JobGame {
    in_hand: Arc<InHand>,
    game: CountedGame,
}

impl Task for JobGame {
    type Output = (Arc<InHand>, GameRecord, u64);
    type Error = PlayerError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<Self::Output>, PlayerError> {
        let ended = self.game.gather(requests)?;
        Ok(ended.map(|(game, evaluations)| (Arc::clone(&self.in_hand), game, evaluations)))
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        self.game.apply(evaluations);
    }
}

impl TaskSource for Jobs {
    type Task = JobGame;

    fn next(&self) -> Option<(usize, JobGame)> {
        let (in_hand, index) = {
            let mut state = self.lock();
            let (in_hand, played) = state.ready.front_mut()?;
            let index = in_hand.job.first + *played;
            *played += 1;
            let (in_hand, all) = (Arc::clone(in_hand), *played == in_hand.job.count);
            if all {
                state.ready.pop_front();
            }
            (in_hand, index)
        };
        let game = in_hand.order.game(index, &in_hand.slots).expect("a job has the openings of its games");
        Some((index, JobGame { in_hand, game }))
    }

    fn is_open(&self) -> bool {
        !self.is_closed()
    }
}
