//! The jobs of the open game. They take turns step by step, the urgent ones first.

use std::sync::atomic::Ordering;
use std::time::Duration;
use tablut_search::Evaluator;
use tablut_session::{JobId, SessionJob, Step};

/// A job that waits for its next step.
struct WaitingJob {
    job: SessionJob,
    /// When it took its first step.
    began: Option<Duration>,
    /// Its place among the jobs of its priority.
    turn: u64,
}

/// A step of a job, or the error that ended it.
pub struct JobStep {
    pub job: JobId,
    pub step: Result<Step, String>,
}

/// The jobs, and results that must not be reported before a time. All times are since one moment in the past.
#[derive(Default)]
pub struct Jobs {
    waiting: Vec<WaitingJob>,
    delayed: Vec<(Duration, JobStep)>,
    turns: u64,
}

impl Jobs {
    /// Adds a job.
    pub fn add(&mut self, job: SessionJob) {
        self.turns += 1;
        self.waiting.push(WaitingJob { job, began: None, turn: self.turns });
    }

    /// Takes one step of the first job. Returns the step if it reports something.
    pub fn step(&mut self, now: Duration, net: &mut dyn Evaluator) -> Option<JobStep> {
        if let Some(due) = self.delayed.iter().position(|(at, _)| *at <= now) {
            return Some(self.delayed.swap_remove(due).1);
        }
        let next = self.next()?;
        self.turns += 1;
        let WaitingJob { job, began, turn, .. } = &mut self.waiting[next];
        *turn = self.turns;
        let began = *began.get_or_insert(now);
        let step = job.work.step(net, now.saturating_sub(began)).map_err(|error| error.to_string());
        let is_over = matches!(step, Ok(Step::Done(_)) | Err(_));
        let (taken, at) = (JobStep { job: job.id, step }, began + job.delay);
        if is_over {
            self.waiting.swap_remove(next);
            if at > now {
                self.delayed.push((at, taken));
                return None;
            }
        }
        (!matches!(taken.step, Ok(Step::Continue))).then_some(taken)
    }

    /// The time until there is something to do: zero for at once, `None` if it is unknown.
    pub fn pause(&mut self, now: Duration) -> Option<Duration> {
        let delayed = self.delayed.iter().map(|(at, _)| at.saturating_sub(now)).min();
        if self.next().is_some() { Some(Duration::ZERO) } else { delayed }
    }

    /// The index of the job that takes the next step. Cancelled jobs are removed.
    fn next(&mut self) -> Option<usize> {
        self.waiting.retain(|waiting| !waiting.job.cancelled.load(Ordering::Relaxed));
        let waiting = self.waiting.iter().enumerate();
        waiting.min_by_key(|(_, waiting)| (waiting.job.priority, waiting.turn)).map(|(index, _)| index)
    }
}
