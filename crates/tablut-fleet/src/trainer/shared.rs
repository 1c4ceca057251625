//! What the run's thread and the broker's thread share: options, status, books, commands.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tablut_games::{CancelToken, Concurrency};
use tablut_net::Weights;

use super::ledger::Ledger;
use crate::error::FleetError;
use crate::wire::Heartbeat;

/// How a trainer deals with its workers.
#[derive(Clone, Debug)]
pub struct TrainerOptions {
    /// The run's id: a function of its config and rules, so that what is at the broker is found again after a crash.
    pub run: String,
    /// Who trains, for people: machine and folder. Another holder of the same run is refused.
    pub holder: String,
    /// How long a worker may be silent before its jobs go to another one (default 15 s).
    pub lease: Duration,
    /// Share of the games that the trainer plays again to see whether workers are honest, 0 to 1 (default 0.005).
    pub check_share: f64,
    /// Threads for those games.
    pub concurrency: Concurrency,
}

/// What a trainer knows of its fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetStatus {
    /// The workers that live.
    pub workers: Vec<Heartbeat>,
    /// Games of the generation under way that have come.
    pub games: usize,
    /// Jobs given to another worker because the first one fell silent, in the generations under way.
    pub redeliveries: u64,
    /// Games refused in the generations under way.
    pub refused: u64,
    /// Parcels that waited at the broker when the last one was read; 0 when the trainer keeps up.
    pub lag: u64,
}

impl FleetStatus {
    /// Games a second of all workers together.
    pub fn games_per_second(&self) -> f64 {
        self.workers.iter().map(|worker| worker.games_per_second).sum()
    }

    /// Threads of all workers that play.
    pub fn threads(&self) -> usize {
        self.workers.iter().filter(|worker| worker.refused.is_none()).map(|worker| worker.threads).sum()
    }
}

impl std::fmt::Display for FleetStatus {
    /// One line: `3 workers (12 threads), 41.2 games/s`, and what has gone wrong.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let playing = self.workers.iter().filter(|worker| worker.refused.is_none()).count();
        let plural = if playing == 1 { "" } else { "s" };
        write!(f, "{playing} worker{plural} ({} threads), {:.1} games/s", self.threads(), self.games_per_second())?;
        let turned_away = self.workers.len() - playing;
        for (count, what) in [
            (turned_away as u64, "workers turned away"),
            (self.redeliveries, "jobs handed out again"),
            (self.refused, "games refused"),
            (self.lag, "parcels wait"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// What the run's thread and the broker's thread share.
#[derive(Default)]
pub(super) struct Shared {
    pub state: Mutex<State>,
    pub change: Condvar,
    pub cancel: CancelToken,
}

#[derive(Default)]
pub(super) struct State {
    pub ledgers: BTreeMap<u64, Ledger>,
    pub status: FleetStatus,
    /// Workers whose games do not count.
    pub distrusted: HashSet<String>,
    /// Why the fleet has ended.
    pub failed: Option<FleetError>,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What the run asks of the broker's thread.
pub(super) enum Command {
    /// The ledger of that generation has been opened: hand out its jobs.
    Opened,
    /// A new net, for workers to fetch.
    Net(String, Arc<Weights>),
    /// The games of a generation are on the trainer's disk.
    Kept(u64),
    /// Games are wanted again.
    Look,
}
