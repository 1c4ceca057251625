//! The result of a search, as Python objects.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablut_rules::Move;
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
    search: Search,
    result: SearchResult,
}

impl PySearchResult {
    pub(crate) fn new(search: Search) -> Self {
        Self { result: search.result(), search }
    }

    fn array<'py, T: numpy::Element>(&self, py: Python<'py>, item: impl Fn(&RootMove) -> T) -> Bound<'py, PyArray1<T>> {
        self.result.moves.iter().map(item).collect::<Vec<T>>().into_pyarray(py)
    }
}

#[pymethods]
impl PySearchResult {
    /// The move to play.
    #[getter]
    fn chosen(&self) -> String {
        self.result.chosen.to_string()
    }

    /// The value of the position, −1 to 1.
    #[getter]
    fn value(&self) -> f32 {
        self.result.value
    }

    /// The chances of an attackers' win, a draw and a defenders' win.
    #[getter]
    fn chances(&self) -> (f32, f32, f32) {
        triple(self.result.chances)
    }

    /// The evaluator's value of the position without search, −1 to 1.
    #[getter]
    fn raw_value(&self) -> f32 {
        self.result.raw_value
    }

    /// Simulations of the search.
    #[getter]
    fn simulations(&self) -> u32 {
        self.result.simulations
    }

    /// The number of evaluated positions.
    #[getter]
    fn evaluations(&self) -> u32 {
        self.result.evaluations
    }

    /// The number of positions in the tree.
    #[getter]
    fn nodes(&self) -> usize {
        self.search.memory().nodes
    }

    /// The proven result of the position, or `None`.
    #[getter]
    fn proven(&self) -> Option<PyProof> {
        self.result.proven.map(PyProof::from)
    }

    /// Why the search ended: `"simulations"`, `"proven"`, `"decided"`, `"memory"` or `"time"`.
    #[getter]
    fn stop(&self) -> &'static str {
        match self.result.stop {
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
        self.result.moves.iter().map(|root| root.mv.to_string()).collect()
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
        self.result.moves.iter().map(|root| root.proven.map(PyProof::from)).collect()
    }

    /// The expected line: the best move and the best replies.
    #[getter]
    fn pv(&self) -> Vec<String> {
        texts(&self.search.variation(self.result.chosen))
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
        self.search.lines(n).iter().map(line).collect()
    }

    /// The visited part of the tree down to `depth` plies, as dicts: `move`, `visits`, `prior`, `q`, `proven`,
    /// `replies`.
    #[pyo3(signature = (depth=2))]
    fn tree<'py>(&self, py: Python<'py>, depth: usize) -> PyResult<Vec<Bound<'py, PyDict>>> {
        branches(py, &self.search.branches(depth))
    }

    /// The board before the move to play, with its squares framed.
    fn _repr_svg_(&self) -> String {
        let game = self.search.game();
        picture::svg(game.rules(), game.position(), Some(self.result.chosen))
    }

    fn __copy__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: PyRef<'py, Self>, _memo: &Bound<'py, PyDict>) -> PyRef<'py, Self> {
        this
    }

    fn __repr__(&self) -> String {
        let SearchResult { chosen, value, simulations, .. } = &self.result;
        format!("<SearchResult: {chosen}, value {value:+.3}, {simulations} simulations>")
    }
}

fn branches<'py>(py: Python<'py>, found: &[Branch]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let branch = |branch: &Branch| {
        let dict = PyDict::new(py);
        dict.set_item("move", branch.mv.to_string())?;
        dict.set_item("visits", branch.visits)?;
        dict.set_item("prior", branch.prior)?;
        dict.set_item("q", branch.q)?;
        dict.set_item("proven", branch.proven.map(PyProof::from))?;
        dict.set_item("replies", branches(py, &branch.replies)?)?;
        Ok(dict)
    };
    found.iter().map(branch).collect()
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn triple(chances: Chances) -> (f32, f32, f32) {
    (chances.attackers, chances.draw, chances.defenders)
}
