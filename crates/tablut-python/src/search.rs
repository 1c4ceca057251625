//! Searches of one or many games, with a net or a Python callable.

use crate::callable::{CallableEvaluator, Message};
use crate::calling_thread::{messages, supervise};
use crate::errors::{runtime_error, type_error, value_error};
use crate::game::PyGame;
use crate::items::Items;
use crate::model::{PyModel, n_threads};
use crate::search_result::PySearchResult;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use tablut_games::{Concurrency, Counters, LeafRequest, Task, run_tasks};
use tablut_players::SearchOptions;
use tablut_rules::Game;
use tablut_search::{Evaluation, Evaluator, Limit, Search, SearchConfig, Situation};
use tablut_session::report_search;

const SIMULATIONS: u32 = 800;
/// The maximum number of positions that one search sends to the evaluator at once.
const MAX_BATCH: usize = 32;

pub(crate) enum Source {
    Model(Py<PyModel>),
    Callable(Py<PyAny>),
}

impl Source {
    /// The evaluator of a call: a model, a callable, or the shipped net if neither is given.
    pub(crate) fn of(py: Python<'_>, model: Option<Py<PyModel>>, evaluator: Option<Py<PyAny>>) -> PyResult<Self> {
        match (model, evaluator) {
            (Some(_), Some(_)) => Err(value_error("a model and an evaluator: expected one of the two")),
            (Some(model), None) => Ok(Self::Model(model)),
            (None, None) => Ok(Self::Model(PyModel::shipped(py)?)),
            (None, Some(callable)) if callable.bind(py).is_callable() => Ok(Self::Callable(callable)),
            (None, Some(other)) => Err(type_error(format!(
                "evaluator: found {}, expected a callable of planes and features",
                other.bind(py).get_type().name()?
            ))),
        }
    }

    pub(crate) fn callable(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match self {
            Self::Model(_) => None,
            Self::Callable(callable) => Some(callable.clone_ref(py)),
        }
    }

    /// `n` evaluators, of which each evaluates a batch of a net on `threads` threads. `callable` is the index of the
    /// callable in the list of callables.
    pub(crate) fn evaluators<T: Send + 'static>(
        &self,
        n: usize,
        threads: usize,
        callable: usize,
        to_caller: &SyncSender<Message<T>>,
    ) -> PyResult<Vec<Box<dyn Evaluator>>> {
        let evaluator = |_| -> PyResult<Box<dyn Evaluator>> {
            match self {
                Self::Model(model) => model.get().evaluator(threads),
                Self::Callable(_) => Ok(Box::new(CallableEvaluator { callable, to_caller: to_caller.clone() })),
            }
        };
        (0..n).map(evaluator).collect()
    }
}

/// Items that were created for the worker threads. Each thread takes one.
pub(crate) struct Prepared<T>(Mutex<Vec<T>>);

impl<T> Prepared<T> {
    pub(crate) fn new(items: Vec<T>) -> Self {
        Self(Mutex::new(items))
    }

    /// The next item.
    ///
    /// # Panics
    /// If there are more workers than items.
    pub(crate) fn take(&self) -> T {
        self.0.lock().expect("no thread panics while it holds the lock").pop().expect("an item for each worker")
    }
}

/// The limit of a search: simulations, a time such as `"200ms"`, or both.
fn limit(simulations: Option<u32>, time: Option<&Bound<'_, PyAny>>) -> PyResult<Limit> {
    let Some(time) = time else {
        return Ok(Limit::of_simulations(simulations.unwrap_or(SIMULATIONS)));
    };
    let text = time.str()?.to_string();
    let time: Limit = text.parse().map_err(value_error)?;
    if time.simulations().is_some() {
        return Err(value_error(format!("time {text:?}: expected a time such as 200ms or 2s")));
    }
    Limit::new(simulations, time.time()).map_err(value_error)
}

/// Settings of a search, with changes such as `{"method": "puct"}`.
fn config(purpose: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<SearchConfig> {
    let config = match purpose {
        "analysis" => report_search(),
        "play" => SearchConfig::for_play(),
        _ => return Err(value_error(format!("purpose {purpose:?}: expected \"analysis\" or \"play\""))),
    };
    Ok(search_options(options)?.apply(config))
}

/// Changes to a search's settings from a dict, with the keys of a player's text.
pub(crate) fn search_options(options: Option<&Bound<'_, PyDict>>) -> PyResult<SearchOptions> {
    let Some(options) = options.filter(|options| !options.is_empty()) else {
        return Ok(SearchOptions::default());
    };
    let text = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let value = match value.extract::<bool>() {
            Ok(flag) => flag.to_string(),
            Err(_) => value.str()?.to_string(),
        };
        Ok(format!("{}={value}", key.str()?))
    };
    let texts = options.iter().map(text).collect::<PyResult<Vec<String>>>()?;
    texts.join(",").parse().map_err(value_error)
}

struct SearchTask {
    search: Option<Search>,
    began: Option<Instant>,
    queries: Vec<Situation>,
}

impl SearchTask {
    /// A search of a game that is not over. Its random numbers depend on the seed and the ply, as in all programs of
    /// tablut.
    fn new(game: Game, config: &SearchConfig, limit: Limit, seed: u64) -> Self {
        Self { search: Some(Search::seeded(game, config, limit, seed)), began: None, queries: Vec::new() }
    }
}

impl Task for SearchTask {
    type Output = Search;
    type Error = Infallible;

    fn gather(&mut self, requests: &mut Vec<LeafRequest>) -> Result<Option<Search>, Infallible> {
        let began = *self.began.get_or_insert_with(Instant::now);
        let Some(search) = &mut self.search else { return Ok(None) };
        if search.goes_on(began.elapsed()) {
            search.gather_at_most(&mut self.queries, MAX_BATCH);
            requests.extend(self.queries.drain(..).map(|query| (0, query)));
            return Ok(if search.is_done() { self.search.take() } else { None });
        }
        Ok(self.search.take())
    }

    fn apply(&mut self, evaluations: &[Evaluation]) {
        if let Some(search) = &mut self.search {
            search.apply(evaluations);
        }
    }
}

/// Searches a game, or each game of a list, and returns a `SearchResult` for each.
///
/// `model` is a `Model`. `evaluator` is a callable that receives `planes` f32 `[n, 16, width, width]` and `features` f32
/// `[n, 48]`. It returns a tuple of policy logits f32 `[n, rules.policy_entries]`, a value, and optionally the plies left
/// f32 `[n]`. The value is f32 `[n]` from −1 (the defenders win) to 1, or the probabilities of an attackers' win, a draw
/// and a defenders' win, f32 `[n, 3]`. The softmax of the policy is over the legal moves only. Positions on boards of
/// several sizes come in a call for each size. Without model and evaluator the net that comes with the package is used.
///
/// The callable runs on the calling thread, so a `with torch.no_grad():` around the call applies to it. An exception in
/// it ends the search and is raised unchanged. An array of the wrong shape raises `ValueError`, one of the wrong dtype
/// `TypeError`.
///
/// `simulations` is 800 unless a `time` such as `"200ms"` is given. `purpose` is `"analysis"`, as in `tablut analyze`,
/// or `"play"`, as in matches. `options` changes settings of the search, with the keys of a player's text: `{"method":
/// "puct", "draw_value": 0}`.
///
/// Each of `threads` threads searches `batch` games at once. The positions of these games form batches: with 64 games
/// and the default search, of some hundred positions. If there are fewer games than threads, several threads evaluate the
/// positions of one game.
#[pyfunction]
#[pyo3(signature = (games, model=None, *, evaluator=None, simulations=None, time=None, purpose="analysis", options=None, seed=0,
    threads=None, batch=64))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the Python function")]
pub(crate) fn search<'py>(
    py: Python<'py>,
    games: &Bound<'py, PyAny>,
    model: Option<Py<PyModel>>,
    evaluator: Option<Py<PyAny>>,
    simulations: Option<u32>,
    time: Option<&Bound<'py, PyAny>>,
    purpose: &str,
    options: Option<&Bound<'py, PyDict>>,
    #[pyo3(from_py_with = crate::items::seed)] seed: u64,
    threads: Option<usize>,
    batch: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (one, games) = games_of(games)?;
    let (config, limit) = (config(purpose, options)?, limit(simulations, time)?);
    // A single search gathers positions on one thread, but the net evaluates them on all.
    let threads = n_threads(threads)?;
    let workers = threads.min(games.len().max(1));
    let concurrency = Concurrency { workers, tasks_per_worker: batch.max(1) };
    let source = Source::of(py, model, evaluator)?;
    let callables: Vec<Py<PyAny>> = source.callable(py).into_iter().collect();
    let (to_caller, receiver) = messages();
    let evaluators = Prepared::new(source.evaluators(workers, threads / workers, 0, &to_caller)?);
    let found = supervise(
        py,
        &callables,
        receiver,
        &to_caller,
        |()| Ok(()),
        |cancel| {
            run_tasks(
                games.len(),
                concurrency,
                |place| SearchTask::new(games[place].clone(), &config, limit, seed),
                || vec![evaluators.take()],
                &Counters::default(),
                cancel,
                |_, _| {},
            )
        },
    )?;
    let results = found.map_err(runtime_error)?.into_iter().map(|search| PySearchResult::new(&search));
    if one {
        let mut results = results.collect::<Vec<_>>();
        return Ok(Bound::new(py, results.remove(0))?.into_any());
    }
    let results = results.map(|result| Py::new(py, result)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(py, results)?.into_any())
}

/// Copies of the games, and whether `object` is a single game. Fails if a game is over.
fn games_of(object: &Bound<'_, PyAny>) -> PyResult<(bool, Vec<Game>)> {
    let one = object.cast::<PyGame>().is_ok();
    let games: Vec<PyRef<'_, PyGame>> = if one { vec![object.extract()?] } else { object.extract::<Items<_>>()?.0 };
    for (place, game) in games.iter().enumerate() {
        game.expect_open(|| if one { "the game".to_owned() } else { format!("game {place}") })?;
    }
    Ok((one, games.iter().map(|game| game.game.clone()).collect()))
}
