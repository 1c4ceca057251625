//! The queue of all games' jobs, and its workers. Jobs run in short slices, the highest priority first. No game has to
//! wait until another game's long search ends.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tablut_search::Evaluator;
use tablut_session::{JobId, Priority, SessionJob, Step};

/// The evaluators of one worker, one for each net.
pub type Evaluators = Vec<Box<dyn Evaluator>>;

/// The time that a worker spends on a job before it takes the next one that waits.
const SLICE: Duration = Duration::from_millis(15);
/// The maximum number of waiting jobs.
const MAX_WAITING: usize = 512;

/// A step of a job, or the error that ended it.
pub struct JobUpdate {
    /// The game's name.
    pub game: Arc<str>,
    /// The job's id in its game.
    pub job: JobId,
    pub step: Result<Step, String>,
}

struct QueuedJob {
    game: Arc<str>,
    job: SessionJob,
    began: Option<Instant>,
    turn: u64,
}

#[derive(Default)]
struct State {
    jobs: Vec<QueuedJob>,
    /// Updates that must not be reported before a time.
    delayed: Vec<(Instant, JobUpdate)>,
    turns: u64,
    closed: bool,
}

/// Jobs that wait for a worker.
#[derive(Default)]
pub struct JobQueue {
    state: Mutex<State>,
    changed: Condvar,
}

/// What a worker does next.
enum Next {
    Run(Box<QueuedJob>),
    Report(JobUpdate),
}

impl JobQueue {
    /// Adds a job of a game. Returns an error if the queue is full.
    pub fn push(&self, game: Arc<str>, job: SessionJob) -> Result<(), String> {
        let mut state = self.lock();
        if state.jobs.len() >= MAX_WAITING {
            return Err(format!("{MAX_WAITING} searches are waiting; try again in a moment"));
        }
        state.put(QueuedJob { game, job, began: None, turn: 0 });
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Ends all workers after their current slices.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Runs jobs until the queue is closed. The method calls `refresh` before each slice; `refresh` may replace the
    /// evaluators. `report` receives the updates.
    pub fn work(
        &self,
        evaluators: &mut Evaluators,
        refresh: &mut dyn FnMut(&mut Evaluators),
        report: &dyn Fn(JobUpdate),
    ) {
        while let Some(next) = self.next() {
            match next {
                Next::Report(update) => report(update),
                Next::Run(job) => {
                    refresh(evaluators);
                    self.run_slice(*job, evaluators, report);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job or a delayed update. `None` when the queue is closed.
    fn next(&self) -> Option<Next> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            let now = Instant::now();
            if let Some(due) = state.delayed.iter().position(|(at, _)| *at <= now) {
                return Some(Next::Report(state.delayed.swap_remove(due).1));
            }
            state.jobs.retain(|queued| !queued.job.cancelled.load(Ordering::Relaxed));
            let order = |queued: &QueuedJob| (queued.job.priority, queued.turn);
            let first = state.jobs.iter().enumerate().min_by_key(|(_, queued)| order(queued)).map(|(index, _)| index);
            if let Some(index) = first {
                return Some(Next::Run(Box::new(state.jobs.swap_remove(index))));
            }
            let soonest = state.delayed.iter().map(|(at, _)| *at).min();
            state = match soonest {
                Some(at) => {
                    let pause = at.saturating_duration_since(now);
                    self.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Runs a job until it is done or cancelled, or until its slice is over and others wait.
    fn run_slice(&self, mut queued: QueuedJob, evaluators: &mut [Box<dyn Evaluator>], report: &dyn Fn(JobUpdate)) {
        let began = *queued.began.get_or_insert_with(Instant::now);
        let entered = Instant::now();
        let QueuedJob { game, job, .. } = &mut queued;
        let update = |step| JobUpdate { game: game.clone(), job: job.id, step };
        let Some(evaluator) = evaluators.get_mut(job.net) else {
            return report(update(Err(format!("there is no net {}", job.net))));
        };
        while !job.cancelled.load(Ordering::Relaxed) {
            let result = catch_unwind(AssertUnwindSafe(|| job.work.step(evaluator, began.elapsed())));
            let step = match result {
                Ok(step) => step.map_err(|error| error.to_string()),
                Err(panic) => Err(panic_text(&*panic)),
            };
            match step {
                Ok(Step::Continue) => {}
                Ok(Step::Progress(_)) => report(update(step)),
                Ok(Step::Done(_)) | Err(_) => {
                    let at = began + job.delay;
                    if at <= Instant::now() {
                        return report(update(step));
                    }
                    self.lock().delayed.push((at, update(step)));
                    return self.changed.notify_one();
                }
            }
            if entered.elapsed() > SLICE && self.others_wait(job.priority) {
                return self.lock().put(queued);
            }
        }
    }

    /// Whether a job of at least this priority waits.
    fn others_wait(&self, priority: Priority) -> bool {
        self.lock().jobs.iter().any(|queued| queued.job.priority <= priority)
    }
}

impl State {
    fn put(&mut self, mut queued: QueuedJob) {
        self.turns += 1;
        queued.turn = self.turns;
        self.jobs.push(queued);
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("internal error: {}", text.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_search::{EvaluateError, UniformEvaluator};
    use tablut_session::Work;

    /// Ends after this number of steps.
    struct Count(u32);

    impl Work for Count {
        fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
            self.0 = self.0.checked_sub(1).expect("a step after the last");
            Ok(if self.0 == 0 { Step::Done(Vec::new()) } else { Step::Continue })
        }
    }

    fn push(queue: &JobQueue, id: u64, priority: Priority, steps: u32, cancelled: bool) -> Result<(), String> {
        let (work, delay) = (Box::new(Count(steps)), Duration::ZERO);
        queue.push(
            "t".into(),
            SessionJob { id: JobId(id), priority, net: 0, delay, cancelled: Arc::new(cancelled.into()), work },
        )
    }

    #[test]
    fn the_urgent_goes_first_the_cancelled_never_and_a_bug_is_reported() {
        let queue = JobQueue::default();
        push(&queue, 2, Priority::Background, 3, false).unwrap();
        push(&queue, 1, Priority::Now, 1, true).unwrap();
        push(&queue, 3, Priority::Soon, 2, false).unwrap();
        push(&queue, 4, Priority::Now, 0, false).unwrap();
        let reported = Mutex::new(Vec::new());
        let report = |update: JobUpdate| {
            let mut reported = reported.lock().unwrap();
            let is_done = |step| matches!(step, Step::Done(updates) if updates.is_empty());
            let step = update.step.map(is_done).map_err(|error| error.contains("after the last"));
            reported.push((update.job.0, step));
            if reported.len() == 3 {
                queue.close();
            }
        };
        queue.work(&mut vec![Box::new(UniformEvaluator)], &mut |_| {}, &report);
        assert_eq!(reported.into_inner().unwrap(), [(4, Err(true)), (3, Ok(true)), (2, Ok(true))]);
    }

    #[test]
    fn more_than_enough_is_refused() {
        let queue = JobQueue::default();
        for id in 0..MAX_WAITING as u64 {
            push(&queue, id, Priority::Now, 1, false).unwrap();
        }
        assert!(push(&queue, 0, Priority::Now, 1, false).is_err());
    }
}
