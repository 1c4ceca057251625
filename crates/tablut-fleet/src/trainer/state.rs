//! The state that the run's thread and the broker's thread share.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tablut_games::{CancelToken, Concurrency};
use tablut_net::Weights;

use super::progress::Progress;
use crate::error::FleetError;
use crate::wire::Heartbeat;

#[derive(Clone, Debug)]
pub struct TrainerOptions {
    /// The run's id. It depends only on the config and the rules, so that a restarted trainer finds its jobs and games
    /// at the broker.
    pub run: String,
    /// Machine and folder of the trainer, for messages. A second holder of the same run is refused.
    pub holder: String,
    /// The time after which the jobs of a silent worker go to another one (default 15 s).
    pub lease: Duration,
    /// Share of the games that the trainer plays again to verify the workers, 0 to 1 (default 0.005).
    pub check_share: f64,
    /// Threads and games per thread for these games.
    pub concurrency: Concurrency,
}

/// The state of the fleet as far as the trainer knows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetStatus {
    /// The workers that have sent a heartbeat within the last 15 seconds.
    pub workers: Vec<Heartbeat>,
    /// Games received for the generations in progress.
    pub games: usize,
    /// Jobs of these generations that were delivered again because a worker did not renew its lease.
    pub redeliveries: u64,
    /// Results of these generations that were refused.
    pub refused: u64,
    /// Result messages that waited at the broker when the last one was read.
    pub lag: u64,
}

impl FleetStatus {
    pub(super) fn playing(&self) -> impl Iterator<Item = &Heartbeat> {
        self.workers.iter().filter(|worker| worker.refused.is_none())
    }

    /// Games per second of all workers together.
    pub fn games_per_second(&self) -> f64 {
        self.workers.iter().map(|worker| worker.games_per_second).sum()
    }

    /// Threads of all workers that play.
    pub fn threads(&self) -> usize {
        self.playing().map(|worker| worker.threads).sum()
    }
}

impl std::fmt::Display for FleetStatus {
    /// One line: `3 workers (12 threads), 41.2 games/s`, and the counts of problems.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let playing = self.playing().count();
        let plural = if playing == 1 { "" } else { "s" };
        write!(f, "{playing} worker{plural} ({} threads), {:.1} games/s", self.threads(), self.games_per_second())?;
        let refused_workers = self.workers.len() - playing;
        for (count, what) in [
            (refused_workers as u64, "workers refused"),
            (self.redeliveries, "jobs handed out again"),
            (self.refused, "results refused"),
            (self.lag, "results waiting"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

#[derive(Default)]
pub(super) struct Shared {
    pub state: Mutex<State>,
    pub change: Condvar,
    pub cancel: CancelToken,
}

#[derive(Default)]
pub(super) struct State {
    /// The orders in progress, by generation or match number.
    pub orders: BTreeMap<u64, Progress>,
    pub status: FleetStatus,
    /// Workers whose games are refused.
    pub distrusted: HashSet<String>,
    /// The error that ended the broker's thread.
    pub failed: Option<FleetError>,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A message from the run's thread to the broker's thread.
pub(super) enum Command {
    /// Games are missing, because an order has begun or games were discarded: hand out jobs for them.
    HandOut,
    /// A new net, which workers will need.
    Net(String, Arc<Weights>),
    /// The games of a generation are on the trainer's disk.
    Stored(u64),
}
