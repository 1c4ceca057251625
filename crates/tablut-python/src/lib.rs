//! The module `_tablut` of the Python package `tablut`. `python/tablut` re-exports its contents.
//!
//! - `rules`, `game`, `action`, `encoding`: rule sets and games, moves as numbers, positions as arrays.
//! - `model`: nets. `callable`: Python callables instead of nets.
//! - `search`, `selfplay`, `record`, `players`, `matches`: search, self-play, records, players and matches.
//! - `vector`: many games at once. `run`: a run's folder.
//!
//! Long functions release Python's lock. Callables run on the thread that called this package, which also checks
//! Python's signals (`calling_thread`).

#![allow(clippy::needless_pass_by_value, reason = "PyO3 passes arguments by value")]

mod action;
mod callable;
mod calling_thread;
mod encoding;
mod errors;
mod game;
mod json;
mod matches;
mod model;
mod players;
mod record;
mod rules;
mod run;
mod search;
mod search_result;
mod selfplay;
mod threads;
mod vector;

use pyo3::prelude::*;

/// Rules, nets, search, self-play and matches of tablut.
#[pymodule(gil_used = true)]
fn _tablut(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("IllegalMoveError", module.py().get_type::<errors::IllegalMoveError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<rules::PyRules>()?;
    module.add_class::<game::PyOutcome>()?;
    module.add_class::<game::PyGame>()?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<model::PyEvaluations>()?;
    module.add_class::<search_result::PyProof>()?;
    module.add_class::<search_result::PySearchResult>()?;
    module.add_class::<record::PyRecord>()?;
    module.add_class::<selfplay::PySelfPlay>()?;
    module.add_class::<players::PyPlayer>()?;
    module.add_class::<vector::PyVectorGames>()?;
    module.add_function(wrap_pyfunction!(game::encode, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::symmetry_squares, module)?)?;
    module.add_function(wrap_pyfunction!(encoding::symmetry_policy, module)?)?;
    module.add_function(wrap_pyfunction!(search::search, module)?)?;
    module.add_function(wrap_pyfunction!(selfplay::self_play, module)?)?;
    module.add_function(wrap_pyfunction!(record::read_games, module)?)?;
    module.add_function(wrap_pyfunction!(record::write_games, module)?)?;
    module.add_function(wrap_pyfunction!(record::to_arrays, module)?)?;
    module.add_function(wrap_pyfunction!(matches::play_matches, module)?)?;
    module.add_function(wrap_pyfunction!(run::read_run, module)?)?;
    module.add_function(wrap_pyfunction!(run::run_files, module)?)?;
    Ok(())
}
