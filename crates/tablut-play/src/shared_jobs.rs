//! The threads that run the jobs of all games, in short slices. No game has to wait until another game's long search
//! ends.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tablut_search::Evaluator;
use tablut_session::{JobQueue, JobTask, JobUpdate, LiveGame, Response, SessionJob, Step};

/// The evaluators of one worker, one for each net.
pub type Evaluators = Vec<Box<dyn Evaluator>>;

/// The time that a worker spends on a job before it takes the next one that waits.
const SLICE: Duration = Duration::from_millis(15);
const MAX_WAITING: usize = 512;

pub struct SharedJobs {
    /// The jobs. `None` when the workers must end.
    queue: Mutex<Option<JobQueue>>,
    changed: Condvar,
    created: Instant,
}

impl Default for SharedJobs {
    fn default() -> Self {
        Self { queue: Mutex::new(Some(JobQueue::default())), changed: Condvar::new(), created: Instant::now() }
    }
}

impl SharedJobs {
    /// Moves a response's jobs into the queue. The events stay in the response.
    pub fn start(&self, game: &mut LiveGame, mut response: Response) -> Response {
        for job in std::mem::take(&mut response.jobs) {
            if let Err(refused) = self.push(job) {
                response.all.extend(game.update(refused).all);
            }
        }
        response
    }

    /// Adds a job. Returns the job's update with an error if the queue is full.
    fn push(&self, job: SessionJob) -> Result<(), JobUpdate> {
        let mut queue = self.lock();
        let Some(jobs) = queue.as_mut() else { return Ok(()) };
        if jobs.waiting().len() >= MAX_WAITING {
            return Err(job.update(Err(format!("{MAX_WAITING} searches are waiting; try again in a moment"))));
        }
        jobs.push(job);
        drop(queue);
        self.changed.notify_one();
        Ok(())
    }

    pub fn close(&self) {
        *self.lock() = None;
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
        while let Some(task) = self.next() {
            match task {
                JobTask::Report(update) => report(update),
                JobTask::Run(job) => {
                    refresh(evaluators);
                    self.run_slice(*job, evaluators, report);
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<JobQueue>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job or a delayed update. `None` when the queue is closed.
    fn next(&self) -> Option<JobTask> {
        let mut queue = self.lock();
        loop {
            let now = self.created.elapsed();
            let jobs = queue.as_mut()?;
            if let Some(task) = jobs.next(now) {
                return Some(task);
            }
            queue = match jobs.pause(now) {
                Some(pause) => self.changed.wait_timeout(queue, pause).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Runs a job until it is done or cancelled, or until its slice is over and others wait.
    fn run_slice(&self, mut job: SessionJob, evaluators: &mut [Box<dyn Evaluator>], report: &dyn Fn(JobUpdate)) {
        let entered = Instant::now();
        let Some(evaluator) = evaluators.get_mut(job.net) else {
            return report(job.update(Err(format!("there is no net {}", job.net))));
        };
        while !job.is_cancelled() {
            let step = catch_unwind(AssertUnwindSafe(|| job.step(evaluator, self.created.elapsed())));
            match step.unwrap_or_else(|panic| Err(panic_text(&*panic))) {
                Ok(Step::Continue) => {}
                step @ Ok(Step::Progress(_)) => report(job.update(step)),
                step @ (Ok(Step::Done(_)) | Err(_)) => {
                    let mut queue = self.lock();
                    let Some(jobs) = queue.as_mut() else { return };
                    let update = jobs.finish(&job, step, self.created.elapsed());
                    drop(queue);
                    match update {
                        Some(update) => report(update),
                        None => self.changed.notify_one(),
                    }
                    return;
                }
            }
            if entered.elapsed() > SLICE
                && let Some(jobs) = self.lock().as_mut()
                && jobs.waiting().any(|waiting| waiting.priority <= job.priority)
            {
                return jobs.push(job);
            }
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("internal error: {}", text.unwrap_or("no message"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tablut_search::{EvaluateError, UniformEvaluator};
    use tablut_session::{JobId, Priority, Work};

    /// Ends after this number of steps.
    struct Count(u32);

    impl Work for Count {
        fn step(&mut self, _: &mut dyn Evaluator, _: Duration) -> Result<Step, EvaluateError> {
            self.0 = self.0.checked_sub(1).expect("a step after the last");
            Ok(if self.0 == 0 { Step::Done(Vec::new()) } else { Step::Continue })
        }
    }

    fn push(jobs: &SharedJobs, id: u64, priority: Priority, steps: u32, cancelled: bool) -> Result<(), JobUpdate> {
        let (id, cancelled) = (JobId(id), Arc::new(cancelled.into()));
        let (work, delay) = (Box::new(Count(steps)), Duration::ZERO);
        jobs.push(SessionJob { game: "t".into(), id, priority, net: 0, delay, cancelled, work, began: None })
    }

    #[test]
    fn the_urgent_goes_first_the_cancelled_never_and_a_bug_is_reported() {
        let jobs = SharedJobs::default();
        push(&jobs, 2, Priority::Background, 3, false).ok().unwrap();
        push(&jobs, 1, Priority::Now, 1, true).ok().unwrap();
        push(&jobs, 3, Priority::Soon, 2, false).ok().unwrap();
        push(&jobs, 4, Priority::Now, 0, false).ok().unwrap();
        let reported = Mutex::new(Vec::new());
        let report = |update: JobUpdate| {
            let mut reported = reported.lock().unwrap();
            let is_done = |step| matches!(step, Step::Done(updates) if updates.is_empty());
            let step = update.step.map(is_done).map_err(|error| error.contains("after the last"));
            reported.push((update.job.0, step));
            if reported.len() == 3 {
                jobs.close();
            }
        };
        jobs.work(&mut vec![Box::new(UniformEvaluator)], &mut |_| {}, &report);
        assert_eq!(reported.into_inner().unwrap(), [(4, Err(true)), (3, Ok(true)), (2, Ok(true))]);
    }

    #[test]
    fn more_than_enough_is_refused() {
        let jobs = SharedJobs::default();
        for id in 0..MAX_WAITING as u64 {
            push(&jobs, id, Priority::Now, 1, false).ok().unwrap();
        }
        assert!(push(&jobs, 0, Priority::Now, 1, false).is_err());
    }
}
