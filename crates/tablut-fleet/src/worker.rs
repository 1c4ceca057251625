//! A worker: takes jobs from the broker, plays them on all cores, and sends the games back.

mod duty;
mod jobs;
mod nets;
mod options;
mod want;

use std::sync::Arc;
use std::time::Instant;

use tablut_games::{CancelToken, Counters, RunError, run_task_source};
use tablut_net::{Engine, EngineOptions, NetError, Precision, Weights};
use tokio::sync::mpsc::unbounded_channel;

use self::duty::Post;
use self::jobs::Jobs;
use self::nets::{SLOTS, SharedNets, SlotInference};
pub use self::options::{WorkerOptions, WorkerSummary};
use crate::connection::Connection;
use crate::error::FleetError;
use crate::notes::Notes;

/// An engine on one thread.
fn engine_in(weights: &Weights, precision: Precision) -> Result<Engine, NetError> {
    Engine::with_options(weights, EngineOptions { precision, ..EngineOptions::default() })
}

/// Works until `cancel` is cancelled, which is the usual end, or until the broker refuses us or this machine computes
/// other bits than the trainer's. A broker that cannot be reached is waited for.
///
/// What is in hand when it stops goes back to the queue.
pub fn work(
    connection: &Connection,
    options: &WorkerOptions,
    counters: &Counters,
    cancel: &CancelToken,
    notes: &Notes,
) -> Result<WorkerSummary, FleetError> {
    // Whatever ends the talk with the broker also ends the players.
    let players = cancel.child();
    let start = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| FleetError::broker("a thread for the broker", error))?;
    let (done, done_jobs) = unbounded_channel();
    let jobs = Arc::new(Jobs::new(done));
    let nets = Arc::new(SharedNets::new(engine_in));
    let ended = std::thread::scope(|scope| {
        let play = || {
            let evaluators = || (0..SLOTS).map(|slot| SlotInference::evaluator(&nets, slot)).collect();
            let deliver = |_, (in_hand, game, evaluations)| jobs.deliver(&in_hand, game, evaluations);
            let played = run_task_source(&*jobs, options.concurrency, evaluators, counters, &players, deliver);
            jobs.close();
            played
        };
        let playing = scope.spawn(play);
        let post = Post { connection, options, counters, cancel, notes };
        let talked = runtime.block_on(duty::duty(&post, &jobs, &nets, done_jobs));
        jobs.close();
        players.cancel();
        let played = match playing.join() {
            Ok(played) => played,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        talked.and(match played {
            Ok(()) | Err(RunError::Stopped) => Ok(()),
            Err(RunError::Evaluate(error)) => Err(FleetError::Play(error)),
            Err(RunError::Task(error)) => Err(FleetError::Match(error)),
        })
    });
    match ended {
        Ok(()) | Err(FleetError::Stopped) => {
            let (games, jobs) = jobs.totals();
            Ok(WorkerSummary { games, jobs, seconds: start.elapsed().as_secs_f64() })
        }
        Err(error) => Err(error),
    }
}
