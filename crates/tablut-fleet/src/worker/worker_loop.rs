//! The worker's main loop. It prefetches jobs, renews their leases, and sends their games.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use tablut_games::{CancelToken, Concurrency, Counters, TaskSource};
use tablut_net::{Engine, Inference, PooledNet, Weights};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::held_jobs::{HeldJobs, Lease};
use super::nets::SlottedNets;
use crate::broker::{Broker, HEARTBEATS, JobConsumer, SILENCE};
use crate::connection::{Connection, Failures, Log};
use crate::error::{BrokerResult, FleetError};
use crate::job_size::FetchPlan;
use crate::order::Order;
use crate::probe::probe;
use crate::result_message::{ResultHeader, ResultMessage};
use crate::wire::{Heartbeat, Job, WorkSpec, result_subject};

/// The time between two heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The time that a request for jobs waits at the broker.
const JOB_WAIT: Duration = Duration::from_secs(5);
/// The bytes of a message that are reserved for headers and subject.
const ENVELOPE_BYTES: usize = 4096;
/// The maximum size of a result message, even if the broker accepts larger ones.
const MAX_RESULT_BYTES: usize = 1 << 20;
/// The time limit for a stopping worker to return its jobs.
const LEAVE_TIME: Duration = Duration::from_secs(3);

#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name, which is unique in the fleet.
    pub name: String,
    /// Threads, and games that each plays at the same time.
    pub concurrency: Concurrency,
}

/// The data that the loop shares with the playing threads and the caller.
pub(super) struct WorkerContext<'a> {
    pub options: &'a WorkerOptions,
    pub counters: &'a Counters,
    pub cancel: &'a CancelToken,
    pub log: &'a Log,
    pub jobs: &'a HeldJobs,
    pub nets: &'a SlottedNets,
}

struct WorkerLoop<'a> {
    context: WorkerContext<'a>,
    broker: Broker,
    /// Results of the probe on this machine, by an id of the order.
    probes: tokio::sync::Mutex<HashMap<String, String>>,
    /// The reason why the worker does not play.
    refused: Mutex<Option<String>>,
    /// The time in microseconds after which a lease expires.
    lease_micros: AtomicU64,
    /// Net calls and time inside the net that earlier results have reported.
    reported: Mutex<(u64, u64)>,
    start: Instant,
}

/// Runs until the worker is stopped or refused. `finished` receives the jobs whose games are all finished.
pub(super) async fn run(
    context: WorkerContext<'_>,
    connection: &Connection,
    mut finished: UnboundedReceiver<Arc<Lease>>,
) -> Result<(), FleetError> {
    let reconnected = Arc::new(Notify::new());
    let client = connection.open(&context.options.name, context.log, &reconnected, context.cancel).await?;
    let this = WorkerLoop {
        context,
        broker: Broker::new(client),
        probes: tokio::sync::Mutex::default(),
        refused: Mutex::default(),
        lease_micros: AtomicU64::new(SILENCE.as_micros() as u64),
        reported: Mutex::default(),
        start: Instant::now(),
    };
    let stopped = async {
        while !this.context.cancel.is_cancelled() && this.context.jobs.is_open() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let sending = async {
        let mut in_progress = futures_util::stream::FuturesUnordered::new();
        loop {
            tokio::select! {
                lease = finished.recv() => match lease {
                    Some(lease) => in_progress.push(this.send(lease)),
                    None => std::future::pending().await,
                },
                Some(()) = in_progress.next() => {}
            }
        }
    };
    let ended = tokio::select! {
        () = stopped => Ok(()),
        result = this.fetch() => result,
        () = sending => Ok(()),
        () = this.renew_leases() => Ok(()),
        () = this.send_heartbeats() => Ok(()),
    };
    this.leave().await;
    ended
}

impl WorkerLoop<'_> {
    fn log(&self, message: &str) {
        (self.context.log)(message);
    }

    /// Fetches jobs when the threads have fewer games than they can play.
    async fn fetch(&self) -> Result<(), FleetError> {
        let mut failures = Failures::default();
        loop {
            match self.try_fetch(&mut failures).await {
                Err(error) if error.is_passing() => {
                    failures.wait(&error, self.context.log, self.context.cancel).await?;
                }
                Err(error) => return Err(error),
                Ok(()) => {}
            }
        }
    }

    async fn try_fetch(&self, failures: &mut Failures) -> Result<(), FleetError> {
        self.broker.ensure(None).await?;
        let consumer = self.broker.job_consumer().await?;
        self.lease_micros.store(consumer.cached_info().config.ack_wait.as_micros() as u64, Ordering::Relaxed);
        let Concurrency { workers, tasks_per_worker } = self.context.options.concurrency;
        let mut plan = FetchPlan::new(workers * tasks_per_worker);
        loop {
            let n_jobs = plan.n_jobs(self.context.jobs.holding());
            if n_jobs == 0 {
                self.context.jobs.game_ended.notified().await;
                continue;
            }
            for message in fetch_jobs(&consumer, n_jobs).await? {
                self.accept(message, &mut plan).await?;
            }
            failures.end(self.context.log, "the broker works again");
        }
    }

    /// Accepts a job after fetching its nets and checking with the probe that this machine computes the trainer's bits.
    async fn accept(&self, message: jetstream::Message, plan: &mut FetchPlan) -> Result<(), FleetError> {
        let prepared = match Job::from_bytes(&message.payload) {
            Ok(job) => self.prepare(&job, &message).await.map(|(order, slots)| (job, order, slots)),
            Err(error) => Err(error),
        };
        let (job, order, slots) = match prepared {
            Ok(prepared) => prepared,
            Err(error @ FleetError::Message(..)) => {
                // No worker can play it. The trainer hands out its games again if it needs them.
                self.log(&format!("skipped a job: {error}"));
                let _ = message.ack_with(AckKind::Term).await;
                return Ok(());
            }
            Err(error) => {
                // Another worker may be able to play it.
                let _ = message.ack_with(AckKind::Nak(Some(Duration::from_secs(1)))).await;
                return Err(error);
            }
        };
        let delivered = message.info().map_or(1, |info| info.delivered.max(1) as u64);
        plan.learn(&job, self.context.options.concurrency.workers);
        self.context.jobs.push(Lease { job, order, slots, message, delivered, games: Mutex::default() });
        Ok(())
    }

    async fn prepare(&self, job: &Job, message: &jetstream::Message) -> Result<(Order, Vec<usize>), FleetError> {
        self.check_machine(job).await.inspect_err(|error| {
            if matches!(error, FleetError::Machine(_)) {
                *self.lock_refused() = Some(error.to_string());
            }
        })?;
        let mut nets: Vec<Arc<PooledNet>> = Vec::new();
        for net in &job.order.nets {
            nets.push(self.context.nets.fetch(&self.broker, &net.hash, net.architecture).await?);
        }
        let weights = nets.iter().map(|net| Arc::clone(&net.weights)).collect();
        let order = Order::open(job.order.clone(), weights, &job.openings, job.first / 2)?;
        loop {
            if let Some(slots) = self.context.nets.take_slots(&nets) {
                return Ok((order, slots));
            }
            // All slots are in use for older nets. One of their jobs ends soon.
            let _ = message.ack_with(AckKind::Progress).await;
            let _ = timeout(Duration::from_millis(200), self.context.jobs.game_ended.notified()).await;
        }
    }

    /// Checks that this machine computes the bits of the job's trainer.
    async fn check_machine(&self, job: &Job) -> Result<(), FleetError> {
        let (found, expected) = (self.probe(job).await?, &job.probe);
        if found == *expected {
            return Ok(());
        }
        Err(FleetError::Machine(format!(
            "this machine computes different bits than the trainer's (probe {found}, expected {expected}), so its games would \
             differ: use the same build of tablut"
        )))
    }

    /// The probe's hash on this machine for the job's run. It is computed once for each run.
    async fn probe(&self, job: &Job) -> Result<String, FleetError> {
        let mut probes = self.probes.lock().await;
        let mut key = job.order.clone();
        // The probe does not depend on these.
        (key.generation, key.games) = (0, 0);
        key.nets.iter_mut().for_each(|net| net.hash.clear());
        if let WorkSpec::SelfPlay { sets, .. } = &mut key.work {
            sets.clear();
        }
        let key = key.id();
        if let Some(known) = probes.get(&key) {
            return Ok(known.clone());
        }
        let order = job.order.clone();
        for net in &order.nets {
            let untrained = Weights::initial(&net.architecture, 0);
            Engine::new(&untrained).map_err(|error| FleetError::message("net", error))?;
        }
        let make = |weights: &Weights| -> Box<dyn Inference> {
            Box::new(Engine::new(weights).expect("an engine of this architecture was created above"))
        };
        let played = tokio::task::spawn_blocking(move || probe(&order, make)).await;
        let hash = played.map_err(|_| FleetError::Ended)??;
        probes.insert(key, hash.clone());
        Ok(hash)
    }

    /// Renews the leases of all jobs while the players make progress.
    async fn renew_leases(&self) {
        let mut before = 0;
        loop {
            tokio::time::sleep(Duration::from_micros(self.lease_micros.load(Ordering::Relaxed) / 3)).await;
            let now = self.context.jobs.steps.load(Ordering::Relaxed);
            let hangs = now == before && self.context.jobs.holding() > 0;
            before = now;
            if hangs {
                continue;
            }
            for lease in self.context.jobs.leases() {
                // If this fails, the jobs go to other workers, which play the same games.
                let _ = lease.message.ack_with(AckKind::Progress).await;
            }
        }
    }

    async fn send_heartbeats(&self) {
        loop {
            let name = &self.context.options.name;
            let _ = timeout(HEARTBEAT, self.broker.put_key(HEARTBEATS, name, self.heartbeat())).await;
            tokio::time::sleep(HEARTBEAT).await;
        }
    }

    fn lock_refused(&self) -> MutexGuard<'_, Option<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heartbeat(&self) -> Vec<u8> {
        let WorkerContext { options, jobs, .. } = &self.context;
        let heartbeat = Heartbeat {
            name: options.name.clone(),
            threads: options.concurrency.workers,
            games: jobs.totals().0,
            games_per_second: jobs.games_per_second(self.start),
            holding: jobs.holding(),
            refused: self.lock_refused().clone(),
        };
        serde_json::to_vec(&heartbeat).expect("every field has a form in JSON")
    }

    /// Sends the games of a finished job until the broker has them, and removes the job from the queue.
    async fn send(&self, lease: Arc<Lease>) {
        self.context.nets.leave_slots(&lease.slots);
        let results = match self.results(&lease) {
            Ok(results) => results,
            Err(error) => return self.log(&error.to_string()),
        };
        let mut failures = Failures::default();
        while let Err(error) = self.try_send(&lease, &results).await {
            if failures.wait(&error, self.context.log, self.context.cancel).await.is_err() {
                return;
            }
        }
        failures.end(self.context.log, "the games were sent to the broker");
        // If the acknowledgement is lost, the job is played again and its games are counted as duplicates.
        let _ = lease.message.ack().await;
        self.context.jobs.remove(&lease);
    }

    /// The games of a job as messages that the broker accepts. A game that is too large gets its own message.
    fn results(&self, lease: &Lease) -> Result<Vec<Vec<u8>>, FleetError> {
        let WorkerContext { options, counters, .. } = &self.context;
        let now = (counters.batches.load(Ordering::Relaxed), counters.evaluator_micros.load(Ordering::Relaxed));
        let before = std::mem::replace(&mut *self.reported.lock().unwrap_or_else(PoisonError::into_inner), now);
        let header = ResultHeader {
            probe: lease.job.probe.clone(),
            worker: options.name.clone(),
            threads: options.concurrency.workers,
            delivered: lease.delivered,
            batches: now.0 - before.0,
            evaluator_micros: now.1 - before.1,
            ..ResultHeader::of(&lease.job.order)
        };
        ResultMessage::pack(&header, &lease.take_games(), self.max_bytes())
    }

    /// The maximum size of a message's content.
    fn max_bytes(&self) -> usize {
        self.broker.client.max_payload().min(MAX_RESULT_BYTES).saturating_sub(ENVELOPE_BYTES)
    }

    async fn try_send(&self, lease: &Lease, results: &[Vec<u8>]) -> Result<(), FleetError> {
        let order = &lease.job.order;
        let subject = result_subject(order);
        let job = lease.message.info().map_or(0, |info| info.stream_sequence);
        let mut messages = Vec::new();
        for bytes in results {
            // The id contains the job's number. If a job is handed out again, its games must be sent again, because the
            // first ones may be lost.
            let id = format!("{}-{job}", &blake3::hash(bytes).to_hex()[..32]);
            let message = if bytes.len() > self.max_bytes() {
                let object = format!("result-{id}");
                self.broker.put_object(object.clone(), bytes).await?;
                ResultMessage::header(bytes)?.pointing_to(object)
            } else {
                bytes.clone()
            };
            messages.push((subject.clone(), format!("{}.{}.{id}", order.run, order.generation), message));
        }
        self.broker.publish("sending games", messages).await
    }

    /// Returns the jobs and removes the heartbeat. If the worker was refused, the heartbeat stays with the reason.
    async fn leave(&self) {
        let name = &self.context.options.name;
        let was_refused = self.lock_refused().is_some();
        let leave = async {
            for lease in self.context.jobs.leases() {
                let _ = lease.message.ack_with(AckKind::Nak(None)).await;
            }
            if was_refused {
                let _ = self.broker.put_key(HEARTBEATS, name, self.heartbeat()).await;
            } else {
                let _ = self.broker.delete_key(HEARTBEATS, name).await;
            }
            let _ = self.broker.client.flush().await;
        };
        // Without an answer the leases expire by themselves.
        let _ = timeout(LEAVE_TIME, leave).await;
    }
}

/// Fetches up to `n_jobs` jobs: those that are available, or else the first one that arrives within some seconds.
async fn fetch_jobs(consumer: &JobConsumer, n_jobs: usize) -> Result<Vec<jetstream::Message>, FleetError> {
    let wrong = |error: &dyn std::fmt::Display| FleetError::broker("asking for jobs", error);
    let mut messages = Vec::new();
    let mut available = consumer.fetch().max_messages(n_jobs).messages().await.during("asking for jobs")?;
    while let Some(message) = timeout(2 * JOB_WAIT, available.next()).await.map_err(|_| wrong(&"no answer"))? {
        messages.push(message.map_err(|error| wrong(&error))?);
    }
    if messages.is_empty() {
        let first = consumer.batch().max_messages(1).expires(JOB_WAIT).messages().await;
        let mut first = first.during("asking for jobs")?;
        while let Some(message) = timeout(2 * JOB_WAIT, first.next()).await.map_err(|_| wrong(&"no answer"))? {
            messages.push(message.map_err(|error| wrong(&error))?);
        }
    }
    Ok(messages)
}
