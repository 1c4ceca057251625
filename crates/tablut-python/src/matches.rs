//! Matches between players.

use crate::calling_thread::{messages, supervise};
use crate::errors::{type_error, value_error};
use crate::items::Items;
use crate::json::to_python;
use crate::model::{PyModel, n_threads};
use crate::players::{add_net, contestant};
use crate::rules::RulesArgument;
use crate::search::{Prepared, Source};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::sync::Arc;
use tablut_arena::{
    DEFAULT_OPENING_PLIES, MatchConfig, MatchError, MatchReport, OpeningBook, Tournament, ladder, play_match,
};
use tablut_games::Concurrency;
use tablut_net::NetPool;
use tablut_players::{Contestant, NamedPlayer, NetSearch, is_name};
use tablut_ratings::TestBounds;
use tablut_rules::Rules;
use tablut_search::{Evaluator, Limit, SearchConfig};

/// The text of a signature needs a number.
const _: () = assert!(DEFAULT_OPENING_PLIES == 4);

const MAX_GAMES: usize = 1_000_000;

pub(crate) enum Entrant {
    /// A player that a text names.
    Named(NamedPlayer),
    /// A model or a callable with a limit for each move.
    Own { name: String, source: Source, limit: Limit },
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
        let limit: Limit = limit.str()?.to_cow()?.parse().map_err(value_error)?;
        let source = match net.cast::<PyModel>() {
            Ok(model) => Source::Model(model.clone().unbind()),
            Err(_) => Source::of(player.py(), None, Some(net.unbind()))?,
        };
        Ok(Self::Own { name, source, limit })
    }

    fn name(&self) -> String {
        match self {
            Self::Named(named) => named.name(),
            Self::Own { name, .. } => name.clone(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Entrant {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::read(&object)
    }
}

/// Plays a match between every two of the players, and returns scores with 95 % intervals as a dict.
///
/// A player is a text such as `"alphabeta:2"` or `"net:shipped@64"`, or a tuple of a name, a `Model` or a callable as
/// for `search`, and a limit per move, such as 64 or `"200ms"`. Games are played in pairs: two games from one opening
/// of `opening_plies` random plies with sides exchanged. `openings="even"` uses the package's book of even openings
/// instead. `sequential_test` ends a match early when its result is clear: `"0,20"` are the bounds in Elo. The result
/// depends on the seed and not on threads. It equals that of `tablut match` with the same settings. Each of `threads`
/// threads plays `batch` games at once, and their positions form batches.
#[pyfunction]
#[pyo3(name = "match", signature = (players, *, rules=None, games=200, opening_plies=4, openings=None, max_plies=400, seed=1,
    sequential_test=None, threads=None, batch=16))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the Python function")]
pub(crate) fn play_matches<'py>(
    py: Python<'py>,
    players: Items<Entrant>,
    rules: Option<RulesArgument>,
    games: usize,
    opening_plies: u32,
    openings: Option<&str>,
    max_plies: u32,
    #[pyo3(from_py_with = crate::items::seed)] seed: u64,
    sequential_test: Option<&str>,
    threads: Option<usize>,
    batch: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let Items(entrants) = players;
    if games > MAX_GAMES {
        return Err(value_error(format!("{games} games: expected at most {MAX_GAMES}")));
    }
    check_names(&entrants)?;
    let mut nets = NetPool::default();
    for entrant in &entrants {
        if let Entrant::Named(named) = entrant
            && let Some(path) = named.spec.model_file()
        {
            add_net(&mut nets, path)?;
        }
    }
    let rules = match rules {
        Some(RulesArgument(rules)) => rules,
        None => nets.choose_rules(None).map_err(value_error)?.rules,
    };
    let sequential_test: Option<TestBounds> = sequential_test.map(str::parse).transpose().map_err(value_error)?;
    let workers = n_threads(threads)?;
    let n_pairs = games.div_ceil(2);
    let mut config = MatchConfig {
        rules: rules.clone(),
        n_pairs,
        opening_plies,
        book: None,
        max_plies,
        seed,
        sequential_test,
        concurrency: Concurrency { workers, tasks_per_worker: batch },
    };
    if let Some(name) = openings {
        let book = book(name, &rules)?;
        config.book = Some(book.draw(n_pairs, seed, &name).map_err(value_error)?.into());
        config.opening_plies = book.plies;
    }
    let mut reports = Vec::new();
    for (place, first) in entrants.iter().enumerate() {
        for second in &entrants[place + 1..] {
            reports.push(play(py, [first, second], &nets, &config)?);
        }
    }
    let ladder = if reports.is_empty() { None } else { Some(ladder(&reports, &[]).map_err(value_error)?) };
    to_python(py, &Tournament { rules: rules.name().to_owned(), ladder, matches: reports })
}

fn check_names(entrants: &[Entrant]) -> PyResult<()> {
    if entrants.len() < 2 {
        return Err(value_error(format!("a match needs two players or more, found {}", entrants.len())));
    }
    let names: Vec<String> = entrants.iter().map(Entrant::name).collect();
    match names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
        Some((_, name)) => Err(value_error(format!("two players have the name {name}"))),
        None => Ok(()),
    }
}

/// The package's book of even openings, or a book from a file.
fn book(name: &str, rules: &Arc<Rules>) -> PyResult<OpeningBook> {
    match name {
        "even" => OpeningBook::even(rules)
            .ok_or_else(|| value_error(format!("openings \"even\": there is no such book for {}", rules.name()))),
        path => OpeningBook::read(path.as_ref(), rules).map_err(value_error),
    }
}

fn play(py: Python<'_>, pair: [&Entrant; 2], nets: &NetPool, config: &MatchConfig) -> PyResult<MatchReport> {
    let n_named = nets.evaluators().len();
    let own = |place: usize| match pair[place] {
        Entrant::Named(_) => None,
        Entrant::Own { source, .. } => Some(source),
    };
    // The evaluators of a worker: those of the named nets, then those of the first and the second player's own.
    let contestant = |place: usize| match pair[place] {
        Entrant::Named(named) => contestant(named, &config.rules, nets),
        Entrant::Own { name, limit, .. } => {
            let evaluator = n_named + usize::from(place == 1 && own(0).is_some());
            let search = NetSearch { evaluator, limit: *limit, config: SearchConfig::for_play() };
            Ok(Contestant::net(name.clone(), search))
        }
    };
    let contestants = [contestant(0)?, contestant(1)?];
    let sources: Vec<&Source> = [own(0), own(1)].into_iter().flatten().collect();
    let (to_caller, receiver) = messages();
    let workers = config.concurrency.workers;
    let mut callables = Vec::new();
    let mut sets: Vec<Vec<Box<dyn Evaluator>>> = (0..workers).map(|_| nets.evaluators()).collect();
    for source in sources {
        for (set, evaluator) in sets.iter_mut().zip(source.evaluators(workers, 1, callables.len(), &to_caller)?) {
            set.push(evaluator);
        }
        callables.extend(source.callable(py));
    }
    let sets = Prepared::new(sets);
    let played = supervise(py, &callables, receiver, &to_caller, |cancel| {
        play_match(config, &contestants, Vec::new(), || sets.take(), cancel, |_| {})
    })?;
    match played {
        Ok(outcome) => Ok(outcome.report),
        Err(MatchError::Openings(error)) => Err(value_error(error)),
        Err(error) => Err(crate::errors::runtime_error(error)),
    }
}
