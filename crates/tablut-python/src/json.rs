//! Conversion of data to and from Python objects through JSON.

use crate::errors::{runtime_error, value_error};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    parsed(py, &serde_json::to_string(data).map_err(runtime_error)?)
}

/// The data of a JSON text.
pub(crate) fn parsed<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// Plain data from a dict. `what` is its name in messages.
pub(crate) fn from_python<T: DeserializeOwned>(what: &str, object: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = object.py();
    // NumPy's numbers have a method `item`, which returns Python's.
    let item = py.import("operator")?.call_method1("methodcaller", ("item",))?;
    let arguments = [("default", item)].into_py_dict(py)?;
    let text: String = py.import("json")?.call_method("dumps", (object,), Some(&arguments))?.extract()?;
    serde_json::from_str(&text).map_err(|error| value_error(format!("{what}: {error}")))
}
