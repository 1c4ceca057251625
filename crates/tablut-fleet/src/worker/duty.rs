//! What a worker's first thread does at the broker: fetches jobs ahead, keeps them, and sends their games.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, AckKind};
use futures_util::StreamExt;
use tablut_games::{CancelToken, Counters};
use tablut_net::{Inference, Weights};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Mutex, Notify};
use tokio::time::timeout;

use super::jobs::{InHand, Jobs};
use super::nets::{Fetched, Probes, SharedNets};
use super::options::WorkerOptions;
use super::want::Want;
use crate::broker::{Broker, pull_consumer};
use crate::connection::{Connection, pause, pause_unless};
use crate::error::FleetError;
use crate::notes::Notes;
use crate::order::Order;
use crate::parcel::{Parcel, ParcelHeader};
use crate::probe::probe;
use crate::wire::{Heartbeat, Job, WorkSpec, result_subject};

const BEAT: Duration = Duration::from_secs(2);
/// How long the broker holds a question for jobs while it has none.
const QUESTION: Duration = Duration::from_secs(5);
/// Room that a message's headers and subject take.
const ENVELOPE_BYTES: usize = 4096;
/// A parcel is not larger, even where the broker takes more.
const MAX_PARCEL_BYTES: usize = 1 << 20;
/// How long a worker that stops may take to give back its jobs.
const FAREWELL: Duration = Duration::from_secs(3);

/// Everything that the worker's tasks share.
struct Duty {
    broker: Broker,
    options: WorkerOptions,
    notes: Notes,
    jobs: Arc<Jobs>,
    nets: Arc<SharedNets>,
    probes: Mutex<Probes>,
    refused: std::sync::Mutex<Option<String>>,
    /// How long a job may be silent.
    lease_micros: AtomicU64,
    /// Net calls and time inside the net that no parcel has told of.
    told: std::sync::Mutex<(u64, u64)>,
    start: Instant,
}

/// What a worker is told when it begins.
pub(super) struct Post<'a> {
    pub connection: &'a Connection,
    pub options: &'a WorkerOptions,
    pub counters: &'a Counters,
    pub cancel: &'a CancelToken,
    pub notes: &'a Notes,
}

/// Talks to the broker until the worker is stopped or refused.
pub(super) async fn duty(
    post: &Post<'_>,
    jobs: &Arc<Jobs>,
    nets: &Arc<SharedNets>,
    mut done: UnboundedReceiver<Arc<InHand>>,
) -> Result<(), FleetError> {
    let Post { connection, options, counters, cancel, notes } = *post;
    let back = Arc::new(Notify::new());
    let client = connection.open(&options.name, notes, &back, cancel).await?;
    let duty = Duty {
        broker: Broker::new(client),
        options: options.clone(),
        notes: Arc::clone(notes),
        jobs: Arc::clone(jobs),
        nets: Arc::clone(nets),
        probes: Mutex::default(),
        refused: std::sync::Mutex::default(),
        lease_micros: AtomicU64::new(crate::broker::SILENCE.as_micros() as u64),
        told: std::sync::Mutex::default(),
        start: Instant::now(),
    };
    let stopped = async {
        while !cancel.is_cancelled() && !jobs.is_closed() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let sending = async {
        let mut under_way = futures_util::stream::FuturesUnordered::new();
        loop {
            tokio::select! {
                in_hand = done.recv() => match in_hand {
                    Some(in_hand) => under_way.push(duty.send(in_hand, counters, cancel)),
                    None => std::future::pending().await,
                },
                Some(()) = under_way.next() => {}
            }
        }
    };
    let ended = tokio::select! {
        () = stopped => Ok(()),
        result = duty.fetch(cancel) => result,
        () = sending => Ok(()),
        () = duty.keep(counters) => Ok(()),
        () = duty.beat() => Ok(()),
    };
    duty.farewell().await;
    ended
}

impl Duty {
    /// Fetches jobs whenever fewer games are in hand than the players can use.
    async fn fetch(&self, cancel: &CancelToken) -> Result<(), FleetError> {
        let mut failures = 0;
        loop {
            match self.fetch_on(&mut failures).await {
                Err(error) if error.is_passing() => {
                    if failures == 0 {
                        (self.notes)(&format!("{error}; trying again until it works"));
                    }
                    failures += 1;
                    pause_unless(pause(failures), cancel).await?;
                }
                Err(error) => return Err(error),
                Ok(()) => {}
            }
        }
    }

    async fn fetch_on(&self, failures: &mut usize) -> Result<(), FleetError> {
        self.broker.ensure(None).await?;
        let consumer = self.broker.job_consumer().await?;
        self.lease_micros.store(consumer.cached_info().config.ack_wait.as_micros() as u64, Ordering::Relaxed);
        let mut want = Want { capacity: self.capacity(), ..Want::default() };
        loop {
            let n_jobs = want.jobs(self.jobs.holding());
            if n_jobs == 0 {
                self.jobs.wanted.notified().await;
                continue;
            }
            for message in ask(&consumer, n_jobs).await? {
                self.accept(message, &mut want).await?;
            }
            if *failures > 0 {
                (self.notes)("the broker works again");
                *failures = 0;
            }
        }
    }

    fn capacity(&self) -> usize {
        self.options.concurrency.workers * self.options.concurrency.tasks_per_worker
    }

    /// Takes a job in hand, once its net is here and this machine has proved that it computes the trainer's bits.
    async fn accept(&self, message: jetstream::Message, want: &mut Want) -> Result<(), FleetError> {
        let prepared = match Job::from_bytes(&message.payload) {
            Ok(job) => self.prepare(&job, &message).await.map(|(order, slots)| (job, order, slots)),
            Err(error) => Err(error),
        };
        let (job, order, slots) = match prepared {
            Ok(prepared) => prepared,
            Err(error @ FleetError::Message { .. }) => {
                // Nobody can play it; the trainer hands out its games again, if it wants them.
                (self.notes)(&format!("passed over a job: {error}"));
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
        want.learn(&job, self.options.concurrency.workers);
        self.jobs.push(Arc::new(InHand::new(job, order, slots, message, delivered)));
        Ok(())
    }

    async fn prepare(&self, job: &Job, message: &jetstream::Message) -> Result<(Order, Vec<usize>), FleetError> {
        let found = self.probe(job).await.inspect_err(|error| {
            if matches!(error, FleetError::Precision(_)) {
                *self.lock_refused() = Some(error.to_string());
            }
        })?;
        if found != job.probe {
            let error = FleetError::Bits { found, expected: job.probe.clone() };
            *self.lock_refused() = Some(error.to_string());
            return Err(error);
        }
        let mut nets: Vec<Fetched> = Vec::new();
        for net in &job.order.nets {
            let wanted = (net.hash.as_str(), job.order.precision());
            nets.push(self.nets.fetch(&self.broker, wanted, &net.architecture).await?);
        }
        let weights = nets.iter().map(|net| Arc::clone(&net.weights)).collect();
        let order = Order::open(&job.order, weights, &job.openings, job.first / 2)?;
        loop {
            if let Some(slots) = self.nets.take_slots(&nets) {
                return Ok((order, slots));
            }
            // All slots play older nets; one of them ends soon.
            let _ = message.ack_with(AckKind::Progress).await;
            let _ = timeout(Duration::from_millis(200), self.jobs.wanted.notified()).await;
        }
    }

    /// What the probe gives here for the job's run; played once for each.
    async fn probe(&self, job: &Job) -> Result<String, FleetError> {
        let mut probes = self.probes.lock().await;
        let mut asked = job.order.clone();
        // What the probe does not depend on.
        (asked.generation, asked.games) = (0, 0);
        asked.nets.iter_mut().for_each(|net| net.hash.clear());
        if let WorkSpec::SelfPlay { sets, .. } = &mut asked.work {
            sets.clear();
        }
        let key = asked.id();
        if let Some(known) = probes.get(&key) {
            return Ok(known.clone());
        }
        let order = job.order.clone();
        let (precision, make_engine) = (order.precision(), self.nets.make_engine);
        precision.chosen().map_err(FleetError::Precision)?;
        let make = move |weights: &Weights| -> Box<dyn Inference> {
            Box::new(make_engine(weights, precision).expect("checked before"))
        };
        for net in &order.nets {
            let untrained = Weights::initial(&net.architecture, 0);
            make_engine(&untrained, precision).map_err(|error| FleetError::message("net", error))?;
        }
        let played = tokio::task::spawn_blocking(move || probe(&order, make)).await;
        let here = played.map_err(|_| FleetError::Ended)??;
        probes.insert(key, here.clone());
        Ok(here)
    }

    /// Tells the broker that the jobs in hand are being played, as long as the players get on.
    async fn keep(&self, counters: &Counters) {
        let mut before = 0;
        loop {
            tokio::time::sleep(Duration::from_micros(self.lease_micros.load(Ordering::Relaxed) / 3)).await;
            let now = counters.evaluations.load(Ordering::Relaxed) + counters.finished.load(Ordering::Relaxed);
            let hung = now == before && self.jobs.holding() > 0;
            before = now;
            if hung {
                continue;
            }
            for in_hand in self.jobs.in_hand() {
                // Without a broker the jobs are given to others, and what they play is the same.
                let _ = in_hand.message.ack_with(AckKind::Progress).await;
            }
        }
    }

    /// Says every few seconds that this worker lives.
    async fn beat(&self) {
        loop {
            let _ = timeout(BEAT, self.broker.beat(&self.options.name, self.heartbeat())).await;
            tokio::time::sleep(BEAT).await;
        }
    }

    fn lock_refused(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.refused.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn heartbeat(&self) -> Vec<u8> {
        let heartbeat = Heartbeat {
            name: self.options.name.clone(),
            threads: self.options.concurrency.workers,
            games: self.jobs.totals().0,
            games_per_second: self.jobs.games_per_second(self.start),
            holding: self.jobs.holding(),
            refused: self.lock_refused().clone(),
        };
        serde_json::to_vec(&heartbeat).expect("every field has a form in JSON")
    }

    /// Sends the games of a job, as often as it takes, and takes the job off the queue.
    async fn send(&self, in_hand: Arc<InHand>, counters: &Counters, cancel: &CancelToken) {
        self.nets.leave_slots(&in_hand.slots);
        let parcels = match self.parcels(&in_hand, counters) {
            Ok(parcels) => parcels,
            Err(error) => return (self.notes)(&error.to_string()),
        };
        let mut failures = 0;
        while let Err(error) = self.send_once(&in_hand, &parcels).await {
            if failures == 0 {
                (self.notes)(&format!("{error}; trying again until it works"));
            }
            failures += 1;
            if pause_unless(pause(failures), cancel).await.is_err() {
                return;
            }
        }
        if failures > 0 {
            (self.notes)("the games are at the broker now");
        }
        // A job whose acknowledgement is lost is played again, and its games are known already.
        let _ = in_hand.message.ack().await;
        self.jobs.sent(&in_hand);
    }

    /// The games of a job in parcels that the broker takes, or larger where one game is.
    fn parcels(&self, in_hand: &InHand, counters: &Counters) -> Result<Vec<Vec<u8>>, FleetError> {
        let order = &in_hand.job.order;
        let (batches, evaluator_micros) = self.untold(counters);
        let header = ParcelHeader {
            probe: in_hand.job.probe.clone(),
            worker: self.options.name.clone(),
            threads: self.options.concurrency.workers,
            delivered: in_hand.delivered,
            batches,
            evaluator_micros,
            ..ParcelHeader::of(order)
        };
        Parcel::pack(&header, &in_hand.games(), self.room())
    }

    /// Bytes that a message may have.
    fn room(&self) -> usize {
        self.broker.client.max_payload().min(MAX_PARCEL_BYTES).saturating_sub(ENVELOPE_BYTES)
    }

    async fn send_once(&self, in_hand: &InHand, parcels: &[Vec<u8>]) -> Result<(), FleetError> {
        let order = &in_hand.job.order;
        let subject = result_subject(order);
        let job = in_hand.message.info().map_or(0, |info| info.stream_sequence);
        let mut messages = Vec::new();
        for bytes in parcels {
            // Equal parcels of one job are one. A job that is handed out anew brings its games anew: the first ones may be lost.
            let id = format!("{}-{job}", &blake3::hash(bytes).to_hex()[..32]);
            let message = if bytes.len() > self.room() {
                let object = format!("parcel-{id}");
                self.broker.put_object(object.clone(), bytes).await?;
                Parcel::header(bytes)?.pointing_to(object)
            } else {
                bytes.clone()
            };
            messages.push((subject.clone(), format!("{}.{}.{id}", order.run, order.generation), message));
        }
        self.broker.publish("sending games", messages).await
    }

    /// Net calls and microseconds inside the net since this was last asked.
    fn untold(&self, counters: &Counters) -> (u64, u64) {
        let now = (counters.batches.load(Ordering::Relaxed), counters.evaluator_micros.load(Ordering::Relaxed));
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = std::mem::replace(&mut *told, now);
        (now.0 - before.0, now.1 - before.1)
    }

    /// Gives back what is in hand and says goodbye; a worker that was refused leaves its reason behind.
    async fn farewell(&self) {
        let was_refused = self.lock_refused().is_some();
        let part = async {
            for in_hand in self.jobs.in_hand() {
                let _ = in_hand.message.ack_with(AckKind::Nak(None)).await;
            }
            if was_refused {
                let _ = self.broker.beat(&self.options.name, self.heartbeat()).await;
            } else {
                let _ = self.broker.leave(&self.options.name).await;
            }
            let _ = self.broker.client.flush().await;
        };
        // A broker that is not there gives the jobs to others by itself.
        let _ = timeout(FAREWELL, part).await;
    }
}

/// Asks for up to `n_jobs` jobs, and waits for the first some seconds.
async fn ask(consumer: &pull_consumer::Consumer, n_jobs: usize) -> Result<Vec<jetstream::Message>, FleetError> {
    let wrong = |error: &dyn std::fmt::Display| FleetError::broker("asking for jobs", error);
    // What is there at once, or else the first that comes.
    let mut fetched = consumer.fetch().max_messages(n_jobs).messages().await.map_err(|error| wrong(&error))?;
    let mut messages = Vec::new();
    while let Some(message) = timeout(2 * QUESTION, fetched.next()).await.map_err(|_| wrong(&"no answer"))? {
        messages.push(message.map_err(|error| wrong(&error))?);
    }
    if messages.is_empty() {
        let waiting = consumer.batch().max_messages(1).expires(QUESTION).messages().await;
        let mut waiting = waiting.map_err(|error| wrong(&error))?;
        while let Some(message) = timeout(2 * QUESTION, waiting.next()).await.map_err(|_| wrong(&"no answer"))? {
            messages.push(message.map_err(|error| wrong(&error))?);
        }
    }
    Ok(messages)
}
