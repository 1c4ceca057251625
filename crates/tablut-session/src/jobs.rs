//! The jobs that wait for a host's threads. A host passes the time in, as the time since one moment in the past.

use crate::shared_search::SharedSearch;
use crate::work::{Step, Work};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tablut_search::Evaluator;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct JobId(pub u64);

/// A job's game and its number there.
pub type JobName = (Arc<str>, JobId);

#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Priority {
    /// An interface waits for a move or a verdict.
    Now,
    /// An interface shows the result while it grows.
    Soon,
    Background,
}

pub struct SessionJob {
    pub game: Arc<str>,
    pub id: JobId,
    pub priority: Priority,
    /// Index of the evaluator: the nets of [`HostConfig::nets`](crate::HostConfig::nets), then those of
    /// [`HostConfig::checkpoints`](crate::HostConfig::checkpoints).
    pub net: usize,
    /// Minimum time between the start of the work and the report of its last updates.
    pub delay: Duration,
    /// Set when the result is no longer needed.
    pub cancelled: Arc<AtomicBool>,
    pub work: Box<dyn Work>,
    /// The time of the first step. `None` before it.
    pub began: Option<Duration>,
}

impl SessionJob {
    pub fn step(&mut self, evaluator: &mut dyn Evaluator, now: Duration) -> Result<Step, String> {
        let began = *self.began.get_or_insert(now);
        self.work.step(evaluator, now.saturating_sub(began)).map_err(|error| error.to_string())
    }

    pub fn name(&self) -> JobName {
        (self.game.clone(), self.id)
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub fn update(&self, step: Result<Step, String>) -> JobUpdate {
        JobUpdate { game: self.game.clone(), job: self.id, step }
    }
}

pub struct JobUpdate {
    pub game: Arc<str>,
    pub job: JobId,
    pub step: Result<Step, String>,
}

pub enum JobTask {
    /// Do a step of this job, and give it back with [`JobQueue::push`] unless it has ended.
    Run(Box<SessionJob>),
    Report(JobUpdate),
}

/// Jobs in the order of their priorities. Jobs of one priority take turns.
#[derive(Default)]
pub struct JobQueue {
    waiting: BTreeMap<(Priority, u64), SessionJob>,
    /// Last updates that must not be reported before a time.
    delayed: Vec<(Duration, JobUpdate)>,
    turns: u64,
    /// While nobody looks, shared searches wait, except those with priority [`Priority::Now`].
    pub hidden: bool,
}

impl JobQueue {
    /// Adds a job behind the others of its priority.
    pub fn push(&mut self, job: SessionJob) {
        self.turns += 1;
        self.waiting.insert((job.priority, self.turns), job);
    }

    pub fn waiting(&self) -> impl ExactSizeIterator<Item = &SessionJob> {
        self.waiting.values()
    }

    /// The first job in which several workers may take part, with its search. All of them have the first net.
    pub fn shared(&mut self) -> Option<(JobName, &mut SharedSearch)> {
        let mut open = self.waiting.values_mut().filter(|job| job.net == 0 && !job.is_cancelled());
        open.find_map(|job| Some((job.name(), job.work.shared()?)))
    }

    /// Returns the last update of a job, or keeps it until the job's delay is over.
    pub fn finish(&mut self, job: &SessionJob, step: Result<Step, String>, now: Duration) -> Option<JobUpdate> {
        let at = job.began.unwrap_or(now) + job.delay;
        let update = job.update(step);
        if at <= now {
            return Some(update);
        }
        self.delayed.push((at, update));
        None
    }

    /// What a thread does next. `None` if there is nothing to do at this time.
    pub fn next(&mut self, now: Duration) -> Option<JobTask> {
        if let Some(due) = self.delayed.iter().position(|(at, _)| *at <= now) {
            return Some(JobTask::Report(self.delayed.swap_remove(due).1));
        }
        let first = self.first()?;
        self.waiting.remove(&first).map(|job| JobTask::Run(Box::new(job)))
    }

    /// The time until there is something to do. `None` until a job is added.
    pub fn pause(&mut self, now: Duration) -> Option<Duration> {
        match self.first() {
            Some(_) => Some(Duration::ZERO),
            None => self.delayed.iter().map(|(at, _)| at.saturating_sub(now)).min(),
        }
    }

    /// The place of the first job that need not wait. Cancelled jobs are removed.
    fn first(&mut self) -> Option<(Priority, u64)> {
        self.waiting.retain(|_, job| !job.is_cancelled());
        let hidden = self.hidden;
        let waits = |job: &mut SessionJob| hidden && job.priority != Priority::Now && job.work.shared().is_some();
        self.waiting.iter_mut().find_map(|(place, job)| (!waits(job)).then_some(*place))
    }
}
