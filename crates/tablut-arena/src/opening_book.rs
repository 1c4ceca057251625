//! Books of balanced openings. Each opening leads to a different position that a judge evaluates as nearly even. Its
//! plies are random, or steered towards even positions.

mod file;

pub use file::OpeningBook;

use crate::openings::{Opening, attempt, canonical, random};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::collections::HashSet;
use std::sync::Arc;
use tablut_rules::{Game, Move, Rules, Side};
use tablut_search::EvaluateError;

/// Attempts of all threads in one round. It does not influence the book.
const ROUND: usize = 16;
const ATTEMPTS_PER_OPENING: usize = 200;
const FIRST_ATTEMPTS: usize = 2000;

#[derive(Clone, Debug)]
pub struct BookConfig {
    pub rules: Arc<Rules>,
    pub n_openings: usize,
    pub plies: u32,
    /// Whether openings are steered: the side that is behind plays the judge's best move, and the other side plays
    /// random moves. Under one-sided rules hardly any random opening is even.
    pub steered: bool,
    /// The largest absolute value of the judge's evaluation, in the judge's unit.
    pub band: f64,
    pub seed: u64,
    /// Number of threads. It does not influence the book.
    pub n_threads: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct JudgedOpening {
    pub opening: Opening,
    /// The judge's value of the position after the opening. It is above zero if the attackers are better.
    pub value: f64,
}

/// How much effort a judge makes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Look {
    /// Little, to steer an opening.
    Short,
    Full,
}

/// A judge's evaluation of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opinion {
    /// The value in the judge's unit, above zero if the attackers are better.
    pub value: f64,
    /// The move that the judge would play.
    pub best: Move,
}

/// Evaluates the position of a game that is not over. The result must depend only on the arguments.
pub type Judge = Box<dyn FnMut(&Game, Look) -> Result<Opinion, EvaluateError> + Send>;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Too few openings are even enough and different from each other.
    #[error(
        "found only {found} different openings of {plies} plies under {rules} within {band} of even, expected \
         {wanted}; use a wider band, more plies or steered openings"
    )]
    TooFew { found: usize, wanted: usize, plies: u32, band: f64, rules: String },
    #[error(transparent)]
    Judge(#[from] EvaluateError),
}

/// Makes a book. `make_judge` is called once for each thread. `on_round` receives the number of openings and the number
/// of attempts; if it returns false, the search stops with fewer openings.
///
/// Opening `i` depends only on rules, plies, steering, band, judge and seed, so a longer book starts like a shorter
/// one.
pub fn make_book(
    config: &BookConfig,
    make_judge: impl Fn() -> Judge,
    mut on_round: impl FnMut(usize, usize) -> bool,
) -> Result<Vec<JudgedOpening>, BookError> {
    let mut judges: Vec<Judge> = (0..config.n_threads.max(1)).map(|_| make_judge()).collect();
    let mut seen = HashSet::new();
    let mut book = Vec::new();
    let mut tried = 0;
    while book.len() < config.n_openings {
        let given_up = tried >= FIRST_ATTEMPTS + ATTEMPTS_PER_OPENING * config.n_openings;
        if given_up || !on_round(book.len(), tried) {
            let (found, wanted, plies, band) = (book.len(), config.n_openings, config.plies, config.band);
            return Err(BookError::TooFew { found, wanted, plies, band, rules: config.rules.name().to_owned() });
        }
        for candidate in round(config, tried, &mut judges)? {
            let Some((judged, hash)) = candidate else { continue };
            if book.len() < config.n_openings && judged.value.abs() <= config.band && seen.insert(hash) {
                book.push(judged);
            }
        }
        tried += ROUND;
    }
    Ok(book)
}

/// An opening with the hash of its position, or `None` if the attempt failed.
type Candidate = Option<(JudgedOpening, u64)>;

/// [`ROUND`] attempts from number `begin` on, in order. The judges share them.
fn round(config: &BookConfig, begin: usize, judges: &mut [Judge]) -> Result<Vec<Candidate>, EvaluateError> {
    let share = ROUND.div_ceil(judges.len());
    let results: Vec<Result<Vec<Candidate>, EvaluateError>> = std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for (nth, judge) in judges.iter_mut().enumerate() {
            let numbers = begin + (nth * share).min(ROUND)..begin + ((nth + 1) * share).min(ROUND);
            workers.push(scope.spawn(move || numbers.map(|number| candidate(config, number, judge)).collect()));
        }
        workers.into_iter().map(|worker| worker.join().expect("a judge does not panic")).collect()
    });
    Ok(results.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

fn candidate(config: &BookConfig, number: usize, judge: &mut Judge) -> Result<Candidate, EvaluateError> {
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    rng.set_stream(number as u64);
    let drawn = attempt(&config.rules, config.plies, &mut rng, |game, moves, rng| {
        if !config.steered {
            return Ok(random(moves, rng));
        }
        let Opinion { value, best } = judge(game, Look::Short)?;
        let ahead = if value > 0.0 { Side::Attackers } else { Side::Defenders };
        Ok(if game.position().side_to_move() == ahead { random(moves, rng) } else { best })
    })?;
    let Some((opening, position)) = drawn else { return Ok(None) };
    // Thousandths are precise enough and easy to read in the file.
    let value = (1000.0 * judge(&opening.game(&config.rules), Look::Full)?.value).round() / 1000.0;
    Ok(Some((JudgedOpening { opening, value }, canonical(&position))))
}

#[cfg(test)]
mod tests;
