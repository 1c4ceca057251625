//! Conversion of data to and from Python objects through JSON.

use crate::errors::{runtime_error, value_error};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn to_python<'py>(py: Python<'py>, data: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).map_err(runtime_error)?;
    py.import("json")?.call_method1("loads", (text,))
}

/// Plain data from a dict. `what` is its name in messages.
pub(crate) fn from_python<T: DeserializeOwned>(what: &str, object: &Bound<'_, PyAny>) -> PyResult<T> {
    let text: String = object.py().import("json")?.call_method1("dumps", (object,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| value_error(format!("{what}: {error}")))
}
