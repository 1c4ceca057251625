//! Matches: many pairs of games between two players, on all cores.

use crate::match_game::MatchPlan;
use crate::openings::{Opening, OpeningsError, openings};
use crate::tally::{MatchReport, Tally};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tablut_games::{CancelToken, Concurrency, Counters, GameRecord, RunError, run_tasks};
use tablut_players::{Contestant, Demand, PlayerError};
use tablut_ratings::{TestBounds, TestVerdict};
use tablut_rules::Rules;
use tablut_search::{EvaluateError, Evaluator};

#[derive(Clone, Debug)]
pub struct MatchConfig {
    pub rules: Arc<Rules>,
    /// Pairs of games. In each pair both players play each side once.
    pub n_pairs: usize,
    /// Random plies at the start of each game. With a book, the plies of its openings.
    pub opening_plies: u32,
    /// The openings, at least one per pair, or `None` for random ones.
    pub book: Option<Arc<[Opening]>>,
    /// A game is a draw after this many plies, in addition to the rules' limits.
    pub max_plies: u32,
    pub seed: u64,
    /// A sequential test that may stop the match before all pairs are played.
    pub sequential_test: Option<TestBounds>,
    /// How the games are distributed over the cores. It does not influence the result.
    pub concurrency: Concurrency,
}

impl MatchConfig {
    pub fn openings(&self) -> Result<Vec<Opening>, OpeningsError> {
        match &self.book {
            Some(book) => Ok(book.to_vec()),
            None => openings(&self.rules, self.n_pairs, self.opening_plies, self.seed),
        }
    }

    /// The plan of this match's games.
    pub fn plan(&self, contestants: [Contestant; 2]) -> MatchPlan {
        MatchPlan { rules: self.rules.clone(), contestants, max_plies: self.max_plies, seed: self.seed }
    }
}

/// How many games with this player may be played at once. A player with a clock has its own thread, because other games
/// on its thread would take its time. A program also has its own thread, because it needs a core.
fn limited(contestant: &Contestant, concurrency: Concurrency) -> Concurrency {
    match contestant.demand {
        Demand::Shared => concurrency,
        Demand::OwnThread => Concurrency { tasks_per_worker: 1, ..concurrency },
        Demand::OneAtATime => Concurrency { workers: 1, tasks_per_worker: 1 },
    }
}

#[derive(Clone, Debug)]
pub struct MatchProgress<'a> {
    /// The game that has just ended.
    pub game: &'a GameRecord,
    /// Games that have ended, including those of an earlier run.
    pub games_finished: usize,
    /// Games of the whole match, unless a sequential test stops it earlier.
    pub games_total: usize,
    /// All pairs that count so far.
    pub tally: &'a Tally,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
    #[error(transparent)]
    Player(#[from] PlayerError),
}

/// A match's report and its games.
#[derive(Clone, Debug)]
pub struct MatchOutcome {
    /// The result. If the match was stopped, it covers the complete pairs.
    pub report: MatchReport,
    /// The games that count, by their number from 0: both games of each pair. In the first one the first player plays
    /// the attackers.
    pub games: BTreeMap<u64, GameRecord>,
    /// Games that have ended, whether they count or not.
    pub games_finished: usize,
}

/// Plays the games of a match that are not in `earlier`. `earlier` are the games of an earlier run.
///
/// `make_evaluators` is called once in each worker thread; [`Contestant::evaluator`] is an index into its result.
/// `on_game` is called after each game, from any thread. With a sequential test, pairs are judged in their order, and
/// no pair after the deciding one counts. So the result does not depend on the distribution of games over threads. A
/// match with a player that uses a clock, or with a program, plays one game at a time on each thread. `cancel` stops
/// the match. The report then covers the pairs so far and is marked as incomplete.
pub fn play_match(
    config: &MatchConfig,
    contestants: &[Contestant; 2],
    earlier: Vec<GameRecord>,
    make_evaluators: impl Fn() -> Vec<Box<dyn Evaluator>> + Sync,
    cancel: &CancelToken,
    on_game: impl Fn(&MatchProgress<'_>) + Sync,
) -> Result<MatchOutcome, MatchError> {
    let plan = config.plan(contestants.clone());
    let concurrency = limited(&contestants[1], limited(&contestants[0], config.concurrency));
    let names = contestants.each_ref().map(|contestant| contestant.name.clone());
    collect_match(config, names, earlier, cancel, on_game, |wanted| {
        let run = run_tasks(
            wanted.games.len(),
            concurrency,
            |at| plan.game(&wanted.openings[wanted.games[at] / 2], wanted.games[at]),
            make_evaluators,
            &Counters::default(),
            &wanted.cancel,
            |_, game| (wanted.deliver)(game),
        );
        Ok(unless_stopped(run)?.is_some())
    })
}

/// The games of a match that must be played, here or by workers.
pub struct WantedGames<'a> {
    pub games: Vec<usize>,
    /// The openings of all pairs.
    pub openings: &'a [Opening],
    /// Receives each finished game once, from any thread.
    pub deliver: &'a (dyn Fn(&GameRecord) + Sync),
    /// Cancelled when no more games are needed, because the match was stopped or its sequential test has a verdict.
    pub cancel: CancelToken,
    /// Cancelled when the match was stopped from outside.
    pub stop: &'a CancelToken,
}

/// Counts a pair when both of its games have ended. Without a sequential test every such pair counts at once. With one,
/// pairs are judged in their order, and no pair after the deciding one counts. So the result does not depend on
/// threads.
struct Collector {
    rules: Arc<Rules>,
    in_order: bool,
    waiting: BTreeMap<u64, GameRecord>,
    counted: BTreeMap<u64, GameRecord>,
    /// All pairs that count so far.
    tally: Tally,
    /// Games that have ended, whether they count or not.
    finished: usize,
    /// Whether the sequential test has ended the match.
    settled: bool,
}

impl Collector {
    fn new(rules: &Arc<Rules>, test: Option<TestBounds>) -> Self {
        Self {
            rules: rules.clone(),
            in_order: test.is_some(),
            waiting: BTreeMap::new(),
            counted: BTreeMap::new(),
            tally: Tally::with_test(test),
            finished: 0,
            settled: false,
        }
    }

    /// Adds a game. Returns true once the sequential test has a verdict.
    fn add(&mut self, game: &GameRecord) -> bool {
        self.finished += 1;
        self.waiting.insert(game.index, game.clone());
        if self.in_order {
            while !self.settled && self.count_pair(self.counted.len() as u64) {
                self.settled = self.tally.test().is_some_and(|state| state.verdict != TestVerdict::Undecided);
            }
        } else {
            self.count_pair(game.index - game.index % 2);
        }
        self.settled
    }

    /// Counts the pair that starts with game `first`, if both its games have ended.
    fn count_pair(&mut self, first: u64) -> bool {
        if !(self.waiting.contains_key(&first) && self.waiting.contains_key(&(first + 1))) {
            return false;
        }
        let pair = [first, first + 1].map(|idx| self.waiting.remove(&idx).expect("both were there"));
        self.tally.record_pair(&self.rules, &pair[0], &pair[1]);
        self.counted.extend([first, first + 1].into_iter().zip(pair));
        true
    }
}

/// Counts a match's games: those in `earlier`, and those that `play` delivers. `play` returns whether it has delivered
/// all games that it was given. The rest is as in [`play_match`].
pub fn collect_match<E: From<OpeningsError>>(
    config: &MatchConfig,
    players: [String; 2],
    earlier: Vec<GameRecord>,
    cancel: &CancelToken,
    on_game: impl Fn(&MatchProgress<'_>) + Sync,
    play: impl FnOnce(&WantedGames<'_>) -> Result<bool, E>,
) -> Result<MatchOutcome, E> {
    let openings = config.openings()?;
    let games_total = 2 * config.n_pairs;
    let mut is_left = vec![true; games_total];
    let mut collector = Collector::new(&config.rules, config.sequential_test);
    for game in earlier {
        is_left[game.index as usize] = false;
        collector.add(&game);
    }
    let games: Vec<usize> = (0..games_total).filter(|&idx| is_left[idx] && !collector.settled).collect();
    let collector = Mutex::new(collector);
    // The sequential test ends only this match. The owner of `cancel` has not requested a stop.
    let settled = cancel.child();
    let deliver = |game: &GameRecord| {
        let mut collector = collector.lock().expect("no thread panics while it holds the collector");
        if collector.add(game) {
            settled.cancel();
        }
        let (games_finished, tally) = (collector.finished, &collector.tally);
        on_game(&MatchProgress { game, games_finished, games_total, tally });
    };
    let wanted = WantedGames { games, openings: &openings, deliver: &deliver, cancel: settled.clone(), stop: cancel };
    let is_complete = wanted.games.is_empty() || play(&wanted)?;
    let collector = collector.into_inner().expect("all workers have ended");
    let report = MatchReport {
        rules: config.rules.name().to_owned(),
        players,
        seed: config.seed,
        opening_plies: config.opening_plies,
        max_plies: Some(config.max_plies),
        complete: is_complete || collector.settled,
        ..collector.tally.report()
    };
    Ok(MatchOutcome { report, games: collector.counted, games_finished: collector.finished })
}

/// The games, or `None` if they were stopped.
pub(crate) fn unless_stopped<T>(run: Result<T, RunError<PlayerError>>) -> Result<Option<T>, MatchError> {
    match run {
        Ok(games) => Ok(Some(games)),
        Err(RunError::Stopped) => Ok(None),
        Err(RunError::Evaluate(error)) => Err(MatchError::Evaluate(error)),
        Err(RunError::Task(error)) => Err(MatchError::Player(error)),
    }
}
