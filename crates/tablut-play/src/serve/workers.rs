//! The threads that think: work in short slices, the urgent first, so that nobody waits for somebody else's long search.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tablut_search::Evaluator;
use tablut_session::{Assignment, Step, Ticket, Urgency};

/// How long a worker stays with one piece of work while others wait.
const SLICE: Duration = Duration::from_millis(15);
/// Pieces of work that may wait together.
const MAX_WAITING: usize = 512;

/// A piece of work of a table.
pub struct QueuedWork {
    /// The table's name.
    pub table: Arc<str>,
    /// What to do.
    pub assignment: Assignment,
    /// Set when nobody needs it any more.
    pub cancelled: Arc<AtomicBool>,
    began: Option<Instant>,
    turn: u64,
}

impl QueuedWork {
    /// Work that has not begun.
    pub fn new(table: Arc<str>, assignment: Assignment, cancelled: Arc<AtomicBool>) -> Self {
        Self { table, assignment, cancelled, began: None, turn: 0 }
    }
}

/// What a worker has to tell.
pub struct Told {
    /// The table's name.
    pub table: Arc<str>,
    /// By which the table knows the work.
    pub ticket: Ticket,
    /// What was found, or why the work could not go on.
    pub step: Result<Step, String>,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<QueuedWork>,
    /// What is not to be told before a time.
    later: Vec<(Instant, Told)>,
    turns: u64,
    closed: bool,
}

/// Work that waits for a worker.
#[derive(Default)]
pub struct Queue {
    waiting: Mutex<Waiting>,
    news: Condvar,
}

/// There is more work than the host takes on.
#[derive(Debug, thiserror::Error)]
#[error("too many games are being thought about at once; try again in a moment")]
pub struct Overloaded;

impl Queue {
    /// Hands work over.
    pub fn push(&self, job: QueuedWork) -> Result<(), Overloaded> {
        let mut waiting = self.lock();
        if waiting.jobs.len() >= MAX_WAITING {
            return Err(Overloaded);
        }
        waiting.put(job);
        drop(waiting);
        self.news.notify_one();
        Ok(())
    }

    /// Ends all workers when they have finished their slices.
    pub fn close(&self) {
        self.lock().closed = true;
        self.news.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next thing to do; none when the queue is closed.
    fn next(&self) -> Option<Next> {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return None;
            }
            let now = Instant::now();
            if let Some(due) = waiting.later.iter().position(|(at, _)| *at <= now) {
                return Some(Next::Tell(waiting.later.swap_remove(due).1));
            }
            waiting.jobs.retain(|job| !job.cancelled.load(Ordering::Relaxed));
            let order = |job: &QueuedWork| (job.assignment.urgency, job.turn);
            let first = waiting.jobs.iter().enumerate().min_by_key(|(_, job)| order(job)).map(|(index, _)| index);
            if let Some(index) = first {
                return Some(Next::Work(Box::new(waiting.jobs.swap_remove(index))));
            }
            let soonest = waiting.later.iter().map(|(at, _)| *at).min();
            waiting = match soonest {
                Some(at) => {
                    let pause = at.saturating_duration_since(now);
                    self.news.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.news.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn later(&self, at: Instant, told: Told) {
        self.lock().later.push((at, told));
        self.news.notify_one();
    }

    /// Whether something at least as urgent waits.
    fn others_wait(&self, urgency: Urgency) -> bool {
        self.lock().jobs.iter().any(|job| job.assignment.urgency <= urgency)
    }
}

impl Waiting {
    fn put(&mut self, mut job: QueuedWork) {
        self.turns += 1;
        job.turn = self.turns;
        self.jobs.push(job);
    }
}

enum Next {
    Work(Box<QueuedWork>),
    Tell(Told),
}

/// One worker: thinks until the queue is closed, and tells `tell` what it finds.
pub fn work(queue: &Queue, evaluators: &mut [Box<dyn Evaluator>], tell: &dyn Fn(Told)) {
    while let Some(next) = queue.next() {
        match next {
            Next::Tell(told) => tell(told),
            Next::Work(job) => slice(queue, *job, evaluators, tell),
        }
    }
}

/// Works on a job until it is done, cancelled, or others wait.
fn slice(queue: &Queue, mut job: QueuedWork, evaluators: &mut [Box<dyn Evaluator>], tell: &dyn Fn(Told)) {
    let began = *job.began.get_or_insert_with(Instant::now);
    let entered = Instant::now();
    let Some(evaluator) = evaluators.get_mut(job.assignment.net) else {
        let error = format!("there is no net {}", job.assignment.net);
        return tell(Told { table: job.table, ticket: job.assignment.ticket, step: Err(error) });
    };
    while !job.cancelled.load(Ordering::Relaxed) {
        let result = catch_unwind(AssertUnwindSafe(|| job.assignment.work.step(evaluator, began.elapsed())));
        let step = match result {
            Ok(step) => step.map_err(|error| error.to_string()),
            Err(panic) => Err(panic_text(&*panic)),
        };
        let (ticket, table) = (job.assignment.ticket, job.table.clone());
        match step {
            Ok(Step::GoesOn) => {}
            Ok(news @ Step::News(_)) => tell(Told { table, ticket, step: Ok(news) }),
            done => {
                let at = began + job.assignment.pause;
                let told = Told { table, ticket, step: done };
                return if at > Instant::now() { queue.later(at, told) } else { tell(told) };
            }
        }
        if entered.elapsed() > SLICE && queue.others_wait(job.assignment.urgency) {
            queue.lock().put(job);
            return;
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a bug: {}", text.unwrap_or("no reason given"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tablut_search::{EvaluateError, UniformEvaluator};
    use tablut_session::Work;

    /// Takes so many steps.
    struct Count(u32);

    impl Work for Count {
        fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
            self.0 = self.0.checked_sub(1).expect("a step after the last");
            Ok(if self.0 == 0 { Step::Done(Vec::new()) } else { Step::GoesOn })
        }
    }

    fn job(ticket: u64, urgency: Urgency, steps: u32) -> QueuedWork {
        let work = Box::new(Count(steps));
        let assignment = Assignment { ticket: Ticket(ticket), urgency, net: 0, pause: Duration::ZERO, work };
        QueuedWork::new("t".into(), assignment, Arc::default())
    }

    #[test]
    fn the_urgent_goes_first_the_cancelled_never_and_a_bug_is_told() {
        let queue = Queue::default();
        let cancelled = job(1, Urgency::Now, 1);
        cancelled.cancelled.store(true, Ordering::Relaxed);
        for job in [job(2, Urgency::Background, 3), cancelled, job(3, Urgency::Soon, 2), job(4, Urgency::Now, 0)] {
            queue.push(job).unwrap();
        }
        let told = Mutex::new(Vec::new());
        let tell = |word: Told| {
            let mut told = told.lock().unwrap();
            told.push((word.ticket.0, word.step.map_err(|error| error.contains("after the last"))));
            if told.len() == 3 {
                queue.close();
            }
        };
        work(&queue, &mut [Box::new(UniformEvaluator)], &tell);
        let done = || Ok(Step::Done(Vec::new()));
        assert_eq!(told.into_inner().unwrap(), [(4, Err(true)), (3, done()), (2, done())]);
    }

    #[test]
    fn more_than_enough_is_refused() {
        let queue = Queue::default();
        for ticket in 0..MAX_WAITING as u64 {
            queue.push(job(ticket, Urgency::Now, 1)).unwrap();
        }
        assert!(queue.push(job(0, Urgency::Now, 1)).is_err());
    }
}
