//! Nets: model files, tensors, and evaluations of many positions.
//!
//! Locks are taken only while Python's own lock is held, so a process can fork at any time.

use crate::errors::{net_error, runtime_error, value_error};
use crate::game::PyGame;
use crate::items::Items;
use crate::json::{from_python, to_python};
use crate::record::{PyRecord, training_batch};
use crate::rules::{PyRules, rules_list};
use crate::threads::Workers;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyMapping, PyTuple, PyType};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tablut_games::{SHIPPED, load_net};
use tablut_learn::{CpuBackend, LearnerState, OptimizerConfig};
use tablut_net::{
    Card, Inference, InputBatch, MOVES_LEFT_UNIT, Model, NetError, NetEvaluator, OutputBatch, PooledNet, StatedRules,
    TrainingSummary, Weights, encode,
};
use tablut_rules::{MoveList, Situation};
use tablut_search::Evaluator;
use tablut_search::formulas::softmax::{exp, log_softmax};

pub(crate) const SHIPPED_NAME: &str = "the net that comes with the package";

const CHUNK: usize = 4096;
/// The least and the largest number of positions that a thread takes at a time.
const ROWS: (usize, usize) = (16, 64);

/// The shipped net, loaded once.
static LOADED: PyOnceLock<Py<PyModel>> = PyOnceLock::new();

/// A net with information about it.
#[pyclass(frozen, name = "Model", module = "tablut")]
pub(crate) struct PyModel {
    net: PooledNet,
    /// Engines that are not in use.
    idle: Mutex<Vec<Box<dyn Inference>>>,
}

impl PyModel {
    fn new(name: String, model: Model) -> PyResult<Self> {
        let net = PooledNet::new(name, model, None).map_err(value_error)?;
        Ok(Self { net, idle: Mutex::default() })
    }

    /// An evaluator that distributes each batch among `threads` threads. Call it only while Python's lock is held.
    pub(crate) fn evaluator(&self, threads: usize) -> PyResult<Box<dyn Evaluator>> {
        Ok(Box::new(NetEvaluator::new(self.net.inference(threads).map_err(runtime_error)?)))
    }

    fn model(&self) -> Model {
        let PooledNet { weights, rules, training, card, .. } = &self.net;
        Model { weights: (**weights).clone(), rules: rules.clone(), training: training.clone(), card: card.clone() }
    }

    fn take(&self, n: usize) -> PyResult<Vec<Box<dyn Inference>>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut engines = std::mem::take(&mut *idle);
        *idle = engines.split_off(n.min(engines.len()));
        while engines.len() < n {
            engines.push(self.net.inference(1).map_err(runtime_error)?);
        }
        Ok(engines)
    }

    fn give_back(&self, engines: Vec<Box<dyn Inference>>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(engines);
    }
}

#[pymethods]
impl PyModel {
    /// Reads a net: a model file, the folder of a run for its newest net, or `shipped`.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Self> {
        Self::new(path.display().to_string(), load_net(&path).map_err(net_error)?)
    }

    /// The net that comes with the package. Its `rules` are those that it was trained on.
    #[staticmethod]
    pub(crate) fn shipped(py: Python<'_>) -> PyResult<Py<PyModel>> {
        let model = || load_net(Path::new(SHIPPED)).map_err(net_error);
        let load = || Py::new(py, Self::new(SHIPPED_NAME.to_owned(), model()?)?);
        LOADED.get_or_try_init(py, load).map(|model| model.clone_ref(py))
    }

    /// An untrained net of a shape such as `"lines32x2"`. Its weights depend only on shape and seed, as in `tablut train`.
    #[staticmethod]
    #[pyo3(signature = (shape, *, rules=None, seed=1))]
    fn untrained(
        shape: &str,
        rules: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = crate::items::seed)] seed: u64,
    ) -> PyResult<Self> {
        let weights = Weights::initial(&shape.parse().map_err(value_error)?, seed);
        Self::new(format!("untrained, seed {seed}"), bare(weights, rules)?)
    }

    /// A net of a shape such as `"lines32x2"` with these tensors: a dict of float arrays with the names and dimensions of
    /// `tensors`. `rules` is the rule set or the list of rule sets that the net was trained on, by default kvasir. `card`
    /// is a dict with keys of a model card, such as `about` and `licence`.
    #[staticmethod]
    #[pyo3(signature = (shape, tensors, *, rules=None, card=None))]
    fn from_tensors(
        shape: &str,
        tensors: &Bound<'_, PyMapping>,
        rules: Option<&Bound<'_, PyAny>>,
        card: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let architecture = shape.parse().map_err(value_error)?;
        let mut read = BTreeMap::new();
        for item in tensors.items()? {
            let (name, array) = item.extract::<(String, Bound<'_, PyAny>)>()?;
            let array = array.py().import("numpy")?.call_method1("asarray", (array, "float32"))?;
            read.insert(name, array.cast::<PyArrayDyn<f32>>()?.readonly().as_array().to_owned());
        }
        let card: Option<Card> = card.map(|card| from_python("card", card)).transpose()?;
        card.as_ref().map_or(Ok(()), Card::check).map_err(|reason| value_error(format!("card: {reason}")))?;
        let model = bare(Weights::new(architecture, read).map_err(value_error)?, rules)?;
        Self::new("from tensors".to_owned(), Model { card, ..model })
    }

    /// Writes the model file, completely or not at all. The program, the page and `Model.load` read it.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        tablut_net::durable::require_folder(&path)?;
        let model = self.model();
        py.detach(|| model.save(&path)).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The weights by name, as f32 arrays. `docs/how-net.md` describes the layers.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for parameter in self.net.weights.architecture().tensors() {
            tensors.set_item(&parameter.name, self.net.weights.get(&parameter.name).to_pyarray(py))?;
        }
        Ok(tensors)
    }

    /// The training loss of the net on the positions of game records, and its gradient, computed in f32 as in `tablut
    /// train`.
    ///
    /// Returns a dict: `losses`, the parts `policy`, `value` and `moves_left` of the loss, which has a tenth of the last one;
    /// `gradients`, a dict of the gradient of each tensor; and the outputs, in the order of `to_arrays`: `logits` f32 `[m]` of the legal moves, `wdl` f32 `[n, 3]`, the logits of an
    /// attackers' win, a draw and a defenders' win, and `moves_left` f32 `[n]` in plies. `value_share` is that of
    /// `to_arrays`.
    #[pyo3(signature = (records, *, value_share=0.0))]
    fn gradients<'py>(
        &self,
        py: Python<'py>,
        records: Items<Bound<'py, PyRecord>>,
        value_share: f32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let batch = training_batch(py, records, value_share)?;
        let state = LearnerState::new(&self.net.weights);
        // rayon's global threads would be missing after a fork.
        let threads = rayon::ThreadPoolBuilder::new().build().map_err(runtime_error)?;
        let (predictions, parts, gradients) = py.detach(|| {
            let mut backend = CpuBackend::new(state, OptimizerConfig::default()).map_err(runtime_error)?;
            threads.install(|| {
                let (parts, gradients) = backend.gradients(&batch);
                Ok::<_, PyErr>((backend.predictions(&batch.input), parts, gradients))
            })
        })?;
        let by_name = PyDict::new(py);
        for (parameter, gradient) in self.net.weights.architecture().tensors().into_iter().zip(gradients) {
            by_name.set_item(&parameter.name, gradient.into_pyarray(py).reshape(parameter.dims)?)?;
        }
        let found = PyDict::new(py);
        let losses = [("policy", parts.policy), ("value", parts.value), ("moves_left", parts.moves_left)];
        found.set_item("losses", losses.into_py_dict(py)?)?;
        found.set_item("gradients", by_name)?;
        found.set_item("logits", predictions.logits.into_pyarray(py))?;
        found.set_item("wdl", predictions.wdl.into_pyarray(py).reshape([batch.input.n, 3])?)?;
        let plies = predictions.moves_left.iter().map(|left| left * MOVES_LEFT_UNIT).collect::<Vec<f32>>();
        found.set_item("moves_left", plies.into_pyarray(py))?;
        Ok(found)
    }

    /// The hash of the weights.
    #[getter]
    fn hash(&self) -> String {
        self.net.hash.clone()
    }

    /// The architecture, such as `"lines32x2"`.
    #[getter]
    fn architecture(&self) -> String {
        self.net.weights.architecture().to_string()
    }

    /// The rule sets that the net was trained on.
    #[getter]
    fn rules(&self) -> Vec<PyRules> {
        self.net.rules.iter().map(|stated| PyRules { rules: stated.rules() }).collect()
    }

    /// The summary of the training in the file: games, positions, evaluations, steps and more.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.net.training)
    }

    /// The card, or `None` if the file has none.
    #[getter]
    fn card<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.net.card.as_ref().map(|card| to_python(py, card)).transpose()
    }

    /// Evaluates the positions of games that are not over, in batches on all cores. An evaluation depends only on its
    /// position, to the bit. Python's other threads run meanwhile.
    #[pyo3(signature = (games, *, threads=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        games: Items<PyRef<'py, PyGame>>,
        threads: Option<usize>,
    ) -> PyResult<PyEvaluations> {
        let Items(games) = games;
        let query = |(place, game): (usize, &PyRef<'_, PyGame>)| {
            game.expect_open(|| format!("game {place}"))?;
            // The threads list the moves.
            Ok(game.game.owned_situation(&[]))
        };
        let queries = games.iter().enumerate().map(query).collect::<PyResult<Vec<Situation>>>()?;
        drop(games);
        let workers = Workers::new(py, n_threads(threads)?.clamp(1, queries.len().div_ceil(ROWS.0).max(1)))?;
        let mut engines = self.take(workers.n())?;
        let mut found = Found::default();
        for chunk in queries.chunks(CHUNK) {
            py.detach(|| found.evaluate(workers, &mut engines, chunk)).map_err(runtime_error)?;
            py.check_signals()?;
        }
        self.give_back(engines);
        found.into_python(py)
    }

    /// Creates the net again, for `pickle`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(_class: &Bound<'_, PyType>, name: String, bytes: &[u8]) -> PyResult<Self> {
        Self::new(name, Model::from_bytes(bytes).map_err(value_error)?)
    }

    fn __copy__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: PyRef<'py, Self>, _memo: &Bound<'py, PyDict>) -> PyRef<'py, Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>();
        if self.net.name == SHIPPED_NAME {
            return Ok((class.getattr("shipped")?, PyTuple::empty(py)));
        }
        let bytes = PyBytes::new(py, &self.model().to_bytes().map_err(runtime_error)?);
        Ok((class.getattr("_restore")?, (&self.net.name, bytes).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        format!("<Model: {}, {}>", self.architecture(), self.net.name)
    }
}

/// A net without training and card.
fn bare(weights: Weights, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Model> {
    let rules = rules_list(rules)?.iter().map(|rules| StatedRules::of(rules)).collect();
    Ok(Model { weights, rules, training: TrainingSummary::default(), card: None })
}

/// The number of threads: the given number, or one per core.
pub(crate) fn n_threads(asked: Option<usize>) -> PyResult<usize> {
    match asked {
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        Some(threads @ 1..=1024) => Ok(threads),
        Some(threads) => Err(value_error(format!("{threads} threads: expected 1 to 1024"))),
    }
}

#[derive(Default)]
struct Found {
    output: OutputBatch,
    move_ends: Vec<u32>,
}

impl Found {
    /// Evaluates positions. Each engine has a thread, which takes a few positions at a time.
    fn evaluate(
        &mut self,
        workers: Workers,
        engines: &mut [Box<dyn Inference>],
        queries: &[Situation],
    ) -> Result<(), NetError> {
        let rows = queries.len().div_ceil(engines.len()).clamp(ROWS.0, ROWS.1);
        let source = Source { parts: queries.chunks(rows).collect(), next: AtomicUsize::new(0) };
        let mut done: Vec<_> = engines.iter().map(|_| Ok(Vec::new())).collect();
        workers.run(engines.iter_mut().zip(&mut done), |(engine, done)| *done = source.infer(&mut **engine));
        let mut parts: Vec<Part> =
            done.into_iter().collect::<Result<Vec<_>, NetError>>()?.into_iter().flatten().collect();
        parts.sort_by_key(|part| part.place);
        for Part { output, move_ends, .. } in parts {
            let before = self.output.logits.len() as u32;
            self.output.logits.extend(output.logits);
            self.output.wdl.extend(output.wdl);
            self.output.moves_left.extend(output.moves_left);
            self.move_ends.extend(move_ends.iter().map(|end| before + end));
        }
        Ok(())
    }

    fn into_python(self, py: Python<'_>) -> PyResult<PyEvaluations> {
        let Self { output, move_ends } = self;
        let (n, flat) = (output.wdl.len(), output.wdl.into_flattened());
        Ok(PyEvaluations {
            logits: output.logits.into_pyarray(py).unbind(),
            move_ends: move_ends.into_pyarray(py).unbind(),
            wdl: flat.into_pyarray(py).reshape([n, 3])?.unbind(),
            moves_left: output.moves_left.into_pyarray(py).unbind(),
        })
    }
}

struct Source<'a> {
    parts: Vec<&'a [Situation]>,
    next: AtomicUsize,
}

struct Part {
    place: usize,
    output: OutputBatch,
    move_ends: Vec<u32>,
}

impl Source<'_> {
    /// Lists the moves of positions, encodes and evaluates them on this thread, until all parts are taken.
    fn infer(&self, engine: &mut dyn Inference) -> Result<Vec<Part>, NetError> {
        let (mut input, mut moves, mut done) = (InputBatch::default(), MoveList::new(), Vec::new());
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(queries) = self.parts.get(place) else { return Ok(done) };
            input.clear();
            for query in *queries {
                query.rules.legal_moves(&query.position, &mut moves);
                encode(&Situation { moves: &moves, ..query.borrowed() }, &mut input);
            }
            let mut output = OutputBatch::default();
            engine.infer(&input, &mut output)?;
            done.push(Part { place, output, move_ends: std::mem::take(&mut input.move_ends) });
        }
    }
}

/// A net's evaluations of `n` positions with `m` legal moves in total.
#[pyclass(frozen, name = "Evaluations", module = "tablut")]
pub(crate) struct PyEvaluations {
    /// The policy logits of the legal moves, f32 `[m]`, in the order of `legal_moves`, position by position.
    #[pyo3(get)]
    logits: Py<PyArray1<f32>>,
    /// The end of each position's moves in `logits`, u32 `[n]`.
    #[pyo3(get)]
    move_ends: Py<PyArray1<u32>>,
    /// Probabilities that the attackers win, that the game is drawn, and that the defenders win, f32 `[n, 3]`.
    #[pyo3(get)]
    wdl: Py<PyArray2<f32>>,
    /// The expected number of plies to the end of the game, f32 `[n]`.
    #[pyo3(get)]
    moves_left: Py<PyArray1<f32>>,
}

#[pymethods]
impl PyEvaluations {
    /// Creates the evaluations again, for `pickle` and `copy`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(
        _class: &Bound<'_, PyType>,
        logits: Py<PyArray1<f32>>,
        move_ends: Py<PyArray1<u32>>,
        wdl: Py<PyArray2<f32>>,
        moves_left: Py<PyArray1<f32>>,
    ) -> Self {
        Self { logits, move_ends, wdl, moves_left }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (&self.logits, &self.move_ends, &self.wdl, &self.moves_left).into_pyobject(py)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, parts))
    }

    /// From −1 (the defenders win) to 1 (the attackers win), f32 `[n]`.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let wdl = self.wdl.bind(py).readonly();
        wdl.as_array().rows().into_iter().map(|row| row[0] - row[2]).collect::<Vec<f32>>().into_pyarray(py)
    }

    /// The probabilities of one position's legal moves, f32 `[k]`.
    fn policy<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let (ends, logits) = (self.move_ends.bind(py).readonly(), self.logits.bind(py).readonly());
        let (ends, logits) = (ends.as_array(), logits.as_array());
        let Some(&end) = ends.get(place) else {
            let message = format!("position {place} of {}", ends.len());
            return Err(PyIndexError::new_err(message));
        };
        let start = if place == 0 { 0 } else { ends[place - 1] };
        let mut policy: Vec<f32> = (start..end).map(|at| logits[at as usize]).collect();
        log_softmax(&mut policy);
        Ok(policy.into_iter().map(exp).collect::<Vec<f32>>().into_pyarray(py))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.move_ends.bind(py).len()
    }
}
