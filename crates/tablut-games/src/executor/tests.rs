//! The executor: equal results on any number of threads, and the ways in which it ends.

use super::{CancelToken, Concurrency, Counters, LeafRequest, RunError, Task, TaskSource, run_task_source, run_tasks};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ThreadId;
use tablut_search::{EvaluateError, Evaluation, Evaluator};

/// Rounds after which a task stops waiting.
const PATIENCE: usize = 20_000_000;

/// A task that ends when it and other tasks like it have run on two threads.
struct Meeting<'a> {
    rounds: usize,
    seen: &'a Mutex<HashSet<ThreadId>>,
}

impl Task for Meeting<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        self.rounds += 1;
        let mut seen = self.seen.lock().unwrap();
        seen.insert(std::thread::current().id());
        Ok((seen.len() == 2 || self.rounds == PATIENCE).then_some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

fn none() -> Vec<Box<dyn Evaluator>> {
    Vec::new()
}

/// Runs until `enough` is set. Only a thread other than its first one sets it.
struct Wanderer<'a> {
    home: ThreadId,
    enough: &'a AtomicBool,
    rounds: usize,
}

impl Task for Wanderer<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        if std::thread::current().id() != self.home {
            self.enough.store(true, Ordering::Relaxed);
        }
        self.rounds += 1;
        Ok((self.enough.load(Ordering::Relaxed) || self.rounds == PATIENCE).then_some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

/// Ends at once, or runs for long.
enum Either<'a> {
    Short,
    Long(Wanderer<'a>),
}

impl Task for Either<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        match self {
            Self::Short => Ok(Some(())),
            Self::Long(task) => task.gather(requests),
        }
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

#[test]
fn a_worker_without_tasks_takes_over_running_ones() {
    let enough = AtomicBool::new(false);
    let owner = Mutex::new(None);
    // The thread that makes the first task makes the long ones; tasks from other threads end at once. A long task ends
    // only on another thread than its first.
    let make = |_| {
        let home = std::thread::current().id();
        if *owner.lock().unwrap().get_or_insert(home) == home {
            Either::Long(Wanderer { home, enough: &enough, rounds: 0 })
        } else {
            Either::Short
        }
    };
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 4 };
    let outputs =
        run_tasks(8, concurrency, make, none, &Counters::default(), &CancelToken::new(), |_, &()| {}).unwrap();
    assert_eq!(outputs.len(), 8);
    assert!(enough.into_inner());
}

#[test]
fn few_tasks_are_spread_over_all_workers() {
    let seen = Mutex::new(HashSet::new());
    let make = |_| Meeting { rounds: 0, seen: &seen };
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 64 };
    run_tasks(2, concurrency, make, none, &Counters::default(), &CancelToken::new(), |_, &()| {}).unwrap();
    assert_eq!(seen.into_inner().unwrap().len(), 2);
}

/// Fails, or runs until it stops waiting.
struct Faulty<'a> {
    fails: bool,
    rounds: usize,
    abandoned: &'a AtomicBool,
}

impl Task for Faulty<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        if self.fails {
            return Err(EvaluateError::Failed("broken".into()));
        }
        self.rounds += 1;
        if self.rounds < PATIENCE {
            return Ok(None);
        }
        self.abandoned.store(false, Ordering::Relaxed);
        Ok(Some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

#[test]
fn a_failure_of_one_worker_ends_the_others() {
    let abandoned = AtomicBool::new(true);
    let make = |index| Faulty { fails: index == 3, rounds: 0, abandoned: &abandoned };
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 2 };
    let result = run_tasks(4, concurrency, make, none, &Counters::default(), &CancelToken::new(), |_, &()| {});
    assert!(matches!(result, Err(RunError::Task(EvaluateError::Failed(_)))), "{result:?}");
    assert!(abandoned.into_inner(), "the other worker went on to the end of its tasks");
}

/// Ends at once, or requests a stop after some rounds and continues.
struct Stopper<'a> {
    rounds: Option<u32>,
    cancel: &'a CancelToken,
}

impl Task for Stopper<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        let Some(rounds) = &mut self.rounds else { return Ok(Some(())) };
        *rounds += 1;
        if *rounds == 100_000 {
            self.cancel.cancel();
        }
        Ok(None)
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

#[test]
fn a_stop_ends_workers_that_wait_for_tasks() {
    let cancel = CancelToken::new();
    // The worker of the first task soon has none left and waits for a part of the second task, which cannot be shared.
    let make = |index| Stopper { rounds: (index == 1).then_some(0), cancel: &cancel };
    let result = run_tasks(
        2,
        Concurrency { workers: 2, tasks_per_worker: 1 },
        make,
        none,
        &Counters::default(),
        &cancel,
        |_, &()| {},
    );
    assert!(matches!(result, Err(RunError::Stopped)), "{result:?}");
}

/// Ends in the second round.
struct Short(bool);

impl Task for Short {
    type Output = ();
    type Error = Infallible;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, Infallible> {
        Ok(std::mem::replace(&mut self.0, true).then_some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

/// Returns one task, then none until that task has ended, then the next. It closes after the last.
struct Trickle {
    given: AtomicUsize,
    ended: AtomicUsize,
}

impl Trickle {
    const TASKS: usize = 5;
}

impl TaskSource for Trickle {
    type Task = Short;

    fn next(&self) -> Option<(usize, Short)> {
        let (given, ended) = (self.given.load(Ordering::SeqCst), self.ended.load(Ordering::SeqCst));
        let wanted = given < Self::TASKS && given == ended;
        (wanted && self.given.compare_exchange(given, given + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok())
            .then_some((given, Short(false)))
    }

    fn is_open(&self) -> bool {
        self.given.load(Ordering::SeqCst) < Self::TASKS
    }
}

#[test]
fn tasks_that_come_late_are_still_run() {
    let source = Trickle { given: AtomicUsize::new(0), ended: AtomicUsize::new(0) };
    let seen = Mutex::new(Vec::new());
    let deliver = |index, ()| {
        seen.lock().unwrap().push(index);
        source.ended.fetch_add(1, Ordering::SeqCst);
    };
    let concurrency = Concurrency { workers: 3, tasks_per_worker: 4 };
    run_task_source(&source, concurrency, none, &Counters::default(), &CancelToken::new(), deliver).unwrap();
    assert_eq!(seen.into_inner().unwrap(), (0..Trickle::TASKS).collect::<Vec<_>>());
}
