//! A trainer's connection to its fleet, for the sources of games of a run and of matches. One thread communicates with
//! the broker.

mod heartbeat_loop;
mod progress;
pub mod sources;
pub mod state;
mod trainer_loop;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tablut_games::{CancelToken, Counters, GameRecord, MakeInference, PlayedGames, run_tasks};
use tablut_net::NetEvaluator;
use tablut_search::Evaluator;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use self::progress::{Progress, ReceivedGame};
use self::state::{Command, FleetStatus, Shared, TrainerOptions};
use crate::connection::{Connection, Log};
use crate::error::{BrokerResult, FleetError};
use crate::order::{Order, OrderedWork};
use crate::wire::OrderSpec;

/// The time between two checks whether a waiting trainer must stop.
const POLL: Duration = Duration::from_millis(100);

/// A run's connection to its fleet.
pub struct FleetTrainer {
    options: TrainerOptions,
    log: Log,
    shared: Arc<Shared>,
    commands: UnboundedSender<Command>,
    thread: Option<JoinHandle<()>>,
    /// The random key that selects the games that are played again. Workers do not know it.
    secret: RandomState,
}

impl FleetTrainer {
    /// Starts the thread that communicates with the broker. While the broker cannot be reached, the thread retries
    /// without a limit, and `log` receives messages about it.
    pub fn start(connection: Connection, options: TrainerOptions, log: Log) -> Result<Self, FleetError> {
        let shared = Arc::new(Shared::default());
        let (commands, received) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.during("a thread for the broker")?;
        let (theirs, their_options, their_log) = (Arc::clone(&shared), options.clone(), log.clone());
        let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
            let result = runtime.block_on(trainer_loop::run(connection, their_options, their_log, &theirs, received));
            let mut state = theirs.lock();
            state.failed = result.err().or(state.failed.take());
            drop(state);
            theirs.change.notify_all();
        });
        let thread = Some(thread.during("a thread for the broker")?);
        Ok(Self { options, log, shared, commands, thread, secret: RandomState::new() })
    }

    /// A function that returns the fleet's status, for other threads.
    pub fn status(&self) -> impl Fn() -> FleetStatus + Send + Sync + use<> {
        let shared = Arc::clone(&self.shared);
        move || shared.lock().status.clone()
    }

    fn run(&self) -> &str {
        &self.options.run
    }

    /// Whether exactly this order is in progress.
    fn has_begun(&self, spec: &OrderSpec) -> bool {
        self.shared.lock().orders.get(&spec.generation).is_some_and(|progress| progress.order.spec == *spec)
    }

    /// Begins `order`, of which only the games `wanted` are needed. The thread then hands out its jobs.
    fn begin(&self, order: Order, probe: String, wanted: &[usize]) -> Result<(), FleetError> {
        self.shared.lock().orders.insert(order.spec.generation, Progress::new(order, probe, wanted));
        self.send(Command::HandOut)
    }

    /// Waits for the games of a generation or match that has begun. `on_game` receives each game when it arrives.
    fn collect(
        &self,
        generation: u64,
        make_inference: MakeInference<'_>,
        cancel: &CancelToken,
        on_game: &dyn Fn(&GameRecord),
    ) -> Result<PlayedGames, FleetError> {
        let start = Instant::now();
        loop {
            let mut state = self.shared.lock();
            if state.failed.is_some() {
                drop(state);
                return Err(self.failure());
            }
            let progress = state.orders.get_mut(&generation).ok_or(FleetError::Ended)?;
            let new = progress.new_games();
            if !new.is_empty() {
                let order = Arc::clone(&progress.order);
                drop(state);
                for received in self.verify(&order, new, make_inference, cancel)? {
                    on_game(&received.game);
                }
            } else if progress.is_complete() {
                progress.report.waited_seconds += start.elapsed().as_secs_f64();
                return state.orders.remove(&generation).map(Progress::finish).ok_or(FleetError::Ended);
            } else {
                drop(self.shared.change.wait_timeout(state, POLL));
            }
            if cancel.is_cancelled() {
                return Err(FleetError::Stopped);
            }
        }
    }

    /// Ends a generation or match whose games are no longer needed.
    fn close(&self, generation: u64) -> Result<(), FleetError> {
        self.shared.lock().orders.remove(&generation);
        self.send(Command::Stored(generation))
    }

    fn send(&self, command: Command) -> Result<(), FleetError> {
        self.commands.send(command).map_err(|_| self.failure())
    }

    /// Whether a game is played again.
    fn is_chosen(&self, generation: u64, index: u64) -> bool {
        let drawn = self.secret.hash_one((generation, index)) >> 11;
        (drawn as f64) < self.options.check_share * (1_u64 << 53) as f64
    }

    /// The error that ended the broker's thread.
    fn failure(&self) -> FleetError {
        self.shared.lock().failed.take().unwrap_or(FleetError::Ended)
    }

    /// Plays a share of the games again. Returns the games of all workers except those with a different game.
    fn verify(
        &self,
        order: &Order,
        new: Vec<ReceivedGame>,
        make_inference: MakeInference<'_>,
        cancel: &CancelToken,
    ) -> Result<Vec<ReceivedGame>, FleetError> {
        let is_chosen = |received: &&ReceivedGame| self.is_chosen(order.spec.generation, received.game.index);
        let chosen: Vec<&ReceivedGame> = new.iter().filter(is_chosen).collect();
        if chosen.is_empty() {
            return Ok(new);
        }
        let game = |place: usize| {
            let index = chosen[place].game.index as usize;
            order.game(index).expect("its opening was known when the game was checked")
        };
        let evaluator = |net| Box::new(NetEvaluator::new(make_inference(net))) as Box<dyn Evaluator>;
        let evaluators = || order.nets.iter().map(|net| evaluator(net)).collect();
        let concurrency = self.options.concurrency;
        let again = run_tasks(chosen.len(), concurrency, game, evaluators, &Counters::default(), cancel, |_, _| {})?;
        let mut wrong = Vec::new();
        for (received, played_here) in chosen.into_iter().zip(&again) {
            if received.game != *played_here && !wrong.contains(&received.worker) {
                self.distrust(order, received)?;
                wrong.push(received.worker.clone());
            }
        }
        Ok(new.into_iter().filter(|received| !wrong.contains(&received.worker)).collect())
    }

    /// Discards the games of a worker that has sent a wrong game. Other workers play them again.
    fn distrust(&self, order: &Order, wrong: &ReceivedGame) -> Result<(), FleetError> {
        let ReceivedGame { game, worker } = wrong;
        if matches!(order.work, OrderedWork::Match(_)) {
            // The earlier games of the match have already been counted.
            return Err(FleetError::Setup(format!(
                "worker {worker} sent a game {} that differs from the correct one, so the games of this match cannot \
                 be trusted. Revoke the worker's credentials and play the match again, without its file of games",
                game.index
            )));
        }
        let mut state = self.shared.lock();
        state.distrusted.insert(worker.clone());
        let n_discarded: usize = state.orders.values_mut().map(|progress| progress.discard(worker)).sum();
        drop(state);
        (self.log)(&format!(
            "worker {worker} sent a game {} of generation {} that differs from the correct one; its {n_discarded} \
             games of the generations in progress are discarded, and it is ignored from now on; revoke its credentials",
            game.index, order.spec.generation
        ));
        self.send(Command::HandOut)
    }
}

impl Drop for FleetTrainer {
    fn drop(&mut self) {
        self.shared.cancel.cancel();
        let (closed, _) = unbounded_channel();
        // The thread ends when the sender is dropped.
        self.commands = closed;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed.
            let _ = thread.join();
        }
    }
}
