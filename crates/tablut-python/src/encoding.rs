//! Positions as arrays, and the symmetries of these arrays.

use crate::errors::value_error;
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tablut_net::{FEATURES, InputBatch, PLANES, PolicyIndex, encode_symmetric, policy_entries};
use tablut_rules::{BoardSize, Symmetry};
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

/// The planes of a batch, `[n, 16, width, width]`, each value 0 or `one`. An empty batch has Tablut's board.
pub(crate) fn planes_array<'py, T: Element + Copy + Default>(
    py: Python<'py>,
    batch: &InputBatch,
    one: T,
) -> PyResult<Bound<'py, PyArray4<T>>> {
    let size = batch.sizes.first().copied().unwrap_or(BoardSize::Nine);
    if let Some(other) = batch.sizes.iter().find(|other| **other != size) {
        return Err(value_error(format!("positions on {size} and {other} squares: expected boards of one size")));
    }
    let mut values = vec![T::default(); batch.planes.len() * size.n_squares()];
    for (plane, values) in batch.planes.iter().zip(values.chunks_exact_mut(size.n_squares())) {
        plane.iter().for_each(|square| values[size.place(square)] = one);
    }
    values.into_pyarray(py).reshape([batch.n, PLANES, size.width(), size.width()])
}

/// A batch as a dict of arrays: `planes` f32 `[n, 16, width, width]`, `features` f32 `[n, 48]`, `moves` u16 `[m, 2]`,
/// `move_ends` u32 `[n]`.
pub(crate) fn batch_dict(py: Python<'_>, batch: InputBatch) -> PyResult<Bound<'_, PyDict>> {
    let arrays = PyDict::new(py);
    arrays.set_item("planes", planes_array(py, &batch, 1.0_f32)?)?;
    arrays.set_item("moves", indices_array(py, &batch.moves)?)?;
    arrays.set_item("move_ends", batch.move_ends.into_pyarray(py))?;
    arrays.set_item("features", batch.features.into_pyarray(py).reshape([batch.n, FEATURES])?)?;
    Ok(arrays)
}

/// The image of each square under each of the eight symmetries, u8 `[8, squares]`. Squares are numbered
/// `row * width + column`.
#[pyfunction]
#[pyo3(signature = (width=9))]
pub(crate) fn symmetry_squares(py: Python<'_>, width: usize) -> PyResult<Bound<'_, PyArray2<u8>>> {
    let size = BoardSize::of_width(width).map_err(value_error)?;
    let images = Symmetry::ALL
        .iter()
        .flat_map(|symmetry| size.squares().map(|square| size.place(symmetry.square(size, square)) as u8));
    images.collect::<Vec<u8>>().into_pyarray(py).reshape([Symmetry::ALL.len(), size.n_squares()])
}

/// The image of each entry of the policy table under each of the eight symmetries, u16 `[8, entries]`.
#[pyfunction]
#[pyo3(signature = (width=9))]
pub(crate) fn symmetry_policy(py: Python<'_>, width: usize) -> PyResult<Bound<'_, PyArray2<u16>>> {
    let size = BoardSize::of_width(width).map_err(value_error)?;
    let image = |symmetry: &Symmetry, entry: u16| {
        PolicyIndex { entry, choice: PolicyIndex::NO_CHOICE }.transformed(size, *symmetry).entry
    };
    let entries = 0..policy_entries(size) as u16;
    let images = Symmetry::ALL.iter().flat_map(|symmetry| entries.clone().map(move |entry| image(symmetry, entry)));
    images.collect::<Vec<u16>>().into_pyarray(py).reshape([Symmetry::ALL.len(), policy_entries(size)])
}

/// Whole numbers as the array type that indexes arrays, i64.
pub(crate) fn index_array(py: Python<'_>, numbers: impl Iterator<Item = usize>) -> Bound<'_, PyArray1<i64>> {
    numbers.map(|number| number as i64).collect::<Vec<i64>>().into_pyarray(py)
}
