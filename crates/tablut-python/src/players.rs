//! Players: those that a text names, and nets and callables.

use crate::calling_thread::{messages, supervise};
use crate::errors::{net_error, runtime_error, type_error, value_error};
use crate::game::PyGame;
use crate::model::PyModel;
use crate::rules::{PyRules, RulesArgument};
use crate::search::Source;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use tablut_games::{CancelToken, load_net};
use tablut_net::NetPool;
use tablut_players::{Contestant, Fault, NamedPlayer, NetSearch, Player, PlayerError, SearchOptions, is_name};
use tablut_rules::{Game, Move, Rules};
use tablut_search::{Evaluator, Limit, SearchConfig, Situation};

pub(crate) fn add_net(nets: &mut NetPool, path: &Path) -> PyResult<()> {
    nets.get_or_load(path, || load_net(path)).map(drop).map_err(net_error)
}

/// External programs are an error.
fn no_program(named: &NamedPlayer, _: &Arc<Rules>) -> Result<Contestant, PlayerError> {
    let reason = "other programs play in `tablut match`, not in this package".to_owned();
    Err(PlayerError { name: named.name(), reason })
}

/// A player as an argument.
pub(crate) enum Entrant {
    /// A player that a text names.
    Named(NamedPlayer),
    /// A model or a callable with a limit for each move.
    Own { name: String, source: Source, limit: Limit, config: Box<SearchConfig> },
}

impl Entrant {
    fn read(player: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = player.cast::<PyString>() {
            return text.to_cow()?.parse().map(Self::Named).map_err(value_error);
        }
        let form = "expected a text, or a tuple of name, model or evaluator, and a limit such as 64 or \"200ms\"";
        let Ok(parts) = player.cast::<PyTuple>() else {
            return Err(type_error(format!("player: found {}, {form}", player.get_type().name()?)));
        };
        let Ok((name, net, limit)) = parts.extract::<(String, Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
            return Err(type_error(format!("player: found a tuple of {}, {form}", parts.len())));
        };
        if !is_name(&name) {
            let expected = "expected at most 40 letters, digits, -, _ or ., and no player's text";
            return Err(value_error(format!("the player's name {name:?}: {expected}")));
        }
        let limit = limit.str()?.to_string();
        let (limit, options) = limit.split_once(',').map_or((&*limit, None), |(limit, options)| (limit, Some(options)));
        let limit: Limit = limit.parse().map_err(value_error)?;
        let options: SearchOptions = options.map_or(Ok(SearchOptions::default()), str::parse).map_err(value_error)?;
        let config = Box::new(options.apply(SearchConfig::for_play()));
        let source = match net.cast::<PyModel>() {
            Ok(model) => Source::Model(model.clone().unbind()),
            Err(_) => Source::of(player.py(), None, Some(net.unbind()))?,
        };
        Ok(Self::Own { name, source, limit, config })
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Named(named) => named.name(),
            Self::Own { name, .. } => name.clone(),
        }
    }

    /// The net or the callable that is no player of a text.
    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Self::Named(_) => None,
            Self::Own { source, .. } => Some(source),
        }
    }

    /// The contestant. A text's net is in `nets`. `own` is the index of the evaluator of an own net or callable.
    pub(crate) fn contestant(&self, rules: &Arc<Rules>, nets: &NetPool, own: usize) -> PyResult<Contestant> {
        match self {
            Self::Named(named) => Contestant::of(named, rules, nets, no_program).map_err(value_error),
            Self::Own { name, limit, config, .. } => {
                let search = NetSearch { evaluator: own, limit: *limit, config: (**config).clone() };
                Ok(Contestant::net(name.clone(), search))
            }
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Entrant {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::read(&object)
    }
}

struct Seat {
    evaluators: Vec<Box<dyn Evaluator>>,
    seed: u64,
    seen: Option<(Game, Box<dyn Player>)>,
}

/// A player for one side of a game: a text or a tuple. A text is `random`, `greedy`, `alphabeta:DEPTH`, `alphabeta:200ms`,
/// `rollouts:N`, `net:FILE@64`, `net:shipped@64` or `policy:FILE`. A tuple has a name, a `Model` or a callable as for
/// `search`, and a limit per move, such as 64 or `"200ms"`. Search settings may follow it: `"400,leaves_in_flight=8"` evaluates
/// eight positions in a call. The player stores the game that it plays, so a net reuses its
/// search tree. A copy has the same seed and an empty tree. Use it in one thread at a time.
#[pyclass(frozen, name = "Player", module = "tablut")]
pub(crate) struct PyPlayer {
    player: Py<PyAny>,
    entrant: Entrant,
    rules: Arc<Rules>,
    contestant: Contestant,
    seat: Mutex<Seat>,
}

#[pymethods]
impl PyPlayer {
    #[new]
    #[pyo3(signature = (player, rules, *, seed=1))]
    fn new(
        player: Bound<'_, PyAny>,
        rules: RulesArgument,
        #[pyo3(from_py_with = crate::items::seed)] seed: u64,
    ) -> PyResult<Self> {
        let RulesArgument(rules) = rules;
        let entrant = Entrant::read(&player)?;
        let mut nets = NetPool::default();
        if let Entrant::Named(named) = &entrant
            && let Some(path) = named.spec.model_file()
        {
            add_net(&mut nets, path)?;
        }
        let contestant = entrant.contestant(&rules, &nets, 0)?;
        let seat = Mutex::new(Seat { evaluators: nets.evaluators(), seed, seen: None });
        Ok(Self { player: player.unbind(), entrant, rules, contestant, seat })
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
        let (to_caller, receiver) = messages::<()>();
        let callables: Vec<Py<PyAny>> =
            self.entrant.source().and_then(|source| source.callable(py)).into_iter().collect();
        if let Some(source) = self.entrant.source()
            && (!callables.is_empty() || seat.evaluators.is_empty())
        {
            seat.evaluators = source.evaluators(1, 1, 0, &to_caller)?;
        }
        let chosen =
            supervise(py, &callables, receiver, &to_caller, |()| Ok(()), |cancel| self.think(seat, &game, cancel))?;
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
    fn restore(
        _class: &Bound<'_, PyType>,
        player: Bound<'_, PyAny>,
        rules: RulesArgument,
        seed: u64,
    ) -> PyResult<Self> {
        Self::new(player, rules, seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let parts = (&self.player, PyRules { rules: self.rules.clone() }, self.lock()?.seed).into_pyobject(py)?;
        Ok((py.get_type::<Self>().getattr("_restore")?, parts))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.player)?;
        self.entrant.source().map_or(Ok(()), |source| match source {
            Source::Model(model) => visit.call(model),
            Source::Callable(callable) => visit.call(callable),
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Player({}, {:?})", self.player.bind(py).repr()?, self.rules.name()))
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
