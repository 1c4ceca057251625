//! A worker. It takes jobs from the broker, plays their games on all cores, and sends the games back.

mod held_jobs;
mod nets;
mod worker_loop;

use std::sync::Arc;
use std::time::Instant;

use tablut_games::{CancelToken, Counters, run_task_source};
use tokio::sync::mpsc::unbounded_channel;

use self::held_jobs::HeldJobs;
use self::nets::{SLOTS, SlotInference, SlottedNets};
pub use self::worker_loop::WorkerOptions;
use self::worker_loop::{WorkerContext, run};
use crate::connection::{Connection, Log};
use crate::error::{BrokerResult, FleetError};

#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct WorkerSummary {
    pub games: u64,
    pub jobs: u64,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Works until `cancel` is cancelled. Unfinished jobs then go back to the queue. While the broker cannot be reached,
/// the worker retries. It ends with an error if the broker refuses the credentials, the probe shows that this machine
/// computes different bits than the trainer's, or a game cannot be played.
pub fn work(
    connection: &Connection,
    options: &WorkerOptions,
    counters: &Counters,
    cancel: &CancelToken,
    log: &Log,
) -> Result<WorkerSummary, FleetError> {
    // When the connection to the broker ends, the players end too.
    let players = cancel.child();
    let start = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.during("a thread for the broker")?;
    let (finished, finished_jobs) = unbounded_channel();
    let jobs = HeldJobs::new(finished);
    let nets = Arc::new(SlottedNets::default());
    let ended = std::thread::scope(|scope| {
        let play = || {
            let evaluators = || (0..SLOTS).map(|slot| SlotInference::evaluator(&nets, slot)).collect();
            let deliver = |_, (job, game)| jobs.deliver(&job, game);
            let played = run_task_source(&jobs, options.concurrency, evaluators, counters, &players, deliver);
            jobs.close();
            played
        };
        let playing = scope.spawn(play);
        let context = WorkerContext { options, counters, cancel, log, jobs: &jobs, nets: &nets };
        let talked = runtime.block_on(run(context, connection, finished_jobs));
        jobs.close();
        players.cancel();
        let played = match playing.join() {
            Ok(played) => played,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        talked.and(played.map_err(FleetError::from))
    });
    match ended {
        Ok(()) | Err(FleetError::Stopped) => {
            let (games, jobs) = jobs.totals();
            Ok(WorkerSummary { games, jobs, seconds: start.elapsed().as_secs_f64() })
        }
        Err(error) => Err(error),
    }
}
