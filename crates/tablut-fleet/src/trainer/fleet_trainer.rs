//! A trainer's connection to its fleet, behind which a thread talks to the broker.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tablut_games::{CancelToken, Counters, DoorError, GameRecord, MakeInference, PlayedGames, RunError, run_tasks};
use tablut_net::NetEvaluator;
use tablut_search::Evaluator;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::duty;
use super::ledger::{Arrival, Ledger};
use super::shared::{Command, FleetStatus, Shared, TrainerOptions};
use crate::connection::Connection;
use crate::error::FleetError;
use crate::notes::Notes;
use crate::order::Order;
use crate::wire::OrderSpec;

/// How often a waiting trainer looks whether it is to stop.
const POLL: Duration = Duration::from_millis(100);

/// A run's connection to its fleet.
pub struct FleetTrainer {
    options: TrainerOptions,
    notes: Notes,
    shared: Arc<Shared>,
    commands: UnboundedSender<Command>,
    thread: Option<JoinHandle<()>>,
    /// Decides which games are played again.
    secret: RandomState,
}

impl FleetTrainer {
    /// Starts the thread that talks to the broker. It waits for the broker as long as it takes; `notes` hears of that.
    pub fn start(connection: Connection, options: TrainerOptions, notes: Notes) -> Result<Self, FleetError> {
        let shared = Arc::new(Shared::default());
        let (commands, received) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| FleetError::broker("a thread for the broker", error))?;
        let (theirs, their_options, their_notes) = (Arc::clone(&shared), options.clone(), notes.clone());
        let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
            let result = runtime.block_on(duty::duty(connection, their_options, their_notes, &theirs, received));
            let mut state = theirs.lock();
            state.failed = result.err().or(state.failed.take());
            drop(state);
            theirs.change.notify_all();
        });
        let thread = thread.map_err(|error| FleetError::broker("a thread for the broker", error))?;
        Ok(Self { options, notes, shared, commands, thread: Some(thread), secret: RandomState::new() })
    }

    /// What is known of the fleet now.
    pub fn status(&self) -> FleetStatus {
        self.shared.lock().status.clone()
    }

    /// Something that gives [`FleetTrainer::status`] from another thread.
    pub fn watch(&self) -> impl Fn() -> FleetStatus + Send + Sync + use<> {
        let shared = Arc::clone(&self.shared);
        move || shared.lock().status.clone()
    }

    /// What `order` is called at the broker.
    pub(super) fn spec(&self, order: &Order) -> OrderSpec {
        order.spec(&self.options.run)
    }

    /// Whether the books of this very order are open.
    pub(super) fn has_begun(&self, spec: &OrderSpec) -> bool {
        self.shared.lock().ledgers.get(&spec.generation).is_some_and(|ledger| ledger.spec == *spec)
    }

    /// Opens the books of `order`, of which the games `wanted` are to come, and has them handed out.
    pub(super) fn begin(
        &self,
        spec: OrderSpec,
        order: &Order,
        probe: String,
        wanted: &[usize],
    ) -> Result<(), DoorError> {
        let ledger = Ledger::new(spec, order.clone(), probe, wanted);
        self.shared.lock().ledgers.insert(order.generation(), ledger);
        self.send(Command::Opened)
    }

    /// Waits for the games of `order`, whose books are open; `on_game` has each with its evaluations as it comes.
    pub(super) fn collect(
        &self,
        order: &Order,
        make_inference: MakeInference<'_>,
        cancel: &CancelToken,
        on_game: &mut dyn FnMut(&GameRecord, u64),
    ) -> Result<PlayedGames, DoorError> {
        let start = Instant::now();
        let ended = || DoorError::Other(Box::new(FleetError::Ended));
        loop {
            let mut state = self.shared.lock();
            if state.failed.is_some() {
                drop(state);
                return Err(self.failure());
            }
            let ledger = state.ledgers.get_mut(&order.generation()).ok_or_else(ended)?;
            let arrived = ledger.arrivals();
            if !arrived.is_empty() {
                drop(state);
                let arrived = self.check_some(order, arrived, make_inference, cancel)?;
                for arrival in &arrived {
                    on_game(&arrival.game, arrival.evaluations);
                }
            } else if ledger.is_complete() {
                ledger.count_waiting(start.elapsed());
                return state.ledgers.remove(&order.generation()).map(Ledger::finish).ok_or_else(ended);
            } else {
                drop(self.shared.change.wait_timeout(state, POLL));
            }
            if cancel.is_cancelled() {
                return Err(DoorError::Stopped);
            }
        }
    }

    /// Closes the books of a generation or match whose games are not wanted any more.
    pub(super) fn close(&self, generation: u64) -> Result<(), DoorError> {
        self.shared.lock().ledgers.remove(&generation);
        self.kept(generation)
    }

    /// Says that the games of a generation or match are kept elsewhere.
    pub(super) fn kept(&self, generation: u64) -> Result<(), DoorError> {
        self.send(Command::Kept(generation))
    }

    pub(super) fn send(&self, command: Command) -> Result<(), DoorError> {
        self.commands.send(command).map_err(|_| self.failure())
    }

    /// Whether a game is among the share that is played again; only this process can tell which are.
    fn is_chosen(&self, generation: u64, index: u64) -> bool {
        let drawn = self.secret.hash_one((generation, index)) >> 11;
        (drawn as f64) < self.options.check_share * (1_u64 << 53) as f64
    }

    /// Why the fleet's thread has ended.
    fn failure(&self) -> DoorError {
        let failed = self.shared.lock().failed.take();
        DoorError::Other(Box::new(failed.unwrap_or(FleetError::Ended)))
    }

    /// Plays a share of the games again, and gives those that may count. A worker whose game differs is not trusted with any.
    fn check_some(
        &self,
        order: &Order,
        arrived: Vec<Arrival>,
        make_inference: MakeInference<'_>,
        cancel: &CancelToken,
    ) -> Result<Vec<Arrival>, DoorError> {
        let is_chosen = |arrival: &&Arrival| self.is_chosen(order.generation(), arrival.game.index);
        let chosen: Vec<&Arrival> = arrived.iter().filter(is_chosen).collect();
        if chosen.is_empty() {
            return Ok(arrived);
        }
        let nets = order.nets();
        let slots: Vec<usize> = (0..nets.len()).collect();
        let again = run_tasks(
            chosen.len(),
            self.options.concurrency,
            |place| {
                order
                    .game(chosen[place].game.index as usize, &slots)
                    .expect("its opening was known when it was checked")
            },
            || nets.iter().map(|net| Box::new(NetEvaluator::new(make_inference(net))) as Box<dyn Evaluator>).collect(),
            &Counters::default(),
            cancel,
            |_, _| {},
        );
        let again = again.map_err(|error| match error {
            RunError::Stopped => DoorError::Stopped,
            RunError::Evaluate(error) => DoorError::Play(RunError::Evaluate(error)),
            RunError::Task(error) => DoorError::Other(Box::new(error)),
        })?;
        let mut liars = Vec::new();
        for (arrival, (game, evaluations)) in chosen.into_iter().zip(&again) {
            if (&arrival.game, arrival.evaluations) != (game, *evaluations) && !liars.contains(&arrival.worker) {
                self.distrust(order, arrival)?;
                liars.push(arrival.worker.clone());
            }
        }
        Ok(arrived.into_iter().filter(|arrival| !liars.contains(&arrival.worker)).collect())
    }

    /// Throws away the games of a worker that lies, and has them played again.
    fn distrust(&self, order: &Order, lie: &Arrival) -> Result<(), DoorError> {
        let Arrival { game, worker, .. } = lie;
        if matches!(order, Order::Match(_)) {
            // Games of a match count at once.
            return Err(DoorError::Other(Box::new(FleetError::Lie { worker: worker.clone(), game: game.index })));
        }
        let mut state = self.shared.lock();
        state.distrusted.insert(worker.clone());
        let thrown: usize = state.ledgers.values_mut().map(|ledger| ledger.distrust(worker)).sum();
        drop(state);
        (self.notes)(&format!(
            "worker {worker} sent another game {} of generation {} than its net plays: its {thrown} games of the \
             generations under way are thrown away, and it is not trusted again; take away its credentials",
            game.index,
            order.generation()
        ));
        self.send(Command::Look)
    }
}

impl Drop for FleetTrainer {
    fn drop(&mut self) {
        self.shared.cancel.cancel();
        let (closed, _) = unbounded_channel();
        // Dropping the sender is what the thread notices first.
        self.commands = closed;
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has said so.
            let _ = thread.join();
        }
    }
}
