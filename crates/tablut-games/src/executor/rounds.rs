//! Tasks that one thread runs together.

use std::sync::atomic::Ordering;

use tablut_search::{EvaluateError, Evaluation, Evaluator, Situation};

use super::{Counters, LeafRequest, RunError, Task};
use crate::cancel::CancelToken;

/// Tasks that one thread runs together, in rounds: [gather](Self::gather) from every task, [evaluate](Self::evaluate) all
/// requests of each evaluator together, and [apply](Self::apply). It has no clock and no threads.
pub struct Rounds<T> {
    /// Tasks with their indices.
    pub(super) running: Vec<(usize, T)>,
    round: Round,
}

impl<T: Task> Rounds<T> {
    /// No tasks. Their requests name one of `n_evaluators` evaluators.
    pub fn new(n_evaluators: usize) -> Self {
        Self { running: Vec::new(), round: Round::new(n_evaluators) }
    }

    /// Adds a task between two rounds.
    pub fn add(&mut self, index: usize, task: T) {
        self.running.push((index, task));
    }

    /// The number of tasks.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Runs every task until it needs evaluations. Those that have ended leave, and `deliver` receives their outputs.
    ///
    /// # Errors
    /// If a task fails, or `cancel` is cancelled.
    pub fn gather(
        &mut self,
        cancel: &CancelToken,
        mut deliver: impl FnMut(usize, T::Output),
    ) -> Result<(), RunError<T::Error>> {
        self.round.clear();
        let mut slot = 0;
        while slot < self.running.len() {
            // A move of some players takes seconds, and a round has one of each task.
            if cancel.is_cancelled() {
                return Err(RunError::Stopped);
            }
            let (index, task) = &mut self.running[slot];
            if let Some(output) = task.gather(&mut self.round.requests).map_err(RunError::Task)? {
                deliver(*index, output);
                self.running.swap_remove(slot);
            } else {
                self.round.close(slot)?;
                slot += 1;
            }
        }
        Ok(())
    }

    /// Evaluates the requests of this round.
    ///
    /// # Errors
    /// If an evaluator fails.
    pub fn evaluate(
        &mut self,
        evaluators: &mut [Box<dyn Evaluator>],
        counters: &Counters,
    ) -> Result<(), EvaluateError> {
        self.round.evaluate(evaluators, counters)
    }

    /// The number of tasks with requests in this round.
    pub(super) fn asking(&self) -> usize {
        (0..self.running.len()).filter(|&slot| self.round.evaluations_of(slot).is_some()).count()
    }

    /// Gives the evaluations to the tasks.
    pub fn apply(&mut self) {
        for (slot, (_, task)) in self.running.iter_mut().enumerate() {
            if let Some(evaluations) = self.round.evaluations_of(slot) {
                task.apply(evaluations);
            }
        }
    }
}

/// The requests of one round, grouped by evaluator, and their evaluations, by task.
struct Round {
    requests: Vec<LeafRequest>,
    queries: Vec<Vec<Situation>>,
    origins: Vec<Vec<usize>>,
    ends: Vec<usize>,
    evaluations: Vec<Evaluation>,
}

impl Round {
    fn new(n_evaluators: usize) -> Self {
        Self {
            requests: Vec::new(),
            queries: vec![Vec::new(); n_evaluators],
            origins: vec![Vec::new(); n_evaluators],
            ends: Vec::new(),
            evaluations: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.requests.clear();
        self.queries.iter_mut().for_each(Vec::clear);
        self.origins.iter_mut().for_each(Vec::clear);
        self.ends.clear();
        self.evaluations.clear();
    }

    /// Ends the requests of the task in `slot`.
    fn close(&mut self, slot: usize) -> Result<(), EvaluateError> {
        debug_assert_eq!(slot, self.ends.len());
        let mut end = self.ends.last().copied().unwrap_or(0);
        for (evaluator, query) in self.requests.drain(..) {
            let queries = self.queries.get_mut(evaluator).ok_or_else(|| {
                EvaluateError::Failed(format!("a task requests evaluator {evaluator}, which does not exist").into())
            })?;
            queries.push(query);
            self.origins[evaluator].push(end);
            end += 1;
        }
        self.ends.push(end);
        Ok(())
    }

    fn evaluate(&mut self, evaluators: &mut [Box<dyn Evaluator>], counters: &Counters) -> Result<(), EvaluateError> {
        let total = self.ends.last().copied().unwrap_or(0);
        self.evaluations.resize_with(total, || Evaluation::uniform(0));
        for ((evaluator, queries), origins) in evaluators.iter_mut().zip(&self.queries).zip(&self.origins) {
            if queries.is_empty() {
                continue;
            }
            let evaluations = evaluator.evaluate(queries)?;
            counters.evaluations.fetch_add(queries.len() as u64, Ordering::Relaxed);
            counters.batches.fetch_add(1, Ordering::Relaxed);
            for (&origin, evaluation) in origins.iter().zip(evaluations) {
                self.evaluations[origin] = evaluation;
            }
        }
        Ok(())
    }

    /// The evaluations for the task in `slot`, if it requested any.
    fn evaluations_of(&self, slot: usize) -> Option<&[Evaluation]> {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        let end = *self.ends.get(slot)?;
        (start < end).then(|| &self.evaluations[start..end])
    }
}
