//! What the trainer's thread does at the broker: hands out jobs, takes in games, and sees to it that none is forgotten.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use futures_util::StreamExt;
use tablut_net::Weights;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::job_messages::job_messages;
use super::ledger::Ledger;
use super::shared::{Command, FleetStatus, Shared, TrainerOptions};
use crate::broker::{Broker, JOBS, RESULTS, Received, SILENCE, next};
use crate::connection::{Connection, pause};
use crate::error::FleetError;
use crate::job_size::Fleet;
use crate::notes::Notes;
use crate::parcel::{Parcel, ParcelHeader};
use crate::wire::{Heartbeat, read_job_subject, read_result_subject};

/// How often heartbeats are read and the run is held.
const TICK: Duration = Duration::from_secs(2);
/// How long a message that the broker has announced may take.
const ANNOUNCED: Duration = Duration::from_secs(30);
/// Parcels of one worker that are refused before it is not listened to any more.
const PATIENCE: usize = 8;

/// Does the trainer's part until the run drops its end of `commands`.
pub(super) async fn duty(
    connection: Connection,
    options: TrainerOptions,
    notes: Notes,
    shared: &Arc<Shared>,
    mut commands: UnboundedReceiver<Command>,
) -> Result<(), FleetError> {
    let back = Arc::new(Notify::new());
    let client = connection.open("tablut train", &notes, &back, &shared.cancel).await?;
    let broker = Broker::new(client);
    let mut duty = Duty {
        broker,
        options,
        notes,
        shared: Arc::clone(shared),
        last: 0,
        results: None,
        lag: 0,
        look_at: Some(Instant::now()),
        looked: Instant::now(),
        failures: 0,
        handed_out: 0,
        nets: BTreeMap::new(),
        announced: HashSet::new(),
        offences: BTreeMap::new(),
    };
    duty.take_hold().await?;
    duty.tick().await;
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let look_at = duty.look_at.unwrap_or(duty.looked + duty.options.lease);
        tokio::select! {
            command = commands.recv() => match command {
                Some(command) => duty.command(command).await?,
                None => break,
            },
            () = back.notified() => duty.broker_is_back(),
            message = next(&mut duty.results) => duty.message(message).await,
            () = tokio::time::sleep_until(look_at) => duty.look().await?,
            _ = tick.tick() => duty.tick().await,
        }
    }
    // Another trainer may go on with the run at once.
    let leave = async {
        duty.broker.release(&duty.options.run).await?;
        duty.broker.client.flush().await.map_err(|error| FleetError::broker("the broker", error))
    };
    // A broker that is not there forgets us by itself.
    let _ = timeout(Duration::from_secs(2), leave).await;
    Ok(())
}

struct Duty {
    broker: Broker,
    options: TrainerOptions,
    notes: Notes,
    shared: Arc<Shared>,
    /// Sequence number of the last message of games that was read.
    last: u64,
    results: Option<pull::Stream>,
    /// Messages of games that waited when the last one was read.
    lag: u64,
    /// When to look next whether everything that is wanted is on its way.
    look_at: Option<Instant>,
    /// When that was looked at last.
    looked: Instant,
    /// How often in a row that has failed.
    failures: usize,
    /// Numbers jobs that are handed out, so that one handed out again is not taken for a copy.
    handed_out: u64,
    /// Nets that may be wanted, by hash.
    nets: BTreeMap<String, Arc<Weights>>,
    /// Workers that were spoken of.
    announced: HashSet<String>,
    /// Refused parcels by worker.
    offences: BTreeMap<String, usize>,
}

impl Duty {
    /// A broker that was away may have lost games that were read, and count the next ones as it counted those.
    fn broker_is_back(&mut self) {
        (self.results, self.last) = (None, 0);
        self.look_soon(Duration::ZERO);
    }

    fn look_soon(&mut self, after: Duration) {
        let then = Instant::now() + after;
        self.look_at = Some(self.look_at.map_or(then, |already| already.min(then)));
    }

    /// Takes the run for this trainer, or says who has it.
    async fn take_hold(&mut self) -> Result<(), FleetError> {
        loop {
            match self.try_hold().await {
                Err(error) if error.is_passing() => self.failed(&error).await?,
                result => return result,
            }
        }
    }

    async fn try_hold(&mut self) -> Result<(), FleetError> {
        self.broker.ensure(Some(self.options.lease)).await?;
        let TrainerOptions { run, holder, .. } = &self.options;
        match self.broker.take_hold(run, holder).await? {
            Some(other) => Err(FleetError::Held { run: run.clone(), holder: other }),
            None => Ok(()),
        }
    }

    /// Says once that something does not work, and waits before it is tried again.
    async fn failed(&mut self, error: &FleetError) -> Result<(), FleetError> {
        if self.failures == 0 {
            (self.notes)(&format!("{error}; trying again until it works"));
        }
        self.failures += 1;
        crate::connection::pause_unless(pause(self.failures), &self.shared.cancel).await
    }

    async fn command(&mut self, command: Command) -> Result<(), FleetError> {
        match command {
            Command::Opened | Command::Look => self.look_soon(Duration::ZERO),
            Command::Net(hash, weights) => {
                // It is put there again when its jobs are handed out, if this fails.
                let _ = self.broker.put_net(&hash, &weights).await;
                self.nets.insert(hash, weights);
            }
            Command::Kept(generation) => self.clear(generation).await,
        }
        Ok(())
    }

    /// Removes from the broker what belongs to a generation that is done. What cannot be removed is forgotten in a week.
    async fn clear(&mut self, generation: u64) {
        let run = &self.options.run;
        let _ = self.broker.purge(JOBS, format!("tablut.job.{run}.{generation}.>")).await;
        let _ = self.broker.purge(RESULTS, format!("tablut.result.{run}.{generation}.>")).await;
        let wanted: HashSet<String> = self.shared.lock().ledgers.values().flat_map(Ledger::net_hashes).collect();
        let latest = self.nets.len().saturating_sub(2);
        let done: Vec<String> = self.nets.keys().filter(|hash| !wanted.contains(*hash)).take(latest).cloned().collect();
        for hash in done {
            self.nets.remove(&hash);
            let _ = self.broker.remove_object(&hash).await;
        }
    }

    /// Sees to it that every game that is missing is on its way.
    async fn look(&mut self) -> Result<(), FleetError> {
        self.look_at = None;
        self.looked = Instant::now();
        match self.try_look().await {
            Ok(()) => {
                if self.failures > 0 {
                    (self.notes)("the broker works again");
                }
                self.failures = 0;
            }
            Err(error) if error.is_passing() => {
                self.results = None;
                self.failed(&error).await?;
                self.look_soon(Duration::ZERO);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn try_look(&mut self) -> Result<(), FleetError> {
        if self.shared.lock().ledgers.is_empty() {
            return Ok(());
        }
        self.broker.ensure(Some(self.options.lease)).await?;
        self.broker.mend_queue().await?;
        self.broker.ensure(Some(self.options.lease)).await?;
        // Jobs first, games second: a job that leaves the queue in between has its games there.
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

    /// The games that jobs in the queue or in workers' hands will bring, by generation. Jobs of other orders are removed.
    async fn outstanding(&mut self) -> Result<BTreeMap<u64, Vec<Range<usize>>>, FleetError> {
        let jobs = self.broker.subjects(JOBS, format!("tablut.job.{}.>", self.options.run)).await?;
        let mut outstanding: BTreeMap<u64, Vec<Range<usize>>> = BTreeMap::new();
        for subject in jobs.into_keys() {
            let read = read_job_subject(&subject);
            let current = read.filter(|(generation, id, ..)| {
                self.shared.lock().ledgers.get(generation).is_some_and(|ledger| ledger.id == *id)
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
        let ranges = state.ledgers.iter().map(|(generation, ledger)| {
            let coming = outstanding.get(generation).map(Vec::as_slice).unwrap_or_default();
            (*generation, ledger.uncovered(coming))
        });
        ranges.filter(|(_, ranges)| !ranges.is_empty()).collect()
    }

    /// Reads all games that are at the broker, and then those that come.
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
        Ok(())
    }

    /// Hands out the games of `ranges`.
    async fn hand_out(&mut self, generation: u64, ranges: &[Range<usize>]) -> Result<(), FleetError> {
        let (spec, probe, order, fleet) = {
            let state = self.shared.lock();
            let Some(ledger) = state.ledgers.get(&generation) else { return Ok(()) };
            let workers = state.status.workers.iter().filter(|worker| worker.refused.is_none());
            let fleet = Fleet {
                workers: workers.count(),
                threads: state.status.threads(),
                games_per_second: state.status.games_per_second(),
            };
            (ledger.spec.clone(), ledger.probe.clone(), ledger.order.clone(), fleet)
        };
        for (net, weights) in spec.nets.iter().zip(order.nets()) {
            self.broker.put_net(&net.hash, &weights).await?;
            self.nets.insert(net.hash.clone(), weights);
        }
        let messages = job_messages(&order, &spec, &probe, &fleet, ranges, &mut self.handed_out);
        let n_jobs = messages.len();
        self.broker.publish("handing out jobs", messages).await?;
        if let Some(ledger) = self.shared.lock().ledgers.get_mut(&generation) {
            ledger.count_jobs(n_jobs);
        }
        Ok(())
    }

    /// A message of games, or the end of the stream.
    async fn message(&mut self, message: Received) {
        if let Some(Ok(message)) = message {
            self.take(&message).await;
        } else {
            self.results = None;
            self.look_soon(Duration::from_secs(1));
        }
    }

    async fn take(&mut self, message: &async_nats::jetstream::Message) {
        if let Ok(info) = message.info() {
            self.last = self.last.max(info.stream_sequence);
            self.lag = info.pending;
        }
        let Some((generation, id)) = read_result_subject(&message.subject) else { return };
        let wanted = self.shared.lock().ledgers.get(&generation).is_some_and(|ledger| ledger.id == id);
        if !wanted {
            return;
        }
        let header = match Parcel::header(&message.payload) {
            Ok(header) => header,
            Err(error) => return self.refuse(generation, "a worker that does not say its name", &error.to_string()),
        };
        if self.shared.lock().distrusted.contains(&header.worker) {
            return;
        }
        let taken = match self.open(generation, &header, &message.payload).await {
            Ok((parcel, bytes)) => {
                let mut state = self.shared.lock();
                let Some(ledger) = state.ledgers.get_mut(&generation) else { return };
                ledger.count_lag(self.lag);
                ledger.take(parcel, bytes)
            }
            Err(reason) => Err(reason),
        };
        match taken {
            Ok(()) => self.shared.change.notify_all(),
            Err(reason) => self.refuse(generation, &header.worker, &reason),
        }
    }

    /// Unpacks a parcel, from the message or from the object that it names; gives also its size.
    async fn open(&self, generation: u64, header: &ParcelHeader, bytes: &[u8]) -> Result<(Parcel, usize), String> {
        let max_game_bytes = match self.shared.lock().ledgers.get(&generation) {
            Some(ledger) => ledger.admit(header)?,
            None => return Err("its generation is done".to_owned()),
        };
        let Some(object) = &header.object else {
            return Ok((Parcel::unpack(bytes, max_game_bytes).map_err(|error| error.to_string())?, bytes.len()));
        };
        let bytes = self.broker.object(object).await.map_err(|error| error.to_string())?;
        let parcel = Parcel::unpack(&bytes, max_game_bytes).map_err(|error| error.to_string())?;
        // What cannot be removed is forgotten in a week.
        let _ = self.broker.remove_object(object).await;
        if parcel.header.worker != header.worker {
            return Err("the object holds another worker's parcel".to_owned());
        }
        Ok((parcel, bytes.len()))
    }

    /// Games that do not count; they are wanted again.
    fn refuse(&mut self, generation: u64, worker: &str, reason: &str) {
        let offences = self.offences.entry(worker.to_owned()).or_default();
        *offences += 1;
        let offences = *offences;
        let mut state = self.shared.lock();
        if let Some(ledger) = state.ledgers.get_mut(&generation) {
            ledger.refuse();
        }
        if offences == PATIENCE {
            state.distrusted.insert(worker.to_owned());
        }
        drop(state);
        if offences == 1 {
            (self.notes)(&format!("refused what {worker} sent: {reason}"));
        } else if offences == PATIENCE {
            (self.notes)(&format!("worker {worker} is not listened to any more; take away its credentials"));
        }
        self.look_soon(Duration::from_secs(1));
    }

    /// Holds the run and reads the heartbeats.
    async fn tick(&mut self) {
        let TrainerOptions { run, holder, .. } = &self.options;
        // Both are tried again with the next tick.
        let _ = timeout(TICK, self.broker.hold(run, holder)).await;
        let Ok(Ok(heartbeats)) = timeout(SILENCE / 2, self.broker.heartbeats()).await else { return };
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Heartbeat>(&bytes).ok();
        let mut workers: Vec<Heartbeat> = heartbeats.into_iter().filter_map(read).collect();
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        for worker in &workers {
            if let Some(reason) = worker.refused.as_ref().filter(|_| self.announced.insert(worker.name.clone())) {
                (self.notes)(&format!("worker {} does not play: {reason}", worker.name));
            }
        }
        let mut state = self.shared.lock();
        let reports = state.ledgers.values().map(Ledger::report);
        let (redeliveries, refused) =
            reports.fold((0, 0), |sum, report| (sum.0 + report.redeliveries, sum.1 + report.refused));
        let games = state.ledgers.values().map(Ledger::n_games).sum();
        state.status = FleetStatus { workers, redeliveries, refused, games, lag: self.lag };
    }
}
