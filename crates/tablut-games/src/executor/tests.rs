//! Tests that the executor gives equal results on any number of threads, and how it ends.

use super::{CancelToken, Concurrency, Counters, LeafRequest, RunError, Task, TaskSource, run_task_source, run_tasks};
use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};
use tablut_search::{EvaluateError, Evaluation, Evaluator};

/// A task that waits for other threads gives up at this instant, so that a test fails instead of hanging. The time is
/// long, because threads may start late on a busy machine.
#[derive(Copy, Clone)]
struct Deadline(Instant);

impl Deadline {
    fn new() -> Self {
        Self(Instant::now() + Duration::from_mins(2))
    }

    fn is_over(self) -> bool {
        Instant::now() >= self.0
    }
}

/// A task that ends when it and other tasks like it have run on two threads.
struct Meeting<'a> {
    deadline: Deadline,
    seen: &'a Mutex<HashSet<ThreadId>>,
}

impl Task for Meeting<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        let mut seen = self.seen.lock().unwrap();
        seen.insert(std::thread::current().id());
        Ok((seen.len() == 2 || self.deadline.is_over()).then_some(()))
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
    deadline: Deadline,
}

impl Task for Wanderer<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        if std::thread::current().id() != self.home {
            self.enough.store(true, Ordering::Relaxed);
        }
        Ok((self.enough.load(Ordering::Relaxed) || self.deadline.is_over()).then_some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

/// Ends once the other worker has all its tasks, or runs for long.
enum Either<'a> {
    Short { long_tasks: &'a AtomicUsize, deadline: Deadline },
    Long(Wanderer<'a>),
}

impl Task for Either<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        match self {
            Self::Short { long_tasks, deadline } => {
                Ok((long_tasks.load(Ordering::Relaxed) == 4 || deadline.is_over()).then_some(()))
            }
            Self::Long(task) => task.gather(requests),
        }
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

#[test]
fn a_worker_without_tasks_takes_over_running_ones() {
    let (enough, long_tasks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (owner, deadline) = (Mutex::new(None), Deadline::new());
    // The thread that makes the first task makes four long ones. The other's four tasks end when these are made. A long
    // task ends only on another thread than its first.
    let make = |_| {
        let home = std::thread::current().id();
        if *owner.lock().unwrap().get_or_insert(home) == home {
            long_tasks.fetch_add(1, Ordering::Relaxed);
            Either::Long(Wanderer { home, enough: &enough, deadline })
        } else {
            Either::Short { long_tasks: &long_tasks, deadline }
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
    let deadline = Deadline::new();
    let make = |_| Meeting { deadline, seen: &seen };
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 64 };
    run_tasks(2, concurrency, make, none, &Counters::default(), &CancelToken::new(), |_, &()| {}).unwrap();
    assert_eq!(seen.into_inner().unwrap().len(), 2);
}

/// Fails, or runs until it stops waiting.
struct Faulty<'a> {
    fails: bool,
    deadline: Deadline,
    abandoned: &'a AtomicBool,
}

impl Task for Faulty<'_> {
    type Output = ();
    type Error = EvaluateError;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, EvaluateError> {
        if self.fails {
            return Err(EvaluateError::Failed("broken".into()));
        }
        if !self.deadline.is_over() {
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
    let deadline = Deadline::new();
    let make = |index| Faulty { fails: index == 3, deadline, abandoned: &abandoned };
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

/// A task that ends once two threads run four of its kind each.
struct Spread<'a> {
    index: usize,
    deadline: Deadline,
    threads: &'a Mutex<[Option<ThreadId>; 8]>,
    even: &'a AtomicBool,
}

impl Task for Spread<'_> {
    type Output = ();
    type Error = Infallible;

    fn gather(&mut self, _: &mut Vec<LeafRequest>) -> Result<Option<()>, Infallible> {
        let mut threads = self.threads.lock().unwrap();
        let here = std::thread::current().id();
        threads[self.index] = Some(here);
        let running_here = threads.iter().filter(|thread| **thread == Some(here)).count();
        if running_here == 4 && threads.iter().all(Option::is_some) {
            self.even.store(true, Ordering::Relaxed);
        }
        Ok((self.even.load(Ordering::Relaxed) || self.deadline.is_over()).then_some(()))
    }

    fn apply(&mut self, _: &[Evaluation]) {}
}

/// Has two tasks, and six more once two threads run one each.
struct LateTasks<'a> {
    given: AtomicUsize,
    deadline: Deadline,
    threads: &'a Mutex<[Option<ThreadId>; 8]>,
    even: &'a AtomicBool,
}

impl<'a> TaskSource for LateTasks<'a> {
    type Task = Spread<'a>;

    fn next(&self) -> Option<(usize, Spread<'a>)> {
        let threads = *self.threads.lock().unwrap();
        let both_run = threads[0].is_some() && threads[1].is_some() && threads[0] != threads[1];
        let ready = if both_run { 8 } else { 2 };
        let given = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < ready).then_some(n + 1));
        let index = given.ok()?;
        Some((index, Spread { index, deadline: self.deadline, threads: self.threads, even: self.even }))
    }

    fn is_open(&self) -> bool {
        self.given.load(Ordering::Relaxed) < 8
    }
}

#[test]
fn late_tasks_go_to_all_workers_alike() {
    let (threads, even) = (Mutex::default(), AtomicBool::new(false));
    let given = AtomicUsize::new(0);
    let source = LateTasks { given, deadline: Deadline::new(), threads: &threads, even: &even };
    let concurrency = Concurrency { workers: 2, tasks_per_worker: 64 };
    let cancel = CancelToken::new();
    run_task_source(&source, concurrency, none, &Counters::default(), &cancel, |_, ()| {}).unwrap();
    assert!(even.into_inner(), "one worker took more than its share: {threads:?}");
}
