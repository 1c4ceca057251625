//! Errors as Python exceptions, with the program's messages.

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io;
use std::path::Path;
use tablut_games::NamedNetError;
use tablut_net::{ModelFileError, ModelFileErrorKind};

create_exception!(
    tablut,
    IllegalMoveError,
    PyValueError,
    "A move that is not legal in the position, or a move in a game that is over. The message has the reason."
);

pub(crate) fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub(crate) fn type_error(message: impl Display) -> PyErr {
    PyTypeError::new_err(message.to_string())
}

pub(crate) fn illegal_move(error: impl Display) -> PyErr {
    IllegalMoveError::new_err(error.to_string())
}

pub(crate) fn runtime_error(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// A file that cannot be read or written, as `FileNotFoundError` or another `OSError` with the path.
pub(crate) fn io_error(path: &Path, error: &io::Error) -> PyErr {
    io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

pub(crate) fn net_error(error: NamedNetError) -> PyErr {
    match &error {
        NamedNetError::Model(ModelFileError { path, kind: ModelFileErrorKind::Io(reason) }) => io_error(path, reason),
        _ => value_error(error),
    }
}

pub(crate) fn check_readable(path: &Path) -> PyResult<()> {
    std::fs::File::open(path).map(drop).map_err(|error| io_error(path, &error))
}
