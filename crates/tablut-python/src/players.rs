//! Players that are named by text.

use crate::calling_thread::{messages, supervise};
use crate::errors::{net_error, runtime_error, value_error};
use crate::game::PyGame;
use crate::rules::{PyRules, RulesArgument};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use tablut_games::{CancelToken, load_net};
use tablut_net::NetPool;
use tablut_players::{Contestant, Fault, NamedPlayer, Player, PlayerError};
use tablut_rules::{Game, Move, Rules};
use tablut_search::{Evaluator, Situation};

pub(crate) fn add_net(nets: &mut NetPool, path: &Path) -> PyResult<()> {
    nets.get_or_load(path, || load_net(path)).map(drop).map_err(net_error)
}

/// The contestant that a text names. External programs are an error.
pub(crate) fn contestant(named: &NamedPlayer, rules: &Arc<Rules>, nets: &NetPool) -> PyResult<Contestant> {
    Contestant::of(named, rules, nets, no_program).map_err(value_error)
}

fn no_program(named: &NamedPlayer, _: &Arc<Rules>) -> Result<Contestant, PlayerError> {
    let reason = "other programs play in `tablut match`, not in this package".to_owned();
    Err(PlayerError { name: named.name(), reason })
}

struct Seat {
    evaluators: Vec<Box<dyn Evaluator>>,
    seed: u64,
    seen: Option<(Game, Box<dyn Player>)>,
}

/// A player for one side of a game: `random`, `greedy`, `alphabeta:DEPTH`, `alphabeta:200ms`, `rollouts:N`,
/// `net:FILE@64`, `net:shipped@64` or `policy:FILE`. It stores the game that it plays, so a net reuses its search tree.
/// A copy has the same seed and an empty tree. Use it in one thread at a time.
#[pyclass(frozen, name = "Player", module = "tablut")]
pub(crate) struct PyPlayer {
    text: String,
    rules: Arc<Rules>,
    contestant: Contestant,
    seat: Mutex<Seat>,
}

#[pymethods]
impl PyPlayer {
    #[new]
    #[pyo3(signature = (text, rules, *, seed=1))]
    fn new(text: &str, rules: RulesArgument, #[pyo3(from_py_with = crate::items::seed)] seed: u64) -> PyResult<Self> {
        let RulesArgument(rules) = rules;
        let named: NamedPlayer = text.parse().map_err(value_error)?;
        let mut nets = NetPool::default();
        if let Some(path) = named.spec.model_file() {
            add_net(&mut nets, path)?;
        }
        let contestant = contestant(&named, &rules, &nets)?;
        let seat = Mutex::new(Seat { evaluators: nets.evaluators(), seed, seen: None });
        Ok(Self { text: text.to_owned(), rules, contestant, seat })
    }

    /// The name in reports.
    #[getter]
    fn name(&self) -> &str {
        &self.contestant.name
    }

    /// Whether the same seed always gives the same moves. It does not for players that use a clock.
    #[getter]
    fn is_reproducible(&self) -> bool {
        self.contestant.demand == tablut_players::Demand::Shared
    }

    /// The player's move in a game that is not over. Python's other threads run meanwhile.
    fn choose(&self, py: Python<'_>, game: PyRef<'_, PyGame>) -> PyResult<String> {
        game.expect_open(|| "the game".to_owned())?;
        if game.game.rules().set() != self.rules.set() {
            let (found, expected) = (game.game.rules().name(), self.rules.name());
            return Err(value_error(format!("a game under the rules {found}: the player plays under {expected}")));
        }
        let copied = game.game.clone();
        // Other threads may use the game while the player thinks.
        drop(game);
        let game = copied;
        let mut seat = self.lock()?;
        let seat = &mut *seat;
        let (to_caller, receiver) = messages();
        let chosen = supervise(py, &[], receiver, &to_caller, |cancel| self.think(seat, &game, cancel))?;
        Ok(chosen?.to_string())
    }

    /// Drops the current game and sets the seed of the next one.
    fn reset(&self, #[pyo3(from_py_with = crate::items::seed)] seed: u64) -> PyResult<()> {
        let mut seat = self.lock()?;
        (seat.seed, seat.seen) = (seed, None);
        Ok(())
    }

    /// Creates the player again, for `pickle` and `copy`.
    #[classmethod]
    #[pyo3(name = "_restore")]
    fn restore(_class: &Bound<'_, PyType>, text: &str, rules: RulesArgument, seed: u64) -> PyResult<Self> {
        Self::new(text, rules, seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (&self.text, PyRules { rules: self.rules.clone() }, self.lock()?.seed).into_pyobject(py)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, parts))
    }

    fn __repr__(&self) -> String {
        format!("Player({:?}, {:?})", self.text, self.rules.name())
    }
}

impl PyPlayer {
    fn lock(&self) -> PyResult<MutexGuard<'_, Seat>> {
        self.seat.try_lock().map_err(|_| runtime_error("the player is thinking in another thread"))
    }

    fn think(&self, seat: &mut Seat, game: &Game, cancel: &CancelToken) -> PyResult<Move> {
        let new = match seat.seen.take() {
            Some((seen, player)) if continues(&seen, game) => (seen, player),
            _ => self.begin(game, seat.seed)?,
        };
        let (seen, player) = seat.seen.insert(new);
        for mv in game.moves().skip(seen.ply() as usize) {
            seen.play(mv).map_err(runtime_error)?;
            player.follow(seen, mv).map_err(fault)?;
        }
        let mut queries: Vec<Situation> = Vec::new();
        loop {
            if let Some(mv) = player.poll(seen, &mut queries).map_err(fault)? {
                return Ok(mv);
            }
            if cancel.is_cancelled() {
                seat.seen = None;
                return Err(runtime_error("stopped"));
            }
            if let Some(place) = self.contestant.evaluator {
                let evaluations = seat.evaluators[place].evaluate(&queries).map_err(runtime_error)?;
                player.apply(&evaluations);
            }
            queries.clear();
        }
    }

    fn begin(&self, game: &Game, seed: u64) -> PyResult<(Game, Box<dyn Player>)> {
        let start = crate::game::begin(game.rules().clone(), *game.start(), game.max_plies())?;
        let side = game.position().side_to_move();
        let mut player = self.contestant.sit(&self.rules, side, seed);
        while !player.begin(&start).map_err(fault)? {}
        Ok((start, player))
    }
}

/// Whether `game` is the game `seen`, possibly with more moves.
fn continues(seen: &Game, game: &Game) -> bool {
    seen.start() == game.start()
        && seen.max_plies() == game.max_plies()
        && seen.ply() <= game.ply()
        && seen.moves().eq(game.moves().take(seen.ply() as usize))
}

fn fault(fault: Fault) -> PyErr {
    match fault {
        Fault::Forfeit(reason) => runtime_error(reason),
        Fault::Fatal(error) => runtime_error(error),
    }
}
