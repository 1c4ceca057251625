//! The trainer's loop for its claim and for heartbeats. Every two seconds it renews the claim and reads the workers'
//! heartbeats, independently of the main loop.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tablut_games::FleetReport;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::progress::Progress;
use super::state::{FleetStatus, Shared, TrainerOptions};
use crate::broker::{Broker, RUNS, SILENCE};
use crate::connection::Log;
use crate::wire::Heartbeat;

/// The time between two renewals of the claim.
const TICK: Duration = Duration::from_secs(2);

pub(super) struct HeartbeatLoop {
    pub broker: Broker,
    pub options: TrainerOptions,
    pub log: Log,
    pub shared: Arc<Shared>,
    /// Refused workers that the log has named.
    pub announced: HashSet<String>,
}

impl HeartbeatLoop {
    pub async fn run(&mut self) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            self.tick().await;
        }
    }

    /// Renews the claim on the run and reads the heartbeats. If one fails, the next tick tries it again.
    pub async fn tick(&mut self) {
        let TrainerOptions { run, holder, .. } = &self.options;
        let _ = timeout(TICK, self.broker.put_key(RUNS, run, holder.as_bytes().to_vec())).await;
        let Ok(Ok(heartbeats)) = timeout(SILENCE / 2, self.broker.heartbeats()).await else { return };
        let read = |bytes: Vec<u8>| serde_json::from_slice::<Heartbeat>(&bytes).ok();
        let mut workers: Vec<Heartbeat> = heartbeats.into_iter().filter_map(read).collect();
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        for worker in &workers {
            if let Some(reason) = worker.refused.as_ref().filter(|_| self.announced.insert(worker.name.clone())) {
                (self.log)(&format!("worker {} does not play: {reason}", worker.name));
            }
        }
        let mut state = self.shared.lock();
        let sum = |count: fn(&FleetReport) -> u64| state.orders.values().map(|order| count(&order.report)).sum();
        let (redeliveries, refused) = (sum(|report| report.redeliveries), sum(|report| report.refused));
        let games = state.orders.values().map(Progress::n_games).sum();
        state.status = FleetStatus { workers, redeliveries, refused, games, lag: state.status.lag };
    }
}
