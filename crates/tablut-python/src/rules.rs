//! Rule sets.

use crate::action::n_actions;
use crate::errors::{type_error, value_error};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tablut_rules::{Bitboard, RULE_SET_NAMES, RuleSet, Rules, Side, USUAL_RULE_SET};

/// A cache of compiled rule sets by their text. Reading and compiling takes a millisecond, and many games in one pickle
/// have the same rules. It is locked only while Python's lock is held.
static RECENT: Mutex<VecDeque<(String, Arc<Rules>)>> = Mutex::new(VecDeque::new());
const MOST_RECENT: usize = 16;

/// A rule set, compiled for play.
///
/// `Rules("kvasir")` is a built-in rule set, and `Rules("mine.toml")` one from a file. `Rules.names()` lists the
/// fourteen built-in ones.
#[pyclass(frozen, name = "Rules", module = "tablut")]
pub(crate) struct PyRules {
    pub(crate) rules: Arc<Rules>,
}

#[pymethods]
impl PyRules {
    #[new]
    fn new(name_or_path: PathBuf) -> PyResult<Self> {
        let rules = Rules::load(&name_or_path.to_string_lossy()).map_err(value_error)?;
        Ok(Self { rules: Arc::new(rules) })
    }

    /// The rules in a TOML text: all keys, or `base = "kvasir"` and the keys that differ.
    #[classmethod]
    fn from_toml(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rules)) = recent.iter().find(|(known, _)| known == text) {
            return Ok(Self { rules: Arc::clone(rules) });
        }
        let set = RuleSet::from_toml(text).map_err(value_error)?;
        let rules = Arc::new(Rules::new(set).map_err(value_error)?);
        if recent.len() == MOST_RECENT {
            recent.pop_front();
        }
        recent.push_back((text.to_owned(), Arc::clone(&rules)));
        Ok(Self { rules })
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

    /// The number of actions of an environment: 2592, or 12960 if the mover chooses what to capture.
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
        Ok(py.detach(|| self.rules.perft(&position, depth)))
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
        given.map_or_else(|| Rules::named(USUAL_RULE_SET).map(Arc::new).map_err(value_error), |given| Ok(given.0))
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
