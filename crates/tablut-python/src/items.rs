//! Sequences and seeds as arguments.

use crate::errors::{type_error, value_error};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The items of a sequence or another iterable. `PyO3`'s `Vec` would reserve memory for the length that the object states.
pub(crate) struct Items<T>(pub(crate) Vec<T>);

impl<'a, 'py, T> FromPyObject<'a, 'py> for Items<T>
where
    T: for<'b> FromPyObject<'b, 'py>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Err(type_error("found a text, expected a sequence"));
        }
        let item = |item: PyResult<Bound<'py, PyAny>>| item?.extract::<T>().map_err(Into::into);
        object.try_iter()?.map(item).collect::<PyResult<Vec<T>>>().map(Self)
    }
}

/// A seed. `PyO3`'s own message does not name the argument.
pub(crate) fn seed(object: &Bound<'_, PyAny>) -> PyResult<u64> {
    let error = |_| value_error(format!("seed {object}: expected a whole number from 0 to {}", u64::MAX));
    object.extract().map_err(error)
}
