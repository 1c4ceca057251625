//! The result of a search, as Python objects.

use crate::errors::{runtime_error, value_error};
use crate::game::PyGame;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use serde::{Deserialize, Serialize};
use tablut_rules::{Game, Move};
use tablut_search::{Branch, Chances, Line, Proof, RootMove, Search, SearchResult, Stop};
use tablut_session::picture;

/// A proven result.
#[pyclass(eq, frozen, get_all, name = "Proof", module = "tablut")]
#[derive(PartialEq)]
pub(crate) struct PyProof {
    /// `"attackers"`, `"defenders"`, or `None` for a draw.
    winner: Option<String>,
    /// Plies within which the winner can force the end.
    plies: u16,
    /// Whether the result depends on the game's history in addition to the position.
    from_history: bool,
}

impl From<Proof> for PyProof {
    fn from(Proof { winner, plies, from_history }: Proof) -> Self {
        Self { winner: winner.map(|side| side.to_string()), plies, from_history }
    }
}

#[pymethods]
impl PyProof {
    /// Creates the proof again, for `pickle` and `copy`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(_class: &Bound<'_, PyType>, winner: Option<String>, plies: u16, from_history: bool) -> Self {
        Self { winner, plies, from_history }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (&self.winner, self.plies, self.from_history).into_pyobject(py)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, parts))
    }

    fn __repr__(&self) -> String {
        match &self.winner {
            Some(side) => format!("<Proof: the {side} win in {}>", self.plies),
            None => format!("<Proof: a draw in {}>", self.plies),
        }
    }
}

/// The result of a search. Arrays have an item for each legal move, in the order of `moves`.
///
/// Values are absolute: +1 if the attackers win, −1 if the defenders win.
#[pyclass(frozen, name = "SearchResult", module = "tablut")]
pub(crate) struct PySearchResult {
    game: Game,
    found: Found,
}

#[derive(Serialize, Deserialize)]
struct Found {
    result: SearchResult,
    n_nodes: usize,
    pv: Vec<Move>,
    /// All lines, the best first.
    lines: Vec<Line>,
    /// The moves of the tree with their depths, from 1, each before its replies. Nested data would be too deep for JSON.
    tree: Vec<(usize, Branch)>,
}

/// Appends branches with their depths. Each is without its replies, which follow it.
fn flatten(branches: Vec<Branch>, depth: usize, flat: &mut Vec<(usize, Branch)>) {
    for mut branch in branches {
        let replies = std::mem::take(&mut branch.replies);
        flat.push((depth, branch));
        flatten(replies, depth + 1, flat);
    }
}

impl PySearchResult {
    pub(crate) fn new(search: &Search) -> Self {
        let result = search.result();
        let mut tree = Vec::new();
        flatten(search.branches(usize::MAX), 1, &mut tree);
        let found = Found {
            n_nodes: search.memory().nodes,
            pv: search.variation(result.chosen),
            lines: search.lines(usize::MAX),
            tree,
            result,
        };
        Self { game: search.game().clone(), found }
    }

    fn array<'py, T: numpy::Element>(&self, py: Python<'py>, item: impl Fn(&RootMove) -> T) -> Bound<'py, PyArray1<T>> {
        self.found.result.moves.iter().map(item).collect::<Vec<T>>().into_pyarray(py)
    }
}

#[pymethods]
impl PySearchResult {
    /// The move to play.
    #[getter]
    fn chosen(&self) -> String {
        self.found.result.chosen.to_string()
    }

    /// The value of the position, −1 to 1.
    #[getter]
    fn value(&self) -> f32 {
        self.found.result.value
    }

    /// The chances of an attackers' win, a draw and a defenders' win.
    #[getter]
    fn chances(&self) -> (f32, f32, f32) {
        triple(self.found.result.chances)
    }

    /// The evaluator's value of the position without search, −1 to 1.
    #[getter]
    fn raw_value(&self) -> f32 {
        self.found.result.raw_value
    }

    /// Simulations of the search.
    #[getter]
    fn simulations(&self) -> u32 {
        self.found.result.simulations
    }

    /// The number of evaluated positions.
    #[getter]
    fn evaluations(&self) -> u32 {
        self.found.result.evaluations
    }

    /// The number of positions in the tree.
    #[getter]
    fn nodes(&self) -> usize {
        self.found.n_nodes
    }

    /// The proven result of the position, or `None`.
    #[getter]
    fn proven(&self) -> Option<PyProof> {
        self.found.result.proven.map(PyProof::from)
    }

    /// Why the search ended: `"simulations"`, `"proven"`, `"decided"`, `"memory"` or `"time"`.
    #[getter]
    fn stop(&self) -> &'static str {
        match self.found.result.stop {
            Some(Stop::Simulations) => "simulations",
            Some(Stop::Proven) => "proven",
            Some(Stop::Decided) => "decided",
            Some(Stop::Memory) => "memory",
            Some(Stop::Asked) => "time",
            _ => "ended",
        }
    }

    /// The legal moves.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.found.result.moves.iter().map(|root| root.mv.to_string()).collect()
    }

    /// Simulations through each move, u32 `[k]`.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.array(py, |root| root.visits)
    }

    /// The evaluator's probabilities, f32 `[k]`.
    #[getter]
    fn priors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |root| root.prior)
    }

    /// The value of each move, −1 to 1, f32 `[k]`.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |root| root.q)
    }

    /// The search's policy, which is the training target, f32 `[k]`. It sums to 1.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |root| root.improved)
    }

    /// The proven result of each move, or `None`.
    #[getter]
    fn proofs(&self) -> Vec<Option<PyProof>> {
        self.found.result.moves.iter().map(|root| root.proven.map(PyProof::from)).collect()
    }

    /// The expected line: the best move and the best replies.
    #[getter]
    fn pv(&self) -> Vec<String> {
        texts(&self.found.pv)
    }

    /// The best `n` moves with their lines, as dicts: `moves`, `visits`, `prior`, `q`, `chances`, `proven`.
    #[pyo3(signature = (n=5))]
    fn lines<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let line = |Line { moves, root }: &Line| {
            let line = PyDict::new(py);
            line.set_item("moves", texts(moves))?;
            line.set_item("visits", root.visits)?;
            line.set_item("prior", root.prior)?;
            line.set_item("q", root.q)?;
            line.set_item("chances", triple(root.chances))?;
            line.set_item("proven", root.proven.map(PyProof::from))?;
            Ok(line)
        };
        self.found.lines.iter().take(n).map(line).collect()
    }

    /// The visited part of the tree down to `depth` plies, as dicts: `move`, `visits`, `prior`, `q`, `proven`,
    /// `replies`.
    #[pyo3(signature = (depth=2))]
    fn tree<'py>(&self, py: Python<'py>, depth: usize) -> PyResult<Bound<'py, PyList>> {
        let top = PyList::empty(py);
        // The replies of the move before, at each depth.
        let mut open = vec![top.clone()];
        for (at, branch) in self.found.tree.iter().filter(|(at, _)| *at <= depth) {
            let (dict, replies) = (PyDict::new(py), PyList::empty(py));
            dict.set_item("move", branch.mv.to_string())?;
            dict.set_item("visits", branch.visits)?;
            dict.set_item("prior", branch.prior)?;
            dict.set_item("q", branch.q)?;
            dict.set_item("proven", branch.proven.map(PyProof::from))?;
            dict.set_item("replies", &replies)?;
            open[at - 1].append(dict)?;
            open.truncate(*at);
            open.push(replies);
        }
        Ok(top)
    }

    /// The board before the move to play, with its squares framed.
    fn _repr_svg_(&self) -> String {
        picture::svg(self.game.rules(), self.game.position(), Some(self.found.result.chosen))
    }

    fn __copy__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: PyRef<'py, Self>, _memo: &Bound<'py, PyDict>) -> PyRef<'py, Self> {
        this
    }

    /// Creates the result again, for `pickle`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(_class: &Bound<'_, PyType>, game: PyRef<'_, PyGame>, found: &str) -> PyResult<Self> {
        Ok(Self { game: game.game.clone(), found: serde_json::from_str(found).map_err(value_error)? })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PyGame, String))> {
        let found = serde_json::to_string(&self.found).map_err(runtime_error)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, (PyGame { game: self.game.clone() }, found)))
    }

    fn __repr__(&self) -> String {
        let SearchResult { chosen, value, simulations, .. } = &self.found.result;
        format!("<SearchResult: {chosen}, value {value:+.3}, {simulations} simulations>")
    }
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn triple(chances: Chances) -> (f32, f32, f32) {
    (chances.attackers, chances.draw, chances.defenders)
}
