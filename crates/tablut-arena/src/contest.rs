//! Matches: many pairs of games between two players, on all cores.

mod collector;

use self::collector::Collector;
use crate::match_game::{GameResult, MatchGame, Seat};
use crate::openings::{Opening, OpeningsError, openings};
use crate::tally::{MatchReport, ReportHeader, Tally};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tablut_games::{CancelToken, Concurrency, Counters, RunError, run_tasks};
use tablut_players::{Contestant, Demand, PlayerError};
use tablut_ratings::TestBounds;
use tablut_rules::{Game, Rules, Side};
use tablut_search::{EvaluateError, Evaluator};

/// How a match is played.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Pairs of games; in each pair both players have each side once.
    pub n_pairs: usize,
    /// Random plies at the beginning of each game; with a book, its plies.
    pub opening_plies: u32,
    /// The openings, one for each pair or more, where they are not drawn at random.
    pub book: Option<Arc<[Opening]>>,
    /// Plies after which a game is a draw, beside what the rules say.
    pub max_plies: Option<u32>,
    /// Everything random comes from here.
    pub seed: u64,
    /// A sequential test that may end the match before all pairs are played.
    pub sequential_test: Option<TestBounds>,
    /// How the games are spread over the cores; it has no influence on the result.
    pub concurrency: Concurrency,
}

impl MatchConfig {
    /// The openings of the match's pairs.
    pub fn openings(&self) -> Result<Vec<Opening>, OpeningsError> {
        match &self.book {
            Some(book) => Ok(book.to_vec()),
            None => openings(&self.rules, self.n_pairs, self.opening_plies, self.seed),
        }
    }
}

/// How many games may be played at once with it. A player that watches the clock has a thread to itself, for other
/// games on its thread would take its time; so have programs, which need a core of their own.
fn limited(contestant: &Contestant, concurrency: Concurrency) -> Concurrency {
    match contestant.demand {
        Demand::Shared => concurrency,
        Demand::OwnThread => Concurrency { tasks_per_worker: 1, ..concurrency },
        Demand::OneAtATime => Concurrency { workers: 1, tasks_per_worker: 1 },
    }
}

/// How far a match is.
#[derive(Clone, Debug)]
pub struct MatchProgress<'a> {
    /// The game that has just ended, by its number from 0.
    pub game_idx: usize,
    /// How it ended.
    pub game: &'a GameResult,
    /// Games that have ended, those of an earlier run included.
    pub games_finished: usize,
    /// Games of the whole match, unless a sequential test ends it before.
    pub games_total: usize,
    /// All pairs that count so far.
    pub tally: &'a Tally,
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// A net cannot evaluate.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    /// A player cannot play.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// A match's report and its games.
#[derive(Clone, Debug)]
pub struct MatchOutcome {
    /// The result; where the match was stopped, of the pairs that were complete.
    pub report: MatchReport,
    /// The games that count by their numbers from 0: both of each pair, the one of the first player's attackers first.
    pub games: BTreeMap<usize, GameResult>,
    /// Games that have ended, whether they count or not.
    pub games_finished: usize,
}

/// Plays a match from its beginning: [`resume_match`] without earlier games.
pub fn play_match(
    config: &MatchConfig,
    contestants: &[Contestant; 2],
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    cancel: &CancelToken,
    on_game: impl Fn(&MatchProgress<'_>) + Sync,
) -> Result<MatchOutcome, MatchError> {
    resume_match(config, contestants, Vec::new(), make_evaluators, cancel, on_game)
}

/// Plays the games of a match that are not among `earlier`, those of an earlier run with their numbers.
///
/// `make_evaluators` is called once in each worker thread; [`Contestant::evaluator`] counts in what it returns.
/// `on_game` is called after each game, from any thread. With a sequential test pairs are judged in their
/// order, and the first that settles it is the last that counts, so that the result does not depend on how the games
/// are spread over threads. A match with a player that watches the clock, or with a program, plays one game at a time
/// on each thread. `cancel` ends the match: its report is then of the pairs so far, and says that it is not complete.
///
/// # Panics
/// If `on_game` panics, or a number of `earlier` is not one of the match's games.
pub fn resume_match(
    config: &MatchConfig,
    contestants: &[Contestant; 2],
    earlier: Vec<(usize, GameResult)>,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    cancel: &CancelToken,
    on_game: impl Fn(&MatchProgress<'_>) + Sync,
) -> Result<MatchOutcome, MatchError> {
    let openings = config.openings()?;
    let games_total = 2 * config.n_pairs;
    let mut is_left = vec![true; games_total];
    let mut collector = Collector::new(config.sequential_test);
    for (game_idx, game) in earlier {
        is_left[game_idx] = false;
        collector.add(game_idx, &game);
    }
    let left: Vec<usize> = (0..games_total).filter(|&idx| is_left[idx] && !collector.is_settled()).collect();
    let concurrency = limited(&contestants[1], limited(&contestants[0], config.concurrency));
    let collector = Mutex::new(collector);
    // The sequential test ends this match alone: whoever holds `cancel` has not asked for a stop.
    let settled = cancel.child();
    let run = run_tasks(
        left.len(),
        concurrency,
        |at| match_game(config, contestants, &openings, left[at]),
        make_evaluators,
        &Counters::default(),
        &settled,
        |at, game| {
            let mut collector = collector.lock().expect("no thread panics while it holds the collector");
            if collector.add(left[at], game) {
                settled.cancel();
            }
            let (games_finished, tally) = (collector.finished(), collector.tally());
            on_game(&MatchProgress { game_idx: left[at], game, games_finished, games_total, tally });
        },
    );
    let is_complete = ran_to_the_end(run)?;
    let collector = collector.into_inner().expect("all workers have ended");
    let header = ReportHeader {
        rules: config.rules.name().to_owned(),
        players: contestants.each_ref().map(|contestant| contestant.name.clone()),
        seed: config.seed,
        opening_plies: config.opening_plies,
        max_plies: config.max_plies,
        complete: is_complete || collector.is_settled(),
    };
    let (report, games_finished) = (collector.tally().report(header), collector.finished());
    Ok(MatchOutcome { report, games: collector.into_games(), games_finished })
}

/// Whether all games were played, and not stopped; or what kept them from it.
fn ran_to_the_end<T>(run: Result<T, RunError<PlayerError>>) -> Result<bool, MatchError> {
    match run {
        Ok(_) => Ok(true),
        Err(RunError::Stopped) => Ok(false),
        Err(RunError::Evaluate(error)) => Err(MatchError::Evaluate(error)),
        Err(RunError::Task(error)) => Err(MatchError::Player(error)),
    }
}

/// Game `game_idx`: even ones give the first contestant the attackers, odd ones the defenders.
fn match_game(config: &MatchConfig, contestants: &[Contestant; 2], openings: &[Opening], game_idx: usize) -> MatchGame {
    let opening = &openings[game_idx / 2];
    let mut game = Game::new(config.rules.clone(), opening.first);
    if let Some(max_plies) = config.max_plies {
        game = game.with_max_plies(max_plies);
    }
    for &mv in &opening.moves {
        // A limit shorter than the opening leaves a game that is already over.
        if game.play(mv).is_err() {
            break;
        }
    }
    let seat = |side: Side| {
        let contestant = &contestants[(game_idx + side.index()) % 2];
        let seed = mix(mix(config.seed, game_idx as u64), side.index() as u64);
        Seat { player: contestant.sit(&config.rules, side, seed), evaluator: contestant.evaluator }
    };
    MatchGame::new(game, opening, [seat(Side::Attackers), seat(Side::Defenders)])
}

/// A seed made of two numbers: one round of `SplitMix64`.
pub(crate) fn mix(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
