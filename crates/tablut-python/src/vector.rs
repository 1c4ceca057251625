//! Many games at once, with arrays for actions, rewards and observations.

use crate::action::{legal_actions, move_of, n_actions};
use crate::encoding::{index_array, planes_array};
use crate::errors::{illegal_move, type_error, value_error};
use crate::game::{PyGame, write_board};
use crate::rules::{PyRules, RulesArgument};
use crate::threads::Workers;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use tablut_net::{FEATURES, InputBatch, encode};
use tablut_rules::{Game, Move, MoveList, Rules, Side};

struct Table {
    game: Game,
    /// The legal actions, in ascending order.
    actions: Vec<u16>,
    rng: ChaCha8Rng,
    /// The last game that ended in the present step.
    ended: Option<Game>,
}

/// The result of a step in one game.
#[derive(Clone, Default)]
struct StepResult {
    /// The reward of the side that moved.
    reward: f32,
    terminated: bool,
    truncated: bool,
}

const MAX_GAMES: usize = 100_000;

impl Table {
    fn new(rules: &Arc<Rules>, seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let game = Game::new(rules.clone(), Side::Attackers);
        let mut table = Self { game, actions: Vec::new(), rng, ended: None };
        table.begin();
        table
    }

    /// Begins a new game and returns the one before. If the rules draw the side that moves first, it is drawn.
    fn begin(&mut self) -> Game {
        let rules = self.game.rules().clone();
        let first = rules.set().first.side();
        let first = first.unwrap_or_else(|| if self.rng.random() { Side::Attackers } else { Side::Defenders });
        let before = std::mem::replace(&mut self.game, Game::new(rules, first));
        self.list_actions();
        before
    }

    fn list_actions(&mut self) {
        legal_actions(self.game.rules(), self.game.position(), &mut self.actions);
    }

    /// The legal move of an action, or the reason why it is not legal.
    fn read(&self, action: i64) -> Result<Move, String> {
        let (n_actions, size) = (n_actions(self.game.rules()), self.game.rules().size());
        let read = usize::try_from(action).ok().filter(|&action| action < n_actions);
        let read = read.and_then(|action| move_of(size, action));
        let mv = read.ok_or_else(|| format!("action {action} is no move, expected 0 to {}", n_actions - 1))?;
        if self.actions.binary_search(&(action as u16)).is_err() {
            self.game.rules().check_legal(self.game.position(), mv).map_err(|error| error.to_string())?;
        }
        Ok(mv)
    }

    /// Plays a legal move, and begins a new game if this one is over.
    fn play(&mut self, mv: Move, max_plies: Option<u32>) -> StepResult {
        let mover = self.game.position().side_to_move();
        self.game.play_trusted(mv);
        let result = match self.game.outcome() {
            Some(outcome) => {
                let reward = outcome.winner.map_or(0.0, |winner| if winner == mover { 1.0 } else { -1.0 });
                StepResult { reward, terminated: true, truncated: false }
            }
            None => StepResult {
                truncated: max_plies.is_some_and(|plies| self.game.ply() >= plies),
                ..StepResult::default()
            },
        };
        if result.terminated || result.truncated {
            self.ended = Some(self.begin());
        } else {
            self.list_actions();
        }
        result
    }
}

/// Many games under one rule set. A game that ends is replaced by a new one at once. Users should use
/// `tablut.vector.VectorEnv`.
#[pyclass(name = "VectorGames", module = "tablut._tablut")]
pub(crate) struct PyVectorGames {
    rules: Arc<Rules>,
    tables: Vec<Table>,
    seed: u64,
    max_plies: Option<u32>,
    threads: usize,
}

/// `items` in `threads` parts of equal size. The last one may be smaller.
fn parts<T>(items: &mut [T], threads: usize) -> impl Iterator<Item = &mut [T]> {
    let size = items.len().div_ceil(threads).max(1);
    items.chunks_mut(size)
}

#[pymethods]
impl PyVectorGames {
    #[new]
    #[pyo3(signature = (rules, n, *, seed=0, max_plies=None, threads=1))]
    fn new(rules: RulesArgument, n: usize, seed: u64, max_plies: Option<u32>, threads: usize) -> PyResult<Self> {
        let RulesArgument(rules) = rules;
        if threads == 0 || max_plies == Some(0) {
            return Err(value_error("threads and max_plies: expected at least 1"));
        }
        if !(1..=MAX_GAMES).contains(&n) {
            return Err(value_error(format!("{n} games: expected 1 to {MAX_GAMES}")));
        }
        let tables = tables(&rules, n, seed);
        Ok(Self { rules, tables, seed, max_plies, threads: threads.min(n) })
    }

    /// Creates the games again, for `pickle` and `copy`. Each has its game and the place in its random numbers.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(
        _class: &Bound<'_, PyType>,
        rules: RulesArgument,
        seed: u64,
        max_plies: Option<u32>,
        threads: usize,
        tables: Vec<(PyRef<'_, PyGame>, u128)>,
    ) -> PyResult<Self> {
        let mut games = Self::new(rules, tables.len(), seed, max_plies, threads)?;
        for (table, (game, word)) in games.tables.iter_mut().zip(&tables) {
            table.game = game.game.clone();
            table.list_actions();
            table.rng.set_word_pos(*word);
        }
        Ok(games)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let table = |table: &Table| (PyGame { game: table.game.clone() }, table.rng.get_word_pos());
        let tables: Vec<_> = self.tables.iter().map(table).collect();
        let parts = (self.rules(), self.seed, self.max_plies, self.threads, tables).into_pyobject(py)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, parts))
    }

    /// Begins all games again.
    fn reset(&mut self, seed: u64) {
        self.seed = seed;
        self.tables = tables(&self.rules, self.tables.len(), seed);
    }

    /// The number of games.
    fn __len__(&self) -> usize {
        self.tables.len()
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules { rules: self.rules.clone() }
    }

    /// A copy of one game.
    fn game(&self, place: usize) -> PyResult<PyGame> {
        let n = self.tables.len();
        let table = self.tables.get(place).ok_or_else(|| value_error(format!("game {place} of {n}")))?;
        Ok(PyGame { game: table.game.clone() })
    }

    /// A legal action of each game, all equally likely, i64 `[n]`.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let workers = Workers::new(py, self.threads)?;
        let tables = &mut self.tables;
        let mut actions = vec![0; tables.len()];
        py.detach(|| {
            let jobs = parts(tables, workers.n()).zip(parts(&mut actions, workers.n()));
            workers.run(jobs, |(tables, actions): (&mut [Table], &mut [i64])| {
                for (table, action) in tables.iter_mut().zip(actions) {
                    *action = i64::from(table.actions[table.rng.random_range(0..table.actions.len())]);
                }
            });
        });
        Ok(actions.into_pyarray(py))
    }

    /// Plays an action in each game. Returns the rewards of the sides that moved, f32 `[n]`, whether games ended by the
    /// rules, bool `[n]`, whether they reached `max_plies`, bool `[n]`, and a list of the games that ended, with their
    /// places. If an action is illegal, no game changes.
    fn step<'py>(&mut self, py: Python<'py>, actions: &Bound<'py, PyAny>) -> PyResult<StepArrays<'py>> {
        let actions = whole_numbers(actions, self.tables.len())?;
        let (workers, max_plies) = (Workers::new(py, self.threads)?, self.max_plies);
        let tables = &mut self.tables;
        let results = py.detach(|| step(tables, &actions, max_plies, workers)).map_err(illegal_move)?;
        let rewards: Vec<f32> = results.iter().map(|result| result.reward).collect();
        let terminated: Vec<bool> = results.iter().map(|result| result.terminated).collect();
        let truncated: Vec<bool> = results.iter().map(|result| result.truncated).collect();
        let ended = |(place, table): (usize, &mut Table)| Some((place, PyGame { game: table.ended.take()? }));
        let ended = self.tables.iter_mut().enumerate().filter_map(ended).collect();
        Ok((rewards.into_pyarray(py), terminated.into_pyarray(py), truncated.into_pyarray(py), ended))
    }

    /// The requested arrays as a dict: `side` i64 `[n]`, 0 if the attackers are to move and 1 if the defenders are;
    /// `planes` f32 `[n, 16, width, width]` and `features` f32 `[n, 48]`; `board` i8 `[n, width, width]`; `action_mask`
    /// i8 `[n, n_actions]`.
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        planes: bool,
        board: bool,
        action_mask: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (n, n_actions) = (self.tables.len(), n_actions(&self.rules));
        let workers = Workers::new(py, self.threads)?;
        let found = PyDict::new(py);
        let side = |table: &Table| table.game.position().side_to_move().index();
        found.set_item("side", index_array(py, self.tables.iter().map(side)))?;
        let tables = &mut self.tables;
        if planes {
            let batch = py.detach(|| encoded(tables, workers));
            found.set_item("planes", planes_array(py, &batch, 1.0_f32)?)?;
            found.set_item("features", batch.features.into_pyarray(py).reshape([n, FEATURES])?)?;
        }
        if board {
            let size = self.rules.size();
            let write = |table: &Table, row: &mut [i8]| write_board(table.game.position(), row);
            let boards = py.detach(|| rows(tables, size.n_squares(), workers, write));
            found.set_item("board", boards.into_pyarray(py).reshape([n, size.width(), size.width()])?)?;
        }
        if action_mask {
            let write = |table: &Table, row: &mut [i8]| {
                for &action in &table.actions {
                    row[usize::from(action)] = 1;
                }
            };
            let mask = py.detach(|| rows(tables, n_actions, workers, write));
            found.set_item("action_mask", mask.into_pyarray(py).reshape([n, n_actions])?)?;
        }
        Ok(found)
    }

    /// The legal actions of all games, i64 `[m]`, game by game in ascending order, and the end of each game's, u32
    /// `[n]`.
    fn legal_actions<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>) {
        let actions = self.tables.iter().flat_map(|table| table.actions.iter());
        let actions = index_array(py, actions.map(|&action| usize::from(action)));
        let mut end = 0;
        let end_of = |table: &Table| {
            end += table.actions.len() as u32;
            end
        };
        (actions, self.tables.iter().map(end_of).collect::<Vec<u32>>().into_pyarray(py))
    }
}

fn tables(rules: &Arc<Rules>, n: usize, seed: u64) -> Vec<Table> {
    (0..n).map(|place| Table::new(rules, seed, place as u64)).collect()
}

type Flags<'py> = Bound<'py, PyArray1<bool>>;
type StepArrays<'py> = (Bound<'py, PyArray1<f32>>, Flags<'py>, Flags<'py>, Vec<(usize, PyGame)>);

fn whole_numbers(object: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<i64>> {
    let array = object.py().import("numpy")?.call_method1("asarray", (object,))?;
    let untyped = array.cast::<PyUntypedArray>()?;
    if untyped.shape() != [n] {
        return Err(value_error(format!("actions of the shape {:?}: expected [{n}]", untyped.shape())));
    }
    if let Ok(array) = array.cast::<PyArray1<i64>>() {
        return Ok(array.readonly().as_array().to_vec());
    }
    let dtype = untyped.dtype();
    let kind = dtype.getattr("kind")?.extract::<String>()?;
    if kind != "i" && kind != "u" {
        return Err(type_error(format!("actions of the dtype {dtype}: expected whole numbers, such as int64")));
    }
    Ok(array.call_method1("astype", ("int64",))?.cast::<PyArray1<i64>>()?.readonly().as_array().to_vec())
}

/// Plays an action in each game. If one is illegal, no game changes.
fn step(
    tables: &mut [Table],
    actions: &[i64],
    max_plies: Option<u32>,
    workers: Workers,
) -> Result<Vec<StepResult>, String> {
    let read = |(place, (table, &action)): (usize, (&Table, &i64))| {
        table.read(action).map_err(|error| format!("game {place}: {error}"))
    };
    let mut moves = tables.iter().zip(actions).enumerate().map(read).collect::<Result<Vec<Move>, String>>()?;
    let mut results = vec![StepResult::default(); tables.len()];
    let n = workers.n();
    let jobs = parts(tables, n).zip(parts(&mut moves, n)).zip(parts(&mut results, n));
    workers.run(jobs, |((tables, moves), results): ((&mut [Table], &mut [Move]), &mut [StepResult])| {
        for ((table, &mut mv), result) in tables.iter_mut().zip(moves).zip(results) {
            *result = table.play(mv, max_plies);
        }
    });
    Ok(results)
}

fn encoded(tables: &mut [Table], workers: Workers) -> InputBatch {
    let mut batches: Vec<InputBatch> = (0..workers.n()).map(|_| InputBatch::default()).collect();
    workers.run(parts(tables, workers.n()).zip(&mut batches), |(tables, batch)| {
        let mut moves = MoveList::new();
        for table in tables {
            table.game.legal_moves(&mut moves);
            encode(&table.game.situation(&moves), batch);
        }
    });
    let mut batches = batches.into_iter();
    let mut all = batches.next().unwrap_or_default();
    batches.for_each(|batch| all.append(&batch));
    all
}

/// A row of `width` numbers for each game, written by `write` into zeros.
fn rows(tables: &mut [Table], width: usize, workers: Workers, write: impl Fn(&Table, &mut [i8]) + Sync) -> Vec<i8> {
    let mut rows = vec![0; tables.len() * width];
    let size = tables.len().div_ceil(workers.n()).max(1);
    workers.run(tables.chunks_mut(size).zip(rows.chunks_mut(size * width)), |(tables, rows)| {
        for (table, row) in tables.iter().zip(rows.chunks_exact_mut(width)) {
            write(table, row);
        }
    });
    rows
}
