//! Positions as arrays, and the symmetries of these arrays.

use crate::errors::value_error;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablut_net::{BOARD, SIZE, SQUARES};
use tablut_net::{FEATURES, InputBatch, PLANES, POLICY_ENTRIES, PolicyIndex, encode_symmetric};
use tablut_rules::Symmetry;
use tablut_search::Situation;

pub(crate) fn symmetry(index: usize) -> PyResult<Symmetry> {
    Symmetry::ALL
        .get(index)
        .copied()
        .ok_or_else(|| value_error(format!("symmetry {index}: expected 0 to {}", Symmetry::ALL.len() - 1)))
}

pub(crate) fn batch_of(queries: &[Situation], symmetry: Symmetry) -> InputBatch {
    let mut batch = InputBatch::default();
    for query in queries {
        encode_symmetric(&query.borrowed(), symmetry, &mut batch);
    }
    batch
}

/// Policy indices as an array `[m, 2]` of entry and choice.
pub(crate) fn indices_array<'py>(py: Python<'py>, moves: &[PolicyIndex]) -> PyResult<Bound<'py, PyArray2<u16>>> {
    let flat: Vec<u16> = moves.iter().flat_map(|index| [index.entry, index.choice]).collect();
    flat.into_pyarray(py).reshape([moves.len(), 2])
}

/// A batch as a dict of arrays: `planes` f32 `[n, 16, 9, 9]`, `features` f32 `[n, 42]`, `moves` u16 `[m, 2]`,
/// `move_ends` u32 `[n]`.
pub(crate) fn batch_dict(py: Python<'_>, batch: InputBatch) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("planes", batch.plane_values().into_pyarray(py).reshape([batch.n, PLANES, SIZE, SIZE])?)?;
    arrays.set_item("moves", indices_array(py, &batch.moves)?)?;
    arrays.set_item("move_ends", batch.move_ends.into_pyarray(py))?;
    arrays.set_item("features", batch.features.into_pyarray(py).reshape([batch.n, FEATURES])?)?;
    Ok(arrays)
}

/// The image of each square under each of the eight symmetries, u8 `[8, 81]`. Squares are numbered `row * 9 + column`.
#[pyfunction]
pub(crate) fn symmetry_squares(py: Python<'_>) -> PyResult<Bound<'_, PyArray2<u8>>> {
    let images = Symmetry::ALL
        .iter()
        .flat_map(|symmetry| BOARD.squares().map(|square| BOARD.place(symmetry.square(BOARD, square)) as u8));
    images.collect::<Vec<u8>>().into_pyarray(py).reshape([Symmetry::ALL.len(), SQUARES])
}

/// The image of each entry of the policy table under each of the eight symmetries, u16 `[8, 2673]`.
#[pyfunction]
pub(crate) fn symmetry_policy(py: Python<'_>) -> PyResult<Bound<'_, PyArray2<u16>>> {
    let image = |symmetry: &Symmetry, entry: u16| {
        PolicyIndex { entry, choice: PolicyIndex::NO_CHOICE }.transformed(*symmetry).entry
    };
    let entries = 0..POLICY_ENTRIES as u16;
    let images = Symmetry::ALL.iter().flat_map(|symmetry| entries.clone().map(move |entry| image(symmetry, entry)));
    images.collect::<Vec<u16>>().into_pyarray(py).reshape([Symmetry::ALL.len(), POLICY_ENTRIES])
}

/// Whole numbers as the array type that indexes arrays, i64.
pub(crate) fn index_array(py: Python<'_>, numbers: impl Iterator<Item = usize>) -> Bound<'_, PyArray1<i64>> {
    numbers.map(|number| number as i64).collect::<Vec<i64>>().into_pyarray(py)
}
