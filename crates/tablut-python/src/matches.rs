//! Matches between players.

use crate::calling_thread::{messages, supervise};
use crate::errors::value_error;
use crate::items::Items;
use crate::json::to_python;
use crate::model::n_threads;
use crate::players::{Entrant, add_net};
use crate::rules::RulesArgument;
use crate::search::{Prepared, Source};
use pyo3::prelude::*;
use std::sync::Arc;
use tablut_arena::{
    DEFAULT_OPENING_PLIES, MatchConfig, MatchError, MatchReport, OpeningBook, Tournament, ladder, play_match,
};
use tablut_games::Concurrency;
use tablut_net::NetPool;
use tablut_ratings::TestBounds;
use tablut_rules::Rules;
use tablut_search::Evaluator;

/// The text of a signature needs a number.
const _: () = assert!(DEFAULT_OPENING_PLIES == 4);

const MAX_GAMES: usize = 1_000_000;

/// Plays a match between every two of the players, and returns scores with 95 % intervals as a dict.
///
/// A player is one of those of `Player`. Games are played in pairs: two games from one opening
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
    // The evaluators of a worker: those of the named nets, then those of the first and the second player's own.
    let second = n_named + usize::from(pair[0].source().is_some());
    let contestants =
        [pair[0].contestant(&config.rules, nets, n_named)?, pair[1].contestant(&config.rules, nets, second)?];
    let sources: Vec<&Source> = pair.iter().filter_map(|entrant| entrant.source()).collect();
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
    let played = supervise(
        py,
        &callables,
        receiver,
        &to_caller,
        |()| Ok(()),
        |cancel| play_match(config, &contestants, Vec::new(), || sets.take(), cancel, |_| {}),
    )?;
    match played {
        Ok(outcome) => Ok(outcome.report),
        Err(MatchError::Openings(error)) => Err(value_error(error)),
        Err(error) => Err(crate::errors::runtime_error(error)),
    }
}
