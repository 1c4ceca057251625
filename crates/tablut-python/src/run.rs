//! A run's folder.

use crate::errors::{io_error, value_error};
use crate::json::to_python;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tablut_games::{GenerationFile, RunFolder, RunFolderError};
use tablut_report::{RunFiles, metrics_csv, report_page};

fn folder_error(error: RunFolderError) -> PyErr {
    match &error {
        RunFolderError::Io { path, error } => io_error(path, error),
        _ => value_error(error),
    }
}

/// The contents of a run's folder as a dict: `metrics`, a table as comma-separated values; `config`, the values by
/// dotted key as TOML; `config_text`; `evaluation`; and `notes` about files that could not be read.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let run = py.detach(|| RunFiles::read_numbers(&folder)).map_err(folder_error)?;
    let found = PyDict::new(py);
    found.set_item("metrics", metrics_csv(&run.lines))?;
    found.set_item("config", run.config)?;
    found.set_item("config_text", run.config_text)?;
    found.set_item("evaluation", to_python(py, &run.evaluation)?)?;
    found.set_item("notes", run.notes)?;
    Ok(found)
}

/// The files of a run's nets and those of its games, each by generation.
#[pyfunction]
pub(crate) fn run_files(folder: PathBuf) -> PyResult<(BTreeMap<u64, PathBuf>, BTreeMap<u64, PathBuf>)> {
    let files = |kind| RunFolder(&folder).files(kind).map_err(folder_error);
    Ok((files(GenerationFile::Model)?, files(GenerationFile::Games)?))
}

/// The program's report about a run, as an HTML page.
#[pyfunction]
pub(crate) fn run_report(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    py.detach(|| RunFiles::read(&folder).map(|run| report_page(&[run]))).map_err(folder_error)
}
