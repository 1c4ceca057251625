//! A run's folder.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablut_report::{RunFiles, RunFilesError, metrics_csv};

use crate::errors::{io_error, value_error};

/// The contents of a run's folder as a dict: `metrics`, a table as comma-separated values; `config`, the values by
/// dotted key as TOML; `config_text`; and `notes` about files that could not be read.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let run = py.detach(|| RunFiles::read_numbers(&folder)).map_err(|error| match &error {
        RunFilesError::Io { path, error } => io_error(path, error),
        _ => value_error(error),
    })?;
    let found = PyDict::new(py);
    found.set_item("metrics", metrics_csv(&run.lines))?;
    found.set_item("config", run.config)?;
    found.set_item("config_text", run.config_text)?;
    found.set_item("notes", run.notes)?;
    Ok(found)
}
