//! The trainer's main loop. It hands out jobs, receives games, and hands out missing games again.

mod results;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tablut_net::Weights;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::heartbeat_loop::HeartbeatLoop;
use super::state::{Command, Shared, TrainerOptions};
use crate::broker::{Broker, JOBS, RESULTS, RUNS, Received, next};
use crate::connection::{Connection, Failures, Log};
use crate::error::{BrokerResult, FleetError};
use crate::job_size::job_size;
use crate::result_message::ResultHeader;
use crate::wire::{Job, job_subject, read_job_subject};

/// The time limit for a message that the broker has announced.
const ANNOUNCED: Duration = Duration::from_secs(30);
/// The maximum number of objects that are fetched at the same time.
const MAX_FETCHES: usize = 4;
/// The time that the trainer waits for objects before it hands out missing games again.
const OBJECT_WAIT: Duration = Duration::from_secs(2);

/// Runs until the run drops its end of `commands`.
pub(super) async fn run(
    connection: Connection,
    options: TrainerOptions,
    log: Log,
    shared: &Arc<Shared>,
    mut commands: UnboundedReceiver<Command>,
) -> Result<(), FleetError> {
    let reconnected = Arc::new(Notify::new());
    let client = connection.open("tablut train", &log, &reconnected, &shared.cancel).await?;
    let broker = Broker::new(client);
    let mut heartbeats = HeartbeatLoop {
        broker: broker.clone(),
        options: options.clone(),
        log: log.clone(),
        shared: Arc::clone(shared),
        announced: HashSet::new(),
    };
    let mut this = TrainerLoop {
        broker,
        options,
        log,
        shared: Arc::clone(shared),
        last: 0,
        results: None,
        fetches: FuturesUnordered::new(),
        fetching: Arc::new(Semaphore::new(MAX_FETCHES)),
        check_at: Some(Instant::now()),
        checked: Instant::now(),
        failures: Failures::default(),
        handed_out: 0,
        nets: BTreeMap::new(),
        refused: BTreeMap::new(),
    };
    this.claim_run().await?;
    heartbeats.tick().await;
    // The claim is renewed independently of the main loop.
    tokio::select! {
        result = this.serve(&mut commands, &reconnected) => result?,
        () = heartbeats.run() => {}
    }
    let leave = async {
        this.broker.delete_key(RUNS, &this.options.run).await?;
        this.broker.client.flush().await.during("the broker")
    };
    // Without an answer the claim expires by itself.
    let _ = timeout(Duration::from_secs(2), leave).await;
    Ok(())
}

struct TrainerLoop {
    broker: Broker,
    options: TrainerOptions,
    log: Log,
    shared: Arc<Shared>,
    /// Sequence number of the last result that was read.
    last: u64,
    results: Option<pull::Stream>,
    /// Results whose games are in objects.
    fetches: FuturesUnordered<BoxFuture<'static, Fetched>>,
    fetching: Arc<Semaphore>,
    /// The time of the next check whether all missing games are covered by jobs.
    check_at: Option<Instant>,
    checked: Instant,
    failures: Failures,
    /// The number of jobs handed out. It is part of a job's message id, because the broker drops messages with the same
    /// id.
    handed_out: u64,
    /// Nets that workers may need, by hash.
    nets: BTreeMap<String, Arc<Weights>>,
    /// Number of refused results by worker.
    refused: BTreeMap<String, usize>,
}

/// A result whose games were in an object.
struct Fetched {
    sequence: u64,
    generation: u64,
    header: ResultHeader,
    object: String,
    /// `None` if there is no such object.
    bytes: Result<Option<Vec<u8>>, FleetError>,
}

impl TrainerLoop {
    async fn serve(
        &mut self,
        commands: &mut UnboundedReceiver<Command>,
        reconnected: &Notify,
    ) -> Result<(), FleetError> {
        loop {
            let check_at = self.check_at.unwrap_or(self.checked + self.options.lease);
            tokio::select! {
                command = commands.recv() => match command {
                    Some(command) => self.command(command).await,
                    None => return Ok(()),
                },
                () = reconnected.notified() => self.restart(),
                message = next(&mut self.results) => self.message(message).await,
                Some(fetched) = self.fetches.next() => self.fetched(fetched).await,
                () = tokio::time::sleep_until(check_at) => self.check().await?,
            }
        }
    }

    /// Reads all results again after a lost connection. The broker may have lost results that were read, and may number
    /// new ones from 1.
    fn restart(&mut self) {
        (self.results, self.last) = (None, 0);
        self.fetches.clear();
        self.check_soon(Duration::ZERO);
    }

    fn check_soon(&mut self, after: Duration) {
        let then = Instant::now() + after;
        self.check_at = Some(self.check_at.map_or(then, |already| already.min(then)));
    }

    /// Claims the run for this trainer. It is an error if another trainer has claimed it.
    async fn claim_run(&mut self) -> Result<(), FleetError> {
        loop {
            match self.try_claim().await {
                Err(error) if error.is_passing() => self.failures.wait(&error, &self.log, &self.shared.cancel).await?,
                result => return result,
            }
        }
    }

    async fn try_claim(&mut self) -> Result<(), FleetError> {
        self.broker.ensure(Some(self.options.lease)).await?;
        let TrainerOptions { run, holder, .. } = &self.options;
        if let Some(other) = self.broker.claim_run(run, holder).await? {
            return Err(FleetError::Setup(format!(
                "the run {run} is already being trained through this broker, by {other}; stop that trainer, or change \
                 the seed"
            )));
        }
        if self.broker.remove_unread(run).await? {
            (self.log)("removed the result that this run's last trainer was reading when it ended");
        }
        Ok(())
    }

    async fn command(&mut self, command: Command) {
        match command {
            Command::HandOut => self.check_soon(Duration::ZERO),
            Command::Net(hash, weights) => {
                // If this fails, the net is stored when its jobs are handed out.
                let _ = self.broker.put_net(&hash, &weights).await;
                self.nets.insert(hash, weights);
            }
            Command::Stored(generation) => self.clear(generation).await,
        }
    }

    /// Removes a stored generation from the broker. Data that cannot be removed expires after a week.
    async fn clear(&mut self, generation: u64) {
        let run = &self.options.run;
        let _ = self.broker.purge(JOBS, format!("tablut.job.{run}.{generation}.>")).await;
        let _ = self.broker.purge(RESULTS, format!("tablut.result.{run}.{generation}.>")).await;
        let needed: HashSet<String> = {
            let state = self.shared.lock();
            state.orders.values().flat_map(|progress| &progress.order.spec.nets).map(|net| net.hash.clone()).collect()
        };
        let n_old = self.nets.len().saturating_sub(2);
        let old: Vec<String> = self.nets.keys().filter(|hash| !needed.contains(*hash)).take(n_old).cloned().collect();
        for hash in old {
            self.nets.remove(&hash);
            let _ = self.broker.remove_object(&hash).await;
        }
    }

    /// Checks that every missing game is covered by a job.
    async fn check(&mut self) -> Result<(), FleetError> {
        self.check_at = None;
        self.checked = Instant::now();
        match self.try_check().await {
            Ok(()) => {
                self.failures.end(&self.log, "the broker works again");
            }
            Err(error) if error.is_passing() => {
                self.results = None;
                self.failures.wait(&error, &self.log, &self.shared.cancel).await?;
                self.check_soon(Duration::ZERO);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn try_check(&mut self) -> Result<(), FleetError> {
        if self.shared.lock().orders.is_empty() {
            return Ok(());
        }
        self.broker.ensure(Some(self.options.lease)).await?;
        self.broker.repair_queue().await?;
        self.broker.ensure(Some(self.options.lease)).await?;
        // Jobs are read before results. If a job leaves the queue in between, its results are already at the broker.
        let outstanding = self.outstanding().await?;
        if self.results.is_some() && self.uncovered(&outstanding).is_empty() {
            return Ok(());
        }
        self.read_all().await?;
        for (generation, ranges) in self.uncovered(&outstanding) {
            self.hand_out(generation, &ranges).await?;
        }
        Ok(())
    }

    /// The games of all jobs in the queue and at workers, by generation. Jobs of other orders are removed.
    async fn outstanding(&mut self) -> Result<BTreeMap<u64, Vec<Range<usize>>>, FleetError> {
        let jobs = self.broker.subjects(JOBS, format!("tablut.job.{}.>", self.options.run)).await?;
        let mut outstanding: BTreeMap<u64, Vec<Range<usize>>> = BTreeMap::new();
        for subject in jobs.into_keys() {
            let read = read_job_subject(&subject);
            let current = read.filter(|(generation, id, ..)| {
                self.shared.lock().orders.get(generation).is_some_and(|order| order.id == *id)
            });
            match current {
                Some((generation, _, first, count)) => {
                    outstanding.entry(generation).or_default().push(first..first.saturating_add(count));
                }
                None => self.broker.purge(JOBS, subject).await?,
            }
        }
        Ok(outstanding)
    }

    fn uncovered(&self, outstanding: &BTreeMap<u64, Vec<Range<usize>>>) -> Vec<(u64, Vec<Range<usize>>)> {
        let state = self.shared.lock();
        let ranges = state.orders.iter().map(|(generation, order)| {
            let covered = outstanding.get(generation).map(Vec::as_slice).unwrap_or_default();
            (*generation, order.uncovered(covered))
        });
        ranges.filter(|(_, ranges)| !ranges.is_empty()).collect()
    }

    /// Reads all results at the broker, and starts the stream of later ones.
    async fn read_all(&mut self) -> Result<(), FleetError> {
        self.results = None;
        let (waiting, mut messages) = self.broker.results(&self.options.run, &mut self.last).await?;
        for _ in 0..waiting {
            let message = timeout(ANNOUNCED, messages.next()).await;
            let message = message.map_err(|_| FleetError::broker("reading games", "no answer within half a minute"))?;
            match message {
                Some(Ok(message)) => self.take(&message).await,
                Some(Err(error)) => return Err(FleetError::broker("reading games", error)),
                None => return Err(FleetError::broker("reading games", "the stream has ended")),
            }
        }
        self.results = Some(messages);
        let until = Instant::now() + OBJECT_WAIT;
        while let Ok(Some(fetched)) = timeout_at(until, self.fetches.next()).await {
            self.fetched(fetched).await;
        }
        Ok(())
    }

    /// Hands out jobs for the games of `ranges`.
    async fn hand_out(&mut self, generation: u64, ranges: &[Range<usize>]) -> Result<(), FleetError> {
        let (order, probe, size, fleet_threads) = {
            let state = self.shared.lock();
            let Some(progress) = state.orders.get(&generation) else { return Ok(()) };
            let status = &state.status;
            let size = job_size(progress.order.spec.games, status.playing().count(), status.games_per_second());
            (Arc::clone(&progress.order), progress.probe.clone(), size, status.threads())
        };
        let spec = &order.spec;
        for (net, weights) in spec.nets.iter().zip(&order.nets) {
            self.broker.put_net(&net.hash, weights).await?;
            self.nets.insert(net.hash.clone(), Arc::clone(weights));
        }
        let mut messages = Vec::new();
        for range in ranges {
            for first in range.clone().step_by(size) {
                let count = size.min(range.end - first);
                let (openings, probe) = (order.openings_of(first, count), probe.clone());
                let job = Job { order: spec.clone(), first, count, openings, probe, fleet_threads };
                self.handed_out += 1;
                let (process, number) = (std::process::id(), self.handed_out);
                let id = format!("{}.{}.{first}.{count}.{process}.{number}", spec.run, spec.id());
                messages.push((job_subject(&job.order, first, count), id, job.to_bytes()));
            }
        }
        let n_jobs = messages.len() as u64;
        self.broker.publish("handing out jobs", messages).await?;
        if let Some(progress) = self.shared.lock().orders.get_mut(&generation) {
            progress.report.jobs += n_jobs;
        }
        Ok(())
    }

    /// Handles a result, or the end of the stream.
    async fn message(&mut self, message: Received) {
        if let Some(Ok(message)) = message {
            self.take(&message).await;
        } else {
            self.results = None;
            self.check_soon(Duration::from_secs(1));
        }
    }
}
