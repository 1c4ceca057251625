//! The module `_tablut` of the Python package `tablut`. `python/tablut` re-exports its contents.
//!
//! - `rules`, `game`, `action`, `encoding`: rule sets and games, moves as numbers, positions as arrays.
//! - `items`: sequences and seeds as arguments. `model`: nets. `callable`: Python callables instead of nets.
//! - `search`, `selfplay`, `record`, `players`, `matches`: search, self-play, records, players and matches.
//! - `vector`: many games at once. `run`: a run's folder. `program`: the program in this process.
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
mod items;
mod json;
mod matches;
mod model;
mod players;
mod program;
mod record;
mod rules;
mod run;
mod search;
mod search_result;
mod selfplay;
mod threads;
mod vector;

/// Rules, nets, search, self-play and matches of tablut.
#[pyo3::pymodule(gil_used = true)]
mod _tablut {
    #[pymodule_export]
    use crate::{
        encoding::{symmetry_policy, symmetry_squares},
        errors::IllegalMoveError,
        game::{PyGame, PyOutcome, encode},
        matches::play_matches,
        model::{PyEvaluations, PyModel},
        players::PyPlayer,
        program::{run_program, serve_page, train_run},
        record::{PyRecord, read_games, to_arrays, write_games},
        rules::PyRules,
        run::{read_run, run_files, run_report},
        search::search,
        search_result::{PyProof, PySearchResult},
        selfplay::{PySelfPlay, self_play},
        vector::PyVectorGames,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
