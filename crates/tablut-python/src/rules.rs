//! Rule sets.

use crate::action::n_actions;
use crate::errors::{type_error, value_error};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tablut_net::policy_entries;
use tablut_rules::{
    Bitboard, MoveList, Position, RULE_SET_NAMES, RuleSet, Rules, Side, USUAL_RULE_SET, is_rule_set_name,
};

/// A cache of compiled rule sets by their text, or by the name of a built-in one. Reading and compiling takes a millisecond, and many games in one pickle
/// have the same rules. It is locked only while Python's lock is held.
static RECENT: Mutex<VecDeque<(String, Arc<Rules>)>> = Mutex::new(VecDeque::new());
const MOST_RECENT: usize = 32;

/// A rule set, compiled for play.
///
/// `Rules("kvasir")` is a built-in rule set, and `Rules("mine.toml")` one from a file. `Rules.names()` lists the
/// built-in ones.
#[pyclass(frozen, name = "Rules", module = "tablut")]
pub(crate) struct PyRules {
    pub(crate) rules: Arc<Rules>,
}

#[pymethods]
impl PyRules {
    #[new]
    fn new(name_or_path: PathBuf) -> PyResult<Self> {
        let name = name_or_path.to_string_lossy();
        let load = || Rules::load(&name).map_err(value_error);
        if is_rule_set_name(&name) { recent(&name, load) } else { Ok(Self { rules: Arc::new(load()?) }) }
    }

    /// The rules in a TOML text: all keys, or `base = "kvasir"` and the keys that differ.
    #[classmethod]
    fn from_toml(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        recent(text, || Rules::new(RuleSet::from_toml(text).map_err(value_error)?).map_err(value_error))
    }

    /// The names of the built-in rule sets.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        RULE_SET_NAMES.to_vec()
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        self.rules.name()
    }

    /// Where the rules come from, in one line.
    #[getter]
    fn source(&self) -> &str {
        &self.rules.set().source
    }

    /// The side that moves first: `"attackers"`, `"defenders"`, or `None` if it is drawn before each game.
    #[getter]
    fn first(&self) -> Option<String> {
        self.rules.set().first.side().map(|side| side.to_string())
    }

    /// The ply at which the game is a draw, or `None`.
    #[getter]
    fn max_plies(&self) -> Option<u32> {
        self.rules.set().max_plies
    }

    /// The number of squares of a side of the board: 7, 9 or 11.
    #[getter]
    fn width(&self) -> usize {
        self.rules.size().width()
    }

    /// The number of entries of a policy table: `(4 * (width - 1) + 1) * width * width`, on Tablut's board 2673.
    #[getter]
    fn policy_entries(&self) -> usize {
        policy_entries(self.rules.size())
    }

    /// The number of actions of an environment: `4 * (width - 1) * width * width`, on Tablut's board 2592, and five
    /// times as many if the mover chooses what to capture.
    #[getter]
    fn n_actions(&self) -> usize {
        n_actions(&self.rules)
    }

    /// The throne's square, if it is special.
    #[getter]
    fn throne(&self) -> Vec<String> {
        names(self.rules.throne())
    }

    /// The corners, if they are special.
    #[getter]
    fn corners(&self) -> Vec<String> {
        names(self.rules.corners())
    }

    /// The camps, if they are special.
    #[getter]
    fn camps(&self) -> Vec<String> {
        names(self.rules.camps())
    }

    /// The squares on which the king escapes.
    #[getter]
    fn escapes(&self) -> Vec<String> {
        names(self.rules.escapes())
    }

    /// The text of the rule file. `Rules.from_toml` reads it.
    fn to_toml(&self) -> String {
        self.rules.set().to_toml()
    }

    /// The rules in words.
    fn explain(&self) -> String {
        self.rules.set().explanation()
    }

    /// The number of legal move sequences of exactly `depth` plies. Sequences in which the game ends earlier are not
    /// counted. Repetition and limits on length are ignored.
    #[pyo3(signature = (depth, position=None, *, first=None))]
    fn perft(&self, py: Python<'_>, depth: u32, position: Option<&str>, first: Option<&str>) -> PyResult<u64> {
        let position = self.rules.opening(side(first)?, position).map_err(value_error)?;
        perft(py, &self.rules, &position, depth)
    }

    fn __repr__(&self) -> String {
        format!("Rules({:?})", self.rules.name())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().rules.set() == self.rules.set())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.to_toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __deepcopy__<'py>(this: PyRef<'py, Self>, _memo: &Bound<'py, PyDict>) -> PyRef<'py, Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("from_toml")?, (self.to_toml(),)))
    }
}

/// The rule set of a text, compiled by `load` if it is not in the cache.
fn recent(text: &str, load: impl FnOnce() -> PyResult<Rules>) -> PyResult<PyRules> {
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, rules)) = recent.iter().find(|(known, _)| known == text) {
        return Ok(PyRules { rules: Arc::clone(rules) });
    }
    let rules = Arc::new(load()?);
    if recent.len() == MOST_RECENT {
        recent.pop_front();
    }
    recent.push_back((text.to_owned(), Arc::clone(&rules)));
    Ok(PyRules { rules })
}

/// Like `Rules::perft`, but checks Python's signals before each position with 3 plies to come.
fn perft(py: Python<'_>, rules: &Rules, position: &Position, depth: u32) -> PyResult<u64> {
    if depth <= 3 {
        py.check_signals()?;
        return Ok(py.detach(|| rules.perft(position, depth)));
    }
    let mut moves = MoveList::new();
    rules.legal_moves(position, &mut moves);
    let mut total = 0;
    for &mv in &moves {
        let applied = rules.apply(position, mv);
        if applied.winner.is_none() {
            total += perft(py, rules, &applied.position, depth - 1)?;
        }
    }
    Ok(total)
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.iter().map(|square| square.to_string()).collect()
}

pub(crate) fn side(name: Option<&str>) -> PyResult<Option<Side>> {
    name.map(str::parse).transpose().map_err(value_error)
}

/// Rules as an argument: a `Rules`, a name, or the path of a TOML file.
pub(crate) struct RulesArgument(pub(crate) Arc<Rules>);

impl RulesArgument {
    pub(crate) fn or_usual(given: Option<Self>) -> PyResult<Arc<Rules>> {
        given.map_or_else(|| Ok(PyRules::new(USUAL_RULE_SET.into())?.rules), |given| Ok(given.0))
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for RulesArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(rules) = object.cast::<PyRules>() {
            return Ok(Self(Arc::clone(&rules.get().rules)));
        }
        let path = object.extract::<PathBuf>().map_err(|_| {
            let kind = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
            type_error(format!("rules: found {kind}, expected a Rules, a name or the path of a TOML file"))
        })?;
        Ok(Self(PyRules::new(path)?.rules))
    }
}

/// The rule sets of an argument. The default is kvasir.
pub(crate) fn rules_list(rules: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Arc<Rules>>> {
    let Some(rules) = rules else { return Ok(vec![RulesArgument::or_usual(None)?]) };
    let is_list = rules.is_instance_of::<PyList>() || rules.is_instance_of::<PyTuple>();
    let list = if is_list { rules.extract::<Vec<RulesArgument>>()? } else { vec![rules.extract()?] };
    if list.is_empty() {
        return Err(value_error("rules: expected at least one rule set"));
    }
    Ok(list.into_iter().map(|RulesArgument(rules)| rules).collect())
}
