//! Records of games, their files, and training data from them.

use crate::encoding::{batch_dict, planes_array};
use crate::errors::{check_readable, runtime_error, value_error};
use crate::game::{PyGame, PyOutcome};
use crate::items::Items;
use crate::rules::PyRules;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use std::path::PathBuf;
use std::sync::Arc;
use tablut_games::{
    GameRecord, RecordFile, ReplayWindow, TrainingBatch, read_records, records_from_bytes, records_to_bytes,
    write_records,
};
use tablut_net::{StatedRules, clauses_hash};
use tablut_rules::Rules;
use tablut_search::Chances;

/// A finished game of self-play, with the search's results for its positions.
#[pyclass(frozen, name = "Record", module = "tablut")]
pub(crate) struct PyRecord {
    pub(crate) record: GameRecord,
    pub(crate) rules: Arc<Rules>,
}

impl PyRecord {
    fn of_file(file: RecordFile) -> PyResult<Vec<Self>> {
        let rules: Vec<Arc<Rules>> = file.rules.iter().map(StatedRules::rules).collect();
        let record = |record: GameRecord| {
            let rules = rules.iter().find(|rules| rules.name() == record.rules).cloned();
            let rules = rules.ok_or_else(|| value_error(format!("no rules {} in the file", record.rules)))?;
            Ok(Self { record, rules })
        };
        file.games.into_iter().map(record).collect()
    }
}

#[pymethods]
impl PyRecord {
    /// Creates the record again, for `pickle`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(_class: &Bound<'_, PyType>, bytes: &[u8]) -> PyResult<Self> {
        let file = records_from_bytes(bytes).map_err(value_error)?;
        Self::of_file(file)?.pop().ok_or_else(|| value_error("the bytes contain no game"))
    }

    /// The game's number, from 0.
    #[getter]
    fn index(&self) -> u64 {
        self.record.index
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules { rules: self.rules.clone() }
    }

    /// The position before the first move.
    #[getter]
    fn start(&self) -> String {
        self.record.start.to_string()
    }

    /// The moves.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.record.plies.iter().map(|ply| ply.mv.to_string()).collect()
    }

    /// How the game ended.
    #[getter]
    fn outcome(&self) -> PyOutcome {
        PyOutcome { outcome: self.record.outcome }
    }

    /// Whether the game was stopped at its ply limit, so that nobody knows how it would have ended.
    #[getter]
    fn unfinished(&self) -> bool {
        self.record.is_unfinished(&self.rules)
    }

    /// The ply at which the game would have been a draw.
    #[getter]
    fn max_plies(&self) -> u32 {
        self.record.max_plies
    }

    /// Whether a search chose each ply and is a training target, bool `[p]`. It is false for the random plies of the
    /// opening.
    #[getter]
    fn searched<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.record.plies.iter().map(|ply| ply.search.is_some()).collect::<Vec<bool>>().into_pyarray(py)
    }

    /// Simulations of each ply's search, u32 `[p]`. 0 without a search, or if the result was proven at once.
    #[getter]
    fn simulations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let simulations = |ply: &tablut_games::PlyRecord| ply.search.as_ref().map_or(0, |search| search.simulations);
        self.record.plies.iter().map(simulations).collect::<Vec<u32>>().into_pyarray(py)
    }

    /// The search's chances before each ply, f32 `[p, 3]`: attackers' win, draw, defenders' win. NaN without a search.
    #[getter]
    fn chances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let chances = |ply: &tablut_games::PlyRecord| match &ply.search {
            Some(search) => {
                let Chances { attackers, draw, defenders } = search.chances;
                [attackers, draw, defenders]
            }
            None => [f32::NAN; 3],
        };
        let flat: Vec<f32> = self.record.plies.iter().flat_map(chances).collect();
        flat.into_pyarray(py).reshape([self.record.plies.len(), 3])
    }

    /// The search's policy over the legal moves before a ply, f32 `[k]`, or `None` without a search.
    fn policy<'py>(&self, py: Python<'py>, ply: usize) -> PyResult<Option<Bound<'py, PyArray1<f32>>>> {
        let n = self.record.plies.len();
        let Some(ply) = self.record.plies.get(ply) else {
            return Err(PyIndexError::new_err(format!("ply {ply} of {n}")));
        };
        let shares = |policy: &[u16]| {
            let total = policy.iter().map(|&p| f32::from(p)).sum::<f32>().max(1.0);
            policy.iter().map(|&p| f32::from(p) / total).collect::<Vec<f32>>().into_pyarray(py)
        };
        Ok(ply.search.as_ref().map(|search| shares(&search.policy)))
    }

    /// The game after its first `plies` moves, by default after all of them.
    #[pyo3(signature = (plies=None))]
    fn game(&self, plies: Option<usize>) -> PyResult<PyGame> {
        let mut game = self.record.replay(&self.rules, |_, _, _| {}).map_err(value_error)?;
        let n = self.record.plies.len();
        if let Some(asked) = plies {
            if asked > n {
                return Err(PyIndexError::new_err(format!("{asked} plies of {n}")));
            }
            for _ in asked..n {
                game.undo();
            }
        }
        Ok(PyGame { game })
    }

    fn __len__(&self) -> usize {
        self.record.plies.len()
    }

    fn __repr__(&self) -> String {
        let GameRecord { index, rules, plies, outcome, .. } = &self.record;
        format!("<Record: game {index}, {rules}, {} plies, {outcome}>", plies.len())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Self| other.record == self.record && other.rules.set() == self.rules.set();
        other.cast::<Self>().is_ok_and(|other| same(other.get()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = records_to_bytes(&RecordFile::new(0, [&*self.rules], vec![self.record.clone()]));
        let bytes = PyBytes::new(py, &bytes.map_err(runtime_error)?);
        Ok((py.get_type::<Self>().getattr("_restore")?, (bytes,)))
    }
}

/// The games and their rule sets. Two different rule sets with the same name are an error.
fn with_rules(records: &[Bound<'_, PyRecord>]) -> PyResult<(Vec<GameRecord>, Vec<Arc<Rules>>)> {
    let mut rules: Vec<Arc<Rules>> = Vec::new();
    for record in records.iter().map(Bound::get) {
        match rules.iter().find(|known| known.name() == record.rules.name()) {
            None => rules.push(record.rules.clone()),
            Some(known) if clauses_hash(known.set()) == clauses_hash(record.rules.set()) => {}
            Some(known) => {
                let name = known.name();
                return Err(value_error(format!("two different rule sets have the name {name}: rename one of them")));
            }
        }
    }
    Ok((records.iter().map(|record| record.get().record.clone()).collect(), rules))
}

/// Reads a file of game records, such as `runs/quickstart/games/gen-00017.games`.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PyRecord>> {
    check_readable(&path)?;
    let file = py.detach(|| read_records(&path)).map_err(value_error)?;
    PyRecord::of_file(file)
}

/// Writes game records to a file, completely or not at all. `tablut data`, `tablut report` and the page can read it.
/// `evaluations` is the number of evaluations that the games took, if it is known.
#[pyfunction]
#[pyo3(signature = (path, records, *, evaluations=0))]
pub(crate) fn write_games(
    py: Python<'_>,
    path: PathBuf,
    records: Items<Bound<'_, PyRecord>>,
    evaluations: u64,
) -> PyResult<()> {
    let (games, rules) = with_rules(&records.0)?;
    drop(records);
    let file = RecordFile::new(evaluations, rules.iter().map(|rules| &**rules), games);
    tablut_net::durable::require_folder(&path)?;
    py.detach(|| write_records(&path, &file)).map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))
}

/// The training data of game records as a dict of arrays, with a row for each position that a search has evaluated.
///
/// With `n` positions and `m` legal moves in total: `planes` u8 `[n, 16, width, width]`, `features` f32 `[n, 48]`,
/// `moves` u16 `[m, 2]`, `move_ends` u32 `[n]`, `policy` f32 `[m]`, `values` f32 `[n, 3]`, `moves_left` f32 `[n]` (NaN
/// in unfinished games). All games must have boards of one size. The arrays are the arrays of `tablut data export positions`. `value_share` is the share of the search's
/// chances in `values`; the rest is the game's outcome.
#[pyfunction]
#[pyo3(signature = (records, *, value_share=0.0))]
pub(crate) fn to_arrays<'py>(
    py: Python<'py>,
    records: Items<Bound<'py, PyRecord>>,
    value_share: f32,
) -> PyResult<Bound<'py, PyDict>> {
    let TrainingBatch { input, policy, wdl, moves_left } = training_batch(py, records, value_share)?;
    let n = input.n;
    let planes = planes_array(py, &input, 1_u8)?;
    let arrays = batch_dict(py, input)?;
    arrays.set_item("planes", planes)?;
    arrays.set_item("policy", policy.into_pyarray(py))?;
    arrays.set_item("values", wdl.into_flattened().into_pyarray(py).reshape([n, 3])?)?;
    arrays.set_item("moves_left", moves_left.into_pyarray(py))?;
    Ok(arrays)
}

/// The training data of records, in their order.
pub(crate) fn training_batch(
    py: Python<'_>,
    records: Items<Bound<'_, PyRecord>>,
    value_share: f32,
) -> PyResult<TrainingBatch> {
    if !(0.0..=1.0).contains(&value_share) {
        return Err(value_error(format!("value_share {value_share}: expected 0 to 1")));
    }
    let (games, rules) = with_rules(&records.0)?;
    drop(records);
    py.detach(|| training_data(&games, rules, value_share))
}

fn training_data(games: &[GameRecord], rules: Vec<Arc<Rules>>, value_share: f32) -> PyResult<TrainingBatch> {
    let mut window = ReplayWindow::new(rules, usize::MAX);
    // rayon's global threads would be missing after a fork, so this call has its own threads.
    let threads = rayon::ThreadPoolBuilder::new().build().map_err(runtime_error)?;
    threads.install(|| window.push(games)).map_err(value_error)?;
    Ok(window.in_order(value_share))
}
