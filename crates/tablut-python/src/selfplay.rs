//! Self-play in the background, as an iterator of records.

use crate::callable::Message;
use crate::calling_thread::{messages, next_message};
use crate::errors::{runtime_error, value_error};
use crate::json::from_python;
use crate::model::{PyModel, n_threads};
use crate::record::PyRecord;
use crate::rules::rules_list;
use crate::search::{Prepared, Source};
use pyo3::exceptions::PyStopIteration;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tablut_games::{
    CancelToken, Concurrency, Counters, GameRecord, RunError, SelfPlayConfig, SelfPlayGame, deliver_tasks, game_rng,
};
use tablut_rules::Rules;
use tablut_search::SelfPlaySearch;

type Numbered = (usize, GameRecord);

type Ended = Result<(), RunError>;

struct Running {
    receiver: Receiver<Message<Numbered>>,
    thread: Option<JoinHandle<Ended>>,
    /// Games that ended before one with a lower number.
    waiting: BTreeMap<usize, GameRecord>,
    next: usize,
}

/// Games of self-play. Iterating yields a `Record` for each game, in order.
///
/// With a `Model` the games are played in the background. A callable runs on the thread that waits for the next game.
/// The games belong to the process that began them. In a forked process, and in a second thread, the next game raises
/// `RuntimeError`.
#[pyclass(frozen, name = "SelfPlay", module = "tablut")]
pub(crate) struct PySelfPlay {
    running: Mutex<Running>,
    /// Python's garbage collector takes them, because a callable may own this iterator.
    callables: Mutex<Vec<Py<PyAny>>>,
    rules: Vec<Arc<Rules>>,
    n_games: usize,
    cancel: CancelToken,
    counters: Arc<Counters>,
    process: u32,
}

#[pymethods]
impl PySelfPlay {
    /// Evaluations so far.
    #[getter]
    fn evaluations(&self) -> u64 {
        self.counters.evaluations.load(Ordering::Relaxed)
    }

    fn __len__(&self) -> usize {
        self.n_games
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecord>> {
        if self.process != std::process::id() {
            return Err(runtime_error("these games belong to another process, from which this one was forked"));
        }
        let Ok(mut running) = self.running.try_lock() else {
            return Err(runtime_error("another thread is waiting for the next game"));
        };
        self.wait(py, &mut running).map_err(|error| {
            self.cancel.cancel();
            if !error.is_instance_of::<PyStopIteration>(py) {
                return error;
            }
            // It would end the iterator as if all games were played.
            let other = runtime_error("the evaluator raised StopIteration");
            other.set_cause(py, Some(error));
            other
        })
    }

    /// Stops the games and their threads. The iterator then ends.
    fn close(&self, py: Python<'_>) {
        self.cancel.cancel();
        // Otherwise another thread waits for a game, and ends soon.
        if let Ok(mut running) = self.running.try_lock() {
            let running = &mut *running;
            py.detach(|| self.stop(running));
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(callables) = self.callables.try_lock() else { return Ok(()) };
        callables.iter().try_for_each(|callable| visit.call(callable))
    }

    fn __clear__(&self) {
        self.cancel.cancel();
        if let Ok(mut callables) = self.callables.try_lock() {
            callables.clear();
        }
    }
}

impl PySelfPlay {
    fn wait(&self, py: Python<'_>, running: &mut Running) -> PyResult<Option<PyRecord>> {
        loop {
            if self.cancel.is_cancelled() {
                return Ok(None);
            }
            if let Some(record) = running.waiting.remove(&running.next) {
                let rules = self.rules[running.next % self.rules.len()].clone();
                running.next += 1;
                return Ok(Some(PyRecord { record, rules }));
            }
            if running.next == self.n_games {
                return Ok(None);
            }
            match next_message(py, &mut running.receiver)? {
                Some(Message::Part((index, record))) => {
                    running.waiting.insert(index, record);
                }
                Some(Message::Batch(batch)) => batch.answer(py, &self.callables(py))?,
                Some(Message::Done) => self.end(py, running)?,
                None if running.thread.as_ref().is_some_and(JoinHandle::is_finished) => self.end(py, running)?,
                None => {}
            }
        }
    }

    /// Joins the thread and returns its error if the games ended early.
    fn end(&self, py: Python<'_>, running: &mut Running) -> PyResult<()> {
        while let Ok(message) = running.receiver.try_recv() {
            if let Message::Part((index, record)) = message {
                running.waiting.insert(index, record);
            }
        }
        let Some(thread) = running.thread.take() else {
            return Err(runtime_error("the games have ended before the last one"));
        };
        match py.detach(|| thread.join()) {
            Ok(Ok(())) if running.waiting.len() + running.next == self.n_games => Ok(()),
            Ok(Ok(())) => Err(runtime_error("the games have ended before the last one")),
            Ok(Err(error)) => Err(runtime_error(error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl PySelfPlay {
    fn callables(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let callables = self.callables.lock().unwrap_or_else(PoisonError::into_inner);
        callables.iter().map(|callable| callable.clone_ref(py)).collect()
    }

    /// Ends the threads. The games must have been cancelled.
    fn stop(&self, running: &mut Running) {
        let thread = running.thread.take();
        // Dropping the receiver lets threads continue that wait for it or for answers.
        running.receiver = messages().1;
        if self.process == std::process::id() {
            if let Some(thread) = thread {
                // The threads do not need Python's lock, so they end soon.
                let _ = thread.join();
            }
        } else {
            std::mem::forget(thread);
        }
    }
}

impl Drop for PySelfPlay {
    fn drop(&mut self) {
        self.cancel.cancel();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop(&mut running);
    }
}

/// Plays games of a net, or of a callable, against itself. Iterating over the result yields a `Record` of each game.
///
/// `rules` is a rule set or a list of rule sets, which take turns. `simulations` is the number per search. A game
/// begins with up to `opening_plies` random plies and is stopped after `max_plies`. `options` changes settings of the
/// search: `solver`, `max_considered`, `c_scale`. The games depend on the seed and the generation, not on threads. They
/// equal those of `tablut selfplay` while its searches are equal (`selfplay.balance`). `evaluator` is a callable as for `search`. Each of `threads`
/// threads plays `batch` games at once, and their positions form batches.
#[pyfunction]
#[pyo3(signature = (model=None, *, evaluator=None, rules=None, games, simulations=32, opening_plies=4, max_plies=150, options=None,
    seed=1, generation=0, threads=None, batch=64))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the Python function")]
pub(crate) fn self_play(
    py: Python<'_>,
    model: Option<Py<PyModel>>,
    evaluator: Option<Py<PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    games: usize,
    simulations: u32,
    opening_plies: u32,
    max_plies: u32,
    options: Option<&Bound<'_, PyDict>>,
    #[pyo3(from_py_with = crate::items::seed)] seed: u64,
    generation: u64,
    threads: Option<usize>,
    batch: usize,
) -> PyResult<PySelfPlay> {
    let rules = rules_list(rules)?;
    let search = match options {
        Some(options) => from_python("options", options)?,
        None => SelfPlaySearch::default(),
    };
    search.validate().map_err(value_error)?;
    let config = SelfPlayConfig { opening_plies, max_plies, ..SelfPlayConfig::default() };
    let workers = n_threads(threads)?.clamp(1, games.max(1));
    let source = Source::of(py, model, evaluator)?;
    let (to_caller, receiver) = messages();
    let evaluators = Prepared::new(source.evaluators(workers, 1, 0, &to_caller)?);
    let (cancel, counters) = (CancelToken::new(), Arc::new(Counters::default()));
    let thread = {
        let (cancel, counters, rules) = (cancel.clone(), Arc::clone(&counters), rules.clone());
        std::thread::spawn(move || {
            let game = |index: usize| {
                let rng = game_rng(seed, generation, index as u64);
                SelfPlayGame::new(index as u64, &rules[index % rules.len()], &config, &search, simulations, rng)
            };
            let deliver = |index: usize, record: GameRecord| {
                let _ = to_caller.send(Message::Part((index, record)));
            };
            let concurrency = Concurrency { workers, tasks_per_worker: batch };
            let make_evaluators = || vec![evaluators.take()];
            let ended = deliver_tasks(games, concurrency, game, make_evaluators, &counters, &cancel, deliver);
            let _ = to_caller.send(Message::Done);
            ended
        })
    };
    let running = Running { receiver, thread: Some(thread), waiting: BTreeMap::new(), next: 0 };
    let callables = Mutex::new(source.callable(py).into_iter().collect());
    let process = std::process::id();
    Ok(PySelfPlay { running: Mutex::new(running), callables, rules, n_games: games, cancel, counters, process })
}
