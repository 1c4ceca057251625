//! The data at the broker: the queue of jobs, the stream of results, nets by hash, heartbeats, and claims on runs.

mod objects;

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy, pull};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context, kv};
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::error::{BrokerResult, FleetError};

/// The stream of jobs. It is a queue. A job is removed when its games are at the broker.
pub const JOBS: &str = "TABLUT_JOBS";
/// The stream of games for the trainer.
pub const RESULTS: &str = "TABLUT_RESULTS";
/// The consumer of jobs that all workers share.
const WORKERS: &str = "workers";
/// The key-value bucket of workers' heartbeats.
pub const HEARTBEATS: &str = "tablut-workers";
/// The key-value bucket with the holder of each run.
pub const RUNS: &str = "tablut-runs";
/// The key-value bucket with the number of the result that each run's trainer is reading, or 0.
const READING: &str = "tablut-reading";

/// Unused data expires after a week.
const FORGOTTEN: Duration = Duration::from_hours(7 * 24);
/// A message that is published again within this time is stored once.
const DUPLICATE_WINDOW: Duration = Duration::from_mins(2);
/// A worker or trainer that has been silent for this long is considered gone.
pub const SILENCE: Duration = Duration::from_secs(15);
/// The time limit for an answer of the broker.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for sending a note, which has no answer.
const NOTE_TIME: Duration = Duration::from_secs(1);
/// The maximum number of jobs that all workers hold together.
const MAX_JOBS_IN_HAND: i64 = 100_000;

/// A connection to the broker, with the requests of trainer and workers.
#[derive(Clone)]
pub struct Broker {
    pub client: Client,
    pub jetstream: Context,
}

impl Broker {
    pub fn new(client: Client) -> Self {
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(TIMEOUT);
        Self { client, jetstream }
    }

    /// Creates the streams and buckets that do not exist yet. A job whose worker is silent for `lease` goes to another
    /// worker.
    pub async fn ensure(&self, lease: Option<Duration>) -> Result<(), FleetError> {
        let stream = |name: &str, subject: &str, retention| stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            retention,
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            duplicate_window: DUPLICATE_WINDOW,
            max_age: FORGOTTEN,
            num_replicas: 1,
            ..stream::Config::default()
        };
        let jobs = self.stream(stream(JOBS, "tablut.job.>", RetentionPolicy::WorkQueue)).await?;
        self.stream(stream(RESULTS, "tablut.result.>", RetentionPolicy::Limits)).await?;
        let config = pull::Config {
            durable_name: Some(WORKERS.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease.unwrap_or(SILENCE),
            max_ack_pending: MAX_JOBS_IN_HAND,
            ..pull::Config::default()
        };
        // The trainer decides how long a worker may be silent. A worker that starts first uses the default.
        if lease.is_some() {
            jobs.create_consumer(config).await.during("the queue of jobs")?;
        } else {
            jobs.get_or_create_consumer(WORKERS, config).await.during("the queue of jobs")?;
        }
        self.nets().await?;
        self.bucket(HEARTBEATS).await?;
        self.bucket(RUNS).await?;
        self.bucket(READING).await?;
        Ok(())
    }

    async fn stream(&self, config: stream::Config) -> Result<Stream, FleetError> {
        self.jetstream.get_or_create_stream(config).await.during("the broker's streams (it must run with JetStream)")
    }

    async fn bucket(&self, name: &str) -> Result<kv::Store, FleetError> {
        if let Ok(store) = self.jetstream.get_key_value(name).await {
            return Ok(store);
        }
        // Only the bucket that trainers read after a restart must be stored on disk.
        let (storage, max_age) =
            if name == READING { (StorageType::File, FORGOTTEN) } else { (StorageType::Memory, SILENCE) };
        // The client's own function does not work with servers before 2.10, because it requests the account's limits in
        // a form that they do not support.
        let config = stream::Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            storage,
            max_age,
            duplicate_window: SILENCE,
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            num_replicas: 1,
            ..stream::Config::default()
        };
        self.jetstream.get_or_create_stream(config).await.during("the broker's buckets")?;
        self.jetstream.get_key_value(name).await.during("the broker's buckets")
    }

    pub async fn job_consumer(&self) -> Result<JobConsumer, FleetError> {
        self.jetstream.get_consumer_from_stream(WORKERS, JOBS).await.during("the queue of jobs")
    }

    /// Repairs the queue of a broker that was killed, so that workers receive all jobs:
    ///
    /// - Jobs that are done and still in the queue are removed.
    /// - If the consumer is ahead of the queue, because the queue has lost jobs, the consumer is deleted.
    /// - The consumer is also deleted if it has delivered every job in the queue and has no pending acknowledgements.
    ///   It has lost them.
    ///
    /// [`Broker::ensure`] creates a new consumer, which delivers all jobs in the queue.
    pub async fn repair_queue(&self) -> Result<(), FleetError> {
        // The consumer is read first, because both numbers grow.
        let consumer = self.job_consumer().await?;
        let stream = self.jetstream.get_stream(JOBS).await.during("the queue of jobs")?;
        let (info, state) = (consumer.cached_info(), &stream.cached_info().state);
        let done = info.ack_floor.stream_sequence;
        if state.messages > 0 && state.first_sequence <= done {
            stream.purge().sequence(done + 1).await.during("the queue of jobs")?;
        }
        let delivered = info.delivered.stream_sequence;
        let forgotten = state.messages > 0 && delivered == state.last_sequence && info.num_ack_pending == 0;
        if delivered > state.last_sequence || forgotten {
            stream.delete_consumer(WORKERS).await.during("the queue of jobs")?;
        }
        Ok(())
    }

    /// The subjects of a stream that match `filter`, with their numbers of messages.
    pub async fn subjects(&self, stream: &str, filter: String) -> Result<BTreeMap<String, usize>, FleetError> {
        let stream = self.jetstream.get_stream_no_info(stream).await.during("the list of jobs")?;
        let mut info = stream.info_with_subjects(filter).await.during("the list of jobs")?;
        let mut subjects = BTreeMap::new();
        while let Some(subject) = info.next().await {
            let (subject, count) = subject.during("the list of jobs")?;
            subjects.insert(subject, count);
        }
        Ok(subjects)
    }

    /// The results of a run after message number `last`: the number of waiting ones, and a stream of these and later
    /// ones.
    pub async fn results(&self, run: &str, last: &mut u64) -> Result<(u64, pull::Stream), FleetError> {
        let stream = self.jetstream.get_stream(RESULTS).await.during("the stream of games")?;
        if stream.cached_info().state.last_sequence < *last {
            // The broker has lost its messages and numbers new ones from 1.
            *last = 0;
        }
        let config = pull::Config {
            ack_policy: AckPolicy::None,
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: *last + 1 },
            filter_subject: format!("tablut.result.{run}.>"),
            inactive_threshold: Duration::from_mins(1),
            ..pull::Config::default()
        };
        let consumer = stream.create_consumer(config).await.during("the stream of games")?;
        let waiting = consumer.cached_info().num_pending;
        let messages = consumer
            .stream()
            .max_messages_per_batch(64)
            .expires(Duration::from_secs(20))
            .heartbeat(Duration::from_secs(5))
            .messages()
            .await
            .during("the stream of games")?;
        Ok((waiting, messages))
    }

    /// Publishes messages, each with subject, id and bytes, and waits until the broker has stored all of them.
    pub async fn publish(
        &self,
        what: &'static str,
        messages: impl IntoIterator<Item = (String, String, Vec<u8>)>,
    ) -> Result<(), FleetError> {
        let mut acks = Vec::new();
        for (subject, id, bytes) in messages {
            let message = PublishMessage::build().payload(bytes.into()).message_id(id);
            acks.push(self.jetstream.send_publish(subject, message).await.during(what)?);
        }
        for ack in acks {
            ack.await.during(what)?;
        }
        Ok(())
    }

    /// Removes the messages of a stream whose subjects match `filter`.
    pub async fn purge(&self, stream: &str, filter: String) -> Result<(), FleetError> {
        let stream = self.jetstream.get_stream_no_info(stream).await.during("removing finished jobs")?;
        stream.purge().filter(filter).await.map(drop).during("removing finished jobs")
    }

    /// The heartbeats of all workers that are not gone.
    pub async fn heartbeats(&self) -> Result<Vec<Vec<u8>>, FleetError> {
        let store = self.bucket(HEARTBEATS).await?;
        let prefix = format!("$KV.{HEARTBEATS}.");
        let mut found = Vec::new();
        for subject in self.subjects(&format!("KV_{HEARTBEATS}"), format!("{prefix}>")).await?.into_keys() {
            let Some(key) = subject.strip_prefix(&prefix) else { continue };
            found.extend(store.get(key).await.during("the workers' heartbeats")?.map(|bytes| bytes.to_vec()));
        }
        Ok(found)
    }

    /// Claims `run` for `holder`. If another holder has claimed it, returns that holder.
    pub async fn claim_run(&self, run: &str, holder: &str) -> Result<Option<String>, FleetError> {
        let store = self.bucket(RUNS).await?;
        match store.create(run, holder.as_bytes().to_vec().into()).await {
            Ok(_) => Ok(None),
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => {
                let held = store.get(run).await.during("the list of runs")?;
                let other = held.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                Ok(other.filter(|other| other != holder))
            }
            Err(error) => Err(error).during("the list of runs"),
        }
    }

    /// Records at the broker that the trainer of `run` reads result number `sequence`, or none if it is 0. Waits until
    /// the record is sent.
    pub async fn note_reading(&self, run: &str, sequence: u64) {
        let note = async {
            let _ = self.client.publish(format!("$KV.{READING}.{run}"), sequence.to_string().into()).await;
            let _ = self.client.flush().await;
        };
        // Without this record, a result that crashes the trainer would crash the next trainer too.
        let _ = timeout(NOTE_TIME, note).await;
    }

    /// Removes the result that the last trainer of `run` was reading when it ended. Returns whether there was one.
    pub async fn remove_unread(&self, run: &str) -> Result<bool, FleetError> {
        let noted = self.bucket(READING).await?.get(run).await.during("the stream of games")?;
        let noted = noted.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok());
        let Some(sequence) = noted.filter(|&sequence: &u64| sequence > 0) else { return Ok(false) };
        let stream = self.jetstream.get_stream_no_info(RESULTS).await.during("the stream of games")?;
        // It is an error if the result is no longer there.
        Ok(stream.delete_message(sequence).await.is_ok())
    }

    pub async fn put_key(&self, bucket: &str, key: &str, value: Vec<u8>) -> Result<(), FleetError> {
        self.bucket(bucket).await?.put(key, value.into()).await.map(drop).during("the broker's buckets")
    }

    pub async fn delete_key(&self, bucket: &str, key: &str) -> Result<(), FleetError> {
        self.bucket(bucket).await?.delete(key).await.during("the broker's buckets")
    }
}

/// A message of a stream, or its end.
pub type Received = Option<Result<async_nats::jetstream::Message, pull::MessagesError>>;

/// The next message. Never returns if there is no stream.
pub async fn next(results: &mut Option<pull::Stream>) -> Received {
    match results {
        Some(results) => results.next().await,
        None => std::future::pending().await,
    }
}

pub type JobConsumer = Consumer<pull::Config>;
