//! Plays many games at once. Each worker thread runs several games and evaluates their leaves together.
//!
//! A game is a [`Task`]: a state machine that requests evaluations of leaves, receives them, and finally returns its
//! result. Tasks use no outside randomness, and an evaluation depends only on its leaf. So results depend neither on
//! the number of workers nor on the distribution of tasks among them. A worker without new tasks takes over running
//! tasks from the others. So all cores have work until fewer tasks than workers remain.

mod exchange;
mod rounds;

use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use self::exchange::{Exchange, Presence};
pub use self::rounds::Rounds;
use crate::cancel::CancelToken;
use tablut_search::{EvaluateError, Evaluation, Evaluator, Situation};

/// A leaf to evaluate, with the index of the evaluator in the worker.
pub type LeafRequest = (usize, Situation);

/// Work that alternates with evaluators: a self-play game or a match game.
pub trait Task: Send {
    /// The result of the task.
    type Output: Send;
    /// The error of a task. An error ends the whole run.
    type Error: Send;

    /// Runs the task. If it needs evaluations, it appends its requests and returns `None`. If it has finished, it
    /// returns its output. If it returns `None` without requests, it is called again in the next round.
    ///
    /// # Errors
    /// If the task fails.
    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<Self::Output>, Self::Error>;

    /// Receives the evaluations for the last call of `gather`, in the same order.
    fn apply(&mut self, evaluations: &[Evaluation]);
}

/// How work is distributed over threads.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Concurrency {
    /// Worker threads, at least 1.
    pub workers: usize,
    /// Tasks that each worker runs at the same time, at least 1. Their leaves form a batch.
    pub tasks_per_worker: usize,
}

impl Default for Concurrency {
    /// One worker per core, 64 tasks each.
    fn default() -> Self {
        Self { workers: std::thread::available_parallelism().map_or(1, usize::from), tasks_per_worker: 64 }
    }
}

/// Counters that the workers update while they run. Any thread can read them.
#[derive(Debug, Default)]
pub struct Counters {
    /// Leaves evaluated.
    pub evaluations: AtomicU64,
    /// Calls of an evaluator: evaluations ÷ batches is the mean batch.
    pub batches: AtomicU64,
    /// Time inside evaluators, summed over workers, in microseconds.
    pub evaluator_micros: AtomicU64,
    /// Tasks that asked for evaluations, summed over the workers' rounds.
    pub asking: AtomicU64,
    /// Tasks that a worker may run at the same time, summed over the workers' rounds.
    pub slots: AtomicU64,
    /// Tasks that have ended.
    pub finished: AtomicU64,
}

/// Why not all tasks finished. `E` is the error of a task.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E = Infallible> {
    /// The run was cancelled.
    #[error("stopped on request")]
    Stopped,
    /// An evaluator failed.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A task failed.
    #[error(transparent)]
    Task(E),
}

/// A source of tasks while others run.
pub trait TaskSource: Sync {
    /// The type of the tasks.
    type Task: Task;

    /// The next task and its index, or `None` if there is none at the moment.
    fn next(&self) -> Option<(usize, Self::Task)>;

    /// Whether [`TaskSource::next`] may return a task again after it returned none. Once false, it stays false.
    fn is_open(&self) -> bool;
}

/// The error of a run with the tasks of a source.
type Failure<S> = RunError<<<S as TaskSource>::Task as Task>::Error>;

/// Tasks that are created from their index when a worker needs one.
struct Numbered<F> {
    /// The index of the next task.
    next: AtomicUsize,
    n_tasks: usize,
    make_task: F,
}

impl<T: Task, F: Fn(usize) -> T + Sync> TaskSource for Numbered<F> {
    type Task = T;

    fn next(&self) -> Option<(usize, T)> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.n_tasks).then(|| (index, (self.make_task)(index)))
    }

    fn is_open(&self) -> bool {
        false
    }
}

/// Runs `n_tasks` tasks and returns their outputs in the order of their indices. `make_task` creates a task from its
/// index when a worker needs one.
///
/// `make_evaluators` is called once in each worker. `on_output` is called with each output when it is ready, in any
/// order. If one worker fails, the others stop too. If `cancel` is cancelled, running tasks are dropped and the result
/// is [`RunError::Stopped`].
///
/// # Errors
/// If a task or an evaluator fails, or the run is cancelled.
pub fn run_tasks<T: Task>(
    n_tasks: usize,
    concurrency: Concurrency,
    make_task: impl Fn(usize) -> T + Sync,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    counters: &Counters,
    cancel: &CancelToken,
    on_output: impl Fn(usize, &T::Output) + Sync,
) -> Result<Vec<T::Output>, RunError<T::Error>> {
    let outputs: Mutex<Vec<(usize, T::Output)>> = Mutex::new(Vec::with_capacity(n_tasks));
    let deliver = |index: usize, output: T::Output| {
        on_output(index, &output);
        outputs.lock().expect("no worker panics while it holds the outputs").push((index, output));
    };
    deliver_tasks(n_tasks, concurrency, make_task, make_evaluators, counters, cancel, deliver)?;
    let mut outputs = outputs.into_inner().expect("all workers have ended");
    outputs.sort_by_key(|&(index, _)| index);
    Ok(outputs.into_iter().map(|(_, output)| output).collect())
}

/// Like [`run_tasks`], but passes each output to `deliver` when it is ready, in any order.
///
/// # Errors
/// If a task or an evaluator fails, or the run is cancelled.
pub fn deliver_tasks<T: Task>(
    n_tasks: usize,
    concurrency: Concurrency,
    make_task: impl Fn(usize) -> T + Sync,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    counters: &Counters,
    cancel: &CancelToken,
    deliver: impl Fn(usize, T::Output) + Sync,
) -> Result<(), RunError<T::Error>> {
    let workers = concurrency.workers.clamp(1, n_tasks.max(1));
    let tasks_per_worker = concurrency.tasks_per_worker.clamp(1, n_tasks.div_ceil(workers).max(1));
    let source = Numbered { next: AtomicUsize::new(0), n_tasks, make_task };
    run_task_source(&source, Concurrency { workers, tasks_per_worker }, make_evaluators, counters, cancel, deliver)
}

/// Runs the tasks of `source` until it is closed and all tasks have finished. Passes each output to `deliver` when it
/// is ready.
///
/// Otherwise like [`run_tasks`].
///
/// # Errors
/// If a task or an evaluator fails, or the run is cancelled.
pub fn run_task_source<S: TaskSource>(
    source: &S,
    concurrency: Concurrency,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    counters: &Counters,
    cancel: &CancelToken,
    deliver: impl Fn(usize, <S::Task as Task>::Output) + Sync,
) -> Result<(), Failure<S>> {
    let workers = concurrency.workers.max(1);
    let deliver = |index: usize, output: <S::Task as Task>::Output| {
        deliver(index, output);
        counters.finished.fetch_add(1, Ordering::Relaxed);
    };
    let shared = Shared {
        source,
        slots: concurrency.tasks_per_worker.max(1),
        counters,
        cancel,
        exchange: Exchange::new(workers),
        running: AtomicUsize::new(0),
        workers,
        abandoned: AtomicBool::new(false),
    };
    let results: Vec<Result<(), Failure<S>>> = std::thread::scope(|scope| {
        let work = || shared.work(make_evaluators(), &deliver);
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect()
    });
    results.into_iter().collect()
}

/// The state shared by all workers of one run.
struct Shared<'a, S: TaskSource> {
    source: &'a S,
    /// Number of tasks that a worker runs at the same time.
    slots: usize,
    counters: &'a Counters,
    cancel: &'a CancelToken,
    exchange: Exchange<(usize, S::Task)>,
    /// Tasks of all workers that have begun and not ended.
    running: AtomicUsize,
    workers: usize,
    /// Whether a worker has failed.
    abandoned: AtomicBool,
}

impl<S: TaskSource> Shared<'_, S> {
    fn work(
        &self,
        evaluators: Vec<Box<dyn Evaluator>>,
        deliver: &impl Fn(usize, <S::Task as Task>::Output),
    ) -> Result<(), Failure<S>> {
        let _presence = Presence(&self.exchange);
        let result = self.rounds(evaluators, deliver);
        if result.is_err() {
            self.abandoned.store(true, Ordering::Relaxed);
        }
        result
    }

    /// One worker's rounds.
    fn rounds(
        &self,
        mut evaluators: Vec<Box<dyn Evaluator>>,
        deliver: &impl Fn(usize, <S::Task as Task>::Output),
    ) -> Result<(), Failure<S>> {
        let mut rounds = Rounds::new(evaluators.len());
        while self.supply(&mut rounds.running)? {
            rounds.gather(self.cancel, |index, output| {
                deliver(index, output);
                self.running.fetch_sub(1, Ordering::Relaxed);
            })?;
            let start = Instant::now();
            rounds.evaluate(&mut evaluators, self.counters)?;
            self.counters.evaluator_micros.fetch_add(start.elapsed().as_micros() as u64, Ordering::Relaxed);
            self.counters.asking.fetch_add(rounds.asking().min(self.slots) as u64, Ordering::Relaxed);
            self.counters.slots.fetch_add(self.slots as u64, Ordering::Relaxed);
            rounds.apply();
        }
        Ok(())
    }

    /// The next task of the source.
    fn begin(&self) -> Option<(usize, S::Task)> {
        let task = self.source.next()?;
        self.running.fetch_add(1, Ordering::Relaxed);
        Some(task)
    }

    /// Gives tasks to waiting workers and starts new ones. Returns false if there is nothing left to do.
    fn supply(&self, running: &mut Vec<(usize, S::Task)>) -> Result<bool, Failure<S>> {
        // A worker that has more than its share leaves new tasks to the others, because small batches cost more.
        while running.len() < self.slots && running.len() * self.workers <= self.running.load(Ordering::Relaxed) {
            let Some(task) = self.begin() else { break };
            running.push(task);
        }
        if running.is_empty() {
            let stop = || self.cancel.is_cancelled() || self.abandoned.load(Ordering::Relaxed);
            *running = self.exchange.take(stop, || self.begin(), || self.source.is_open());
        } else {
            self.exchange.share(running);
        }
        if self.cancel.must_stop() {
            return Err(RunError::Stopped);
        }
        Ok(!running.is_empty() && !self.abandoned.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests;
